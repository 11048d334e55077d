"""Announce that the counts of polls have changed: at once, or with others within a second."""

from dataclasses import replace

from hubbub.records.polls.events import PollUpdated
from hubbub.records.polls.model import Poll
from hubbub.storage.interface import Transaction


def with_news(tx: Transaction, poll: Poll, now: int, *, voters: int = 0) -> Poll:
    """Return a poll with so many further voters, whose counts have changed, and announce it.

    If they were announced in this second, it is done later: `domain/polls/due.py`.
    """
    changed = replace(poll, voters=poll.voters + voters, is_stale=True)
    return changed if poll.told_at == now else told(tx, changed, now)


def told(tx: Transaction, poll: Poll, now: int) -> Poll:
    """Announce the counts of a poll, and return it with that noted."""
    tx.announce(PollUpdated(message=poll.message, conversation=poll.conversation, at=now))
    return replace(poll, told_at=now, is_stale=False)
