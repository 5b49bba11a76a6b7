"""Ground truth: definitions drawn at random, right and broken, and plain loops as the judge."""
