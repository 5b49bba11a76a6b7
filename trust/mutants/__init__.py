"""Definitions changed in one place, and which verdict gives each change away."""
