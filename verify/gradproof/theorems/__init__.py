"""What must hold of a definition, stated as data."""
