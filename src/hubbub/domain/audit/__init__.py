"""The audit log: written with each change that an operator makes, and read."""
