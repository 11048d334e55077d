"""Reminders: users are reminded of a message at a time that they have set."""
