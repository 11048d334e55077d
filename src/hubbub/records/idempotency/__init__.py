"""Records of idempotency."""
