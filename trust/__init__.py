"""How far "proved" can be believed, measured: wrong definitions and wrong kernels. Untrusted."""
