"""Notifications: who is notified of what happened and why not, and what it says."""
