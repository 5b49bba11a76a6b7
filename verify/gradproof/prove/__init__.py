"""Proofs for all sizes and every rank."""
