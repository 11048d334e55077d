"""Group passwords, stored as hashes."""

import re
from dataclasses import replace

import argon2

from hubbub.kernel.errors import BadInput, Forbidden
from hubbub.kernel.passwords import HASHER, hash_password
from hubbub.kernel.threads import Threads
from hubbub.records.groups.model import PASSWORD, GroupDraft

_ENCODED = re.compile(
    r"\$argon2id\$v=19\$m=\d{1,9},t=\d{1,9},p=\d{1,9}\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}"
)
"""A salt of 16 bytes, and a hash of 32."""


class EmptyGroupPassword(BadInput):
    """A password group needs a password."""

    code = "ERR_EMPTY_GROUP_PASS"

    def __init__(self) -> None:
        super().__init__(
            "A group of type password needs a password.",
            details={"password": ["The password is empty."]},
        )


class NotAHash(BadInput):
    """What was given as the hash of a password is none that passwords are compared with."""

    def __init__(self) -> None:
        super().__init__(
            "The hash of the group's password is not valid.",
            details={"passwordHash": ["It is not one that an export of Hubbub has."]},
            dev_message="Give the password itself: password.",
        )


class WrongGroupPassword(Forbidden):
    """The password given is not that of the group."""

    code = "ERR_WRONG_GROUP_PASS"

    def __init__(self, guid: str) -> None:
        super().__init__(f"The password is not that of the group {guid}.")


def check_hash(hash_: str) -> None:
    """Check that a hash from elsewhere is one of ours: others may take any time and memory.

    Raises:
        NotAHash: it is not.
    """
    found = argon2.extract_parameters(hash_) if _ENCODED.fullmatch(hash_) else None
    if found is None or (
        found.memory_cost > HASHER.memory_cost
        or found.time_cost > HASHER.time_cost
        or found.parallelism > HASHER.parallelism
    ):
        raise NotAHash


async def with_password_hashed(
    threads: Threads, app_id: str, draft: GroupDraft, *, password: str | None, user: str | None
) -> GroupDraft:
    """Return the draft of a group, with the hash of its password if its type is `password`.

    `user` creates the group: who creates many waits behind the others of their app.

    Raises:
        EmptyGroupPassword: the type is `password` and there is no password.
    """
    if draft.type != PASSWORD:
        return draft
    if not password:
        raise EmptyGroupPassword
    hash_ = await threads.run(app_id, lambda: hash_password(password), user=user)
    return replace(draft, password_hash=hash_)
