"""Bugs planted in the trusted base, and the tests that catch them."""
