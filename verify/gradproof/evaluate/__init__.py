"""Theorems at small shapes, by exact evaluation."""
