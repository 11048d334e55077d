"""Data import: users, groups, members and messages of another system, at most 50 a call."""
