"""The poll of a message: made when the message is stored, changed when it is edited."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec

from hubbub.kernel.errors import BadInput
from hubbub.records.messages.model import Draft, Message, PollState, PollTerms
from hubbub.records.polls.model import Poll, PollHasVotes, PollIsClosed
from hubbub.records.polls.store import find_polls, store_options, store_polls
from hubbub.storage.interface import Transaction

_decode = msgspec.json.Decoder(dict[str, Any]).decode
CHOICES = ("question", "options", "votesPerUser", "anonymous")
"""What stays as it is once somebody has voted."""


def read_terms(data: Mapping[str, Any]) -> PollTerms:
    """Return how people vote in a poll with this data, which is checked."""
    return PollTerms(
        options=len(data["options"]),
        votes_per_user=data.get("votesPerUser", 1),
        is_anonymous=data.get("anonymous", False),
        closes_at=data.get("closesAt"),
    )


def refuse_time(terms: PollTerms, now: int) -> BadInput | None:
    """Return a refusal of a poll that would be closed at once."""
    if terms.closes_at is None or terms.closes_at > now:
        return None
    return BadInput.field("data.closesAt", "This must be a time in the future.")


def make_poll(message: Message, terms: PollTerms, now: int) -> Poll:
    """Return the poll of a new message; one that came too late for its votes is closed."""
    closes_at = terms.closes_at
    return Poll(
        message=message.id,
        conversation=message.conversation,
        options=terms.options,
        votes_per_user=terms.votes_per_user,
        is_anonymous=terms.is_anonymous,
        closes_at=closes_at,
        closed_at=closes_at if closes_at is not None and closes_at <= now else None,
    )


def begin_state(terms: PollTerms) -> PollState:
    """Return what is shown of a poll that nobody has voted in."""
    return PollState(0, [0] * terms.options, closes_at=terms.closes_at)


async def change_poll(tx: Transaction, message: Message, draft: Draft, now: int) -> None:
    """Store how people vote from an edit of a message on; the caller has locked the counters.

    Raises:
        PollHasVotes: it changes on what people vote, and somebody has voted.
        PollIsClosed: it changes when the poll closes, and it is closed.
        BadInput: the poll would be closed at once.
    """
    poll, terms = (await find_polls(tx, [message.id])).get(message.id), draft.poll
    if poll is None or terms is None:
        return
    before, after = _decode(message.data), _decode(draft.data)
    changed = [name for name in CHOICES if before.get(name) != after.get(name)]
    if changed and (poll.voters or poll.is_closed(now)):
        raise PollHasVotes(message.id, changed)
    if terms.closes_at != poll.closes_at:
        if poll.is_closed(now):
            raise PollIsClosed(message.id)
        refusal = refuse_time(terms, now)
        if refusal is not None:
            raise refusal
    elif not changed:
        return
    changed_poll = replace(
        poll,
        options=terms.options,
        votes_per_user=terms.votes_per_user,
        is_anonymous=terms.is_anonymous,
        closes_at=terms.closes_at,
    )
    await store_polls(tx, [changed_poll], 1000 * now)
    if changed_poll.options != poll.options:
        await store_options(tx, changed_poll)
