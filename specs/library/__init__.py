"""Ops of networks beside the suite."""
