"""What the adapters find of code of others: packages of PyPI, and PyTorch itself. Untrusted."""
