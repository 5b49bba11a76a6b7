"""Both routes to one verdict."""
