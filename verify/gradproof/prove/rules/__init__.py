"""The rules of proof: all that can make one."""
