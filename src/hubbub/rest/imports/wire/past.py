"""What rows of messages bring along: the messages that they refer to, and reactions."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from hubbub.domain.imports.times import check_time
from hubbub.kernel.errors import LimitReached
from hubbub.records.messages.model import MuidReference, PastReaction
from hubbub.records.reactions.model import MOST_KINDS
from hubbub.rest.messages.wire.send import Muid
from hubbub.rest.wire.path import LONGEST_REACTION, parse_message_id
from hubbub.rest.wire.shapes import Id, Shape, Timestamp

MOST_REACTIONS = 500

SecondsText = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{1,11}(?!\n)$",
        description="Digits: whole seconds since 1970, without a fraction.",
    ),
]
Seconds = Timestamp | SecondsText
OtherMessage = Muid | Annotated[int, Meta(ge=1, description="The id of a stored message.")]
"""The muid of an imported message as text, or the id of a stored one as a number."""


class ReactionFields(Shape):
    """A reaction to an imported message; without `reactedAt` it is as old as the message."""

    reaction: Annotated[str, Meta(min_length=1, max_length=LONGEST_REACTION)]
    uid: Id
    reacted_at: Seconds | None = None


Reactions = Annotated[list[ReactionFields], Meta(max_length=MOST_REACTIONS)]


def seconds(value: int | str | None) -> int | None:
    """Return a timestamp that may be a string of digits."""
    return None if value is None else int(value)


def read_reactions(
    fields: Sequence[ReactionFields], *, sent_at: int, now: int
) -> tuple[PastReaction, ...]:
    """Return the reactions of a row; one that comes twice counts once.

    Raises:
        BadInput: a time is not possible.
        LimitReached: there are too many different reactions.
    """
    found: dict[tuple[str, str], PastReaction] = {}
    for index, each in enumerate(fields):
        at = sent_at if each.reacted_at is None else int(each.reacted_at)
        check_time(f"reactions.{index}.reactedAt", at, sent_at=sent_at, now=now)
        key = (each.reaction, each.uid.lower())
        found.setdefault(key, PastReaction(*key, at))
    if len({reaction for reaction, _ in found}) > MOST_KINDS:
        sentence = f"A message may have at most {MOST_KINDS} different reactions."
        raise LimitReached.field("reactions", sentence)
    return tuple(found.values())


def id_of(other: int | str | None, name: str) -> int | None:
    """Return the id by which a row refers to a stored message, if it does.

    Raises:
        BadInput: it is too large.
    """
    return parse_message_id(str(other), name) if isinstance(other, int) else None


def reference_to(other: int | str | None, sender: str | None) -> MuidReference | None:
    """Return the reference of a row to a message by its muid, if it has one."""
    if not isinstance(other, str):
        return None
    return MuidReference(other, (sender.lower(),) if sender else ())
