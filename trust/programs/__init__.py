"""Programs drawn at random, right and wrong in one region, and what is said of them. Untrusted."""
