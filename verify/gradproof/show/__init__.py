"""Terms and failures as text, for people."""
