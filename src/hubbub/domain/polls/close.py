"""Close polls: by their authors, moderators and the app, or when their time has come."""

from dataclasses import replace

from hubbub.domain.access.actor import Actor
from hubbub.domain.messages.change import access_message_to_change
from hubbub.outbox import lock_counters
from hubbub.records.messages.model import MessageActionNotAllowed
from hubbub.records.polls import store
from hubbub.records.polls.events import PollClosed
from hubbub.records.polls.model import NotAPoll, Poll
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

PERMISSION = "editMessage"


async def close_poll(runtime: Runtime, app_id: str, actor: Actor, message_id: int) -> None:
    """Close a poll now; one that is closed stays as it is.

    Raises:
        UidNotFound, FeatureRestricted, RoleForbids, ScopeForbids, MessageIdNotFound,
            MessageNotASender: the acting user may not change the message.
        MessageActionNotAllowed: it is an action message, or is deleted.
        NotAPoll: it is no poll.
    """

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        found = await access_message_to_change(tx, actor, message_id, PERMISSION)
        if found.message.deleted_at is not None:
            raise MessageActionNotAllowed(message_id)
        poll = (await store.find_polls(tx, [message_id])).get(message_id)
        if poll is None:
            raise NotAPoll(message_id)
        now = runtime.clock.now()
        if not poll.is_closed(now):
            closed = closed_by(tx, poll, found.by, now)
            await store.store_polls(tx, [closed], 1000 * now)

    await runtime.database.write(app_id, within)


def closed_by(tx: Transaction, poll: Poll, by: str | None, now: int) -> Poll:
    """Announce that a poll is closed, with its last counts, and return it as closed."""
    tx.announce(PollClosed(message=poll.message, conversation=poll.conversation, by=by, at=now))
    closed_at = now if poll.closes_at is None else min(poll.closes_at, now)
    return replace(poll, closed_at=closed_at, closed_by=by, told_at=now, is_stale=False)
