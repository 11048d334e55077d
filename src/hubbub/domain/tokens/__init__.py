"""Auth tokens: the credentials of a user's devices."""
