"""The audit log: what operators changed, and what they looked at."""
