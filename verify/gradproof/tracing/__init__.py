"""From code to a definition: traced values, and what makes a verdict about code believable."""
