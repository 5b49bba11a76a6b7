"""What proofs cost, measured beside gradcheck and SymPy in one run: `make bench`, `make scale`."""
