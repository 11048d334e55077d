"""Bots: users that a program acts for, with a key of the app."""
