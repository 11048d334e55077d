"""Data import: users, groups, members and messages of an earlier chat system, 50 at a time."""
