"""Processes that load definitions and settle theorems. Untrusted."""
