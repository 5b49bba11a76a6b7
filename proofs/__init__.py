"""The records of the suite and its pages: written by `make proofs`, and installed with the tool."""
