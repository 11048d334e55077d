"""Notifications: who is notified of what happened and why not, and what it says.

The rules and texts beside this file are pure: they get what `happening.py` has read, and the time.
"""
