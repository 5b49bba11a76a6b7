"""The command line. Untrusted."""
