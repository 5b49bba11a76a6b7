"""Triton kernels as they stand: read from their source, run by Triton's interpreter. Untrusted."""
