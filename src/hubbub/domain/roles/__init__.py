"""Roles: what kind of user somebody is, and what follows from it."""
