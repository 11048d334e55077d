"""Bots: users of the app that a program speaks for, with the app's own key."""
