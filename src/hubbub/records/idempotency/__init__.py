"""Records of idempotency keys."""
