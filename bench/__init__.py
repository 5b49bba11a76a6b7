"""What proofs cost beside gradcheck and SymPy, and the tests: `make bench`, `scale`, `times`."""
