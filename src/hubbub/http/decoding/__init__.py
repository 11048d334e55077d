"""Queries, JSON bodies and forms become values, or errors that name what is wrong with them."""
