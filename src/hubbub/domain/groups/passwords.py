"""Group passwords are kept as argon2 hashes; computing one is slow on purpose."""

import argon2

from hubbub.kernel.errors import BadInput

_hasher = argon2.PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)


class EmptyGroupPassword(BadInput):
    """A password group needs a password."""

    code = "ERR_EMPTY_GROUP_PASS"

    def __init__(self) -> None:
        super().__init__(
            "A group of type password needs a password.",
            details={"password": ["The password is empty."]},
        )


def hash_password(password: str) -> str:
    """The hash of a password; runs for tens of milliseconds, so never inside a transaction."""
    return _hasher.hash(password)
