"""The search for a proof, which can say nothing that no rule says."""
