"""The users in payloads, and the payloads of triggers about users."""

from typing import Annotated

from hubbub.http.documented import documented_as
from hubbub.records.blocks.events import UserBlocked, UserUnblocked
from hubbub.records.users.model import User
from hubbub.rest.payloads.facts import Facts, Named, Payload
from hubbub.rest.payloads.samples import ANNA, sample_named_user
from hubbub.rest.wire.enums import UserStatus
from hubbub.rest.wire.shapes import Json, Shape


class PayloadUser(Shape, kw_only=True):
    """A user."""

    uid: str
    name: str
    avatar: str | None = None
    status: Annotated[str, documented_as(UserStatus)]
    role: str
    last_active_at: int | None = None


class NamedUser(Shape):
    """The uid and the name of a user."""

    uid: str
    name: str


class BlockPayload(Shape, kw_only=True):
    """The data of `user_blocked` and `user_unblocked`: `by` blocks `users`, or no longer does."""

    users: dict[str, NamedUser]
    by: PayloadUser


def payload_user(user: User) -> PayloadUser:
    """Return a user as payloads show them."""
    return PayloadUser(
        uid=user.uid,
        name=user.name,
        avatar=user.avatar,
        status=user.status,
        role=user.role,
        last_active_at=user.last_active_at,
    )


def named_user(user: User) -> NamedUser:
    """Return the uid and the name of a user."""
    return NamedUser(uid=user.uid, name=user.name)


def blocked(facts: Facts, event: UserBlocked) -> BlockPayload:
    """Return the data of `user_blocked`."""
    return _block_payload(facts, event.uid, event.blocked)


def unblocked(facts: Facts, event: UserUnblocked) -> BlockPayload:
    """Return the data of `user_unblocked`."""
    return _block_payload(facts, event.uid, event.unblocked)


def _block_payload(facts: Facts, uid: str, others: list[str]) -> BlockPayload:
    # `by` is the user whose block it is, also if the app made it for them: only this field says so.
    return BlockPayload(
        users={other: named_user(facts.user(other)) for other in others},
        by=payload_user(facts.user(uid)),
    )


def _add_blocked(named: Named, event: UserBlocked) -> None:
    named.uids |= {event.uid, *event.blocked}


def _add_unblocked(named: Named, event: UserUnblocked) -> None:
    named.uids |= {event.uid, *event.unblocked}


PAYLOADS = (
    Payload((UserBlocked,), BlockPayload, blocked, _add_blocked),
    Payload((UserUnblocked,), BlockPayload, unblocked, _add_unblocked),
)

_BLOCK: Json = {"users": {"ben": sample_named_user("ben")}, "by": ANNA}
SAMPLES: dict[str, Json] = {"user_blocked": _BLOCK, "user_unblocked": _BLOCK}
