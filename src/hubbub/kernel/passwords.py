"""Passwords as argon2 hashes; computing one is slow on purpose: on `Threads`, never in a write."""

import argon2

HASHER = argon2.PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)


def hash_password(password: str) -> str:
    """Return the hash of a password; takes tens of milliseconds."""
    return HASHER.hash(password)


def is_password_of(hash_: str, password: str) -> bool:
    """Return whether a password matches a hash; as slow as hashing."""
    try:
        return HASHER.verify(hash_, password)
    except argon2.exceptions.VerificationError:
        return False
