"""Idempotency keys: a call that is repeated with the same key is carried out once."""
