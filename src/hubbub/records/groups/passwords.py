"""Group passwords are kept as argon2 hashes; computing one is slow on purpose."""

from dataclasses import replace

import argon2

from hubbub.kernel.errors import BadInput, Forbidden
from hubbub.kernel.threads import Threads
from hubbub.records.groups.model import PASSWORD, GroupDraft

_hasher = argon2.PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)


class EmptyGroupPassword(BadInput):
    """A password group needs a password."""

    code = "ERR_EMPTY_GROUP_PASS"

    def __init__(self) -> None:
        super().__init__(
            "A group of type password needs a password.",
            details={"password": ["The password is empty."]},
        )


class WrongGroupPassword(Forbidden):
    """It is not the group's password."""

    code = "ERR_WRONG_GROUP_PASS"

    def __init__(self, guid: str) -> None:
        super().__init__(f"This is not the password of the group {guid}.")


def hash_password(password: str) -> str:
    """The hash of a password; runs for tens of milliseconds, so never inside a transaction."""
    return _hasher.hash(password)


def is_password_of(hash_: str, password: str) -> bool:
    """Whether a password is the one that was hashed; as slow as hashing."""
    try:
        return _hasher.verify(hash_, password)
    except argon2.exceptions.VerificationError:
        return False


async def with_password_hashed(
    threads: Threads, draft: GroupDraft, password: str | None
) -> GroupDraft:
    """The draft with its password's hash, if it is to have one.

    Raises:
        EmptyGroupPassword: it is of type password, and has none.
    """
    if draft.type != PASSWORD:
        return draft
    if not password:
        raise EmptyGroupPassword
    hash_ = await threads.run(lambda: hash_password(password))
    return replace(draft, password_hash=hash_)
