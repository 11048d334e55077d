"""Roles: kinds of users, and the rules for each."""
