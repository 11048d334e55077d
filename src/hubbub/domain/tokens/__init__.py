"""Auth tokens: what a user's device proves itself with."""
