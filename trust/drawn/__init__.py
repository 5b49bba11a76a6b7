"""Drawn definitions with kinks, and what a rule owes at each point of them. Untrusted."""
