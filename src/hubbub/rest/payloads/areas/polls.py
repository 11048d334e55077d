"""The payloads of events of polls: the counts, and the votes of a user, as they are now."""

from hubbub.records.conversations.model import conversation_id
from hubbub.records.messages.model import Message
from hubbub.records.polls.events import PollClosed, PollEvent, PollUpdated, PollVoted
from hubbub.records.polls.model import NO_VOTES, options_in
from hubbub.records.polls.store import find_polls, find_states, find_votes
from hubbub.rest.messages.wire.message import PollShape, poll_shape
from hubbub.rest.payloads.areas.people import NamedUser, PayloadUser, named_user, payload_user
from hubbub.rest.payloads.facts import Facts, Named, Payload
from hubbub.rest.payloads.samples import ANNA, NOW, PAIR, sample_named_user
from hubbub.rest.wire.shapes import Json, Shape


class VotePayload(Shape, kw_only=True):
    """The data of `poll_voted`: the user has voted for these options, and for no others.

    In an anonymous poll it is not said who it was.
    """

    message_id: str
    conversation_id: str
    by: NamedUser | None = None
    options: list[int]
    voted_at: int


class PollPayload(Shape, kw_only=True):
    """The data of `poll_updated` and `poll_closed`; `by` closed the poll, if not its time."""

    message_id: str
    conversation_id: str
    poll: PollShape
    by: PayloadUser | None = None


def voted(facts: Facts, event: PollVoted) -> VotePayload | None:
    """Return the data of `poll_voted`; None if the message, or its user, is deleted."""
    message = _message(facts, event.message)
    poll = facts.found(find_polls).get(event.message)
    if message is None or poll is None or not facts.has_user(event.uid):
        return None
    vote = facts.found(find_votes).get((event.message, event.uid))
    return VotePayload(
        message_id=str(message.id),
        conversation_id=conversation_id(message.key),
        by=None if poll.is_anonymous else named_user(facts.user(event.uid)),
        options=options_in(vote.options if vote is not None else NO_VOTES),
        voted_at=event.at,
    )


def counted(facts: Facts, event: PollEvent) -> PollPayload | None:
    """Return the data of `poll_updated` and `poll_closed`; None if the message is deleted."""
    message = _message(facts, event.message)
    poll = facts.found(find_states).get(event.message)
    if message is None or poll is None:
        return None
    by = event.by if isinstance(event, PollClosed) else None
    return PollPayload(
        message_id=str(message.id),
        conversation_id=conversation_id(message.key),
        poll=poll_shape(poll),
        by=payload_user(facts.user(by)) if by is not None else None,
    )


def _message(facts: Facts, message_id: int) -> Message | None:
    message = facts.messages.get(message_id)
    return message if message is not None and message.deleted_at is None else None


def _add_vote(named: Named, event: PollVoted) -> None:
    named.messages.add(event.message)
    named.uids.add(event.uid)
    named.others[find_polls].add(event.message)
    named.others[find_votes].add((event.message, event.uid))


def _add_counts(named: Named, event: PollEvent) -> None:
    named.messages.add(event.message)
    named.others[find_states].add(event.message)
    if isinstance(event, PollClosed) and event.by is not None:
        named.uids.add(event.by)


PAYLOADS = (
    Payload((PollVoted,), VotePayload, voted, _add_vote),
    Payload((PollUpdated, PollClosed), PollPayload, counted, _add_counts),
)

_POLL: Json = {
    "messageId": "101",
    "conversationId": PAIR,
    "poll": {"voters": 2, "options": [{"votes": 2}, {"votes": 0}]},
}
SAMPLES: dict[str, Json] = {
    "poll_voted": {
        "messageId": "101",
        "conversationId": PAIR,
        "by": sample_named_user("ben"),
        "options": [0],
        "votedAt": NOW + 20,
    },
    "poll_updated": _POLL,
    "poll_closed": {
        **_POLL,
        "poll": {"voters": 2, "options": [{"votes": 2}, {"votes": 0}], "closedAt": NOW + 60},
        "by": ANNA,
    },
}
