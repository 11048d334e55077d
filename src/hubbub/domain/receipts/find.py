"""Who has had a message, and when."""

from dataclasses import dataclass

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.people import access_actor
from hubbub.records.conversations.model import GROUP
from hubbub.records.conversations.store import list_others
from hubbub.records.messages.model import Message
from hubbub.records.receipts.model import DELIVERED, READ
from hubbub.records.receipts.store import Asked, find_times
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class Had:
    """When somebody got a message, and when he read it."""

    uid: str
    delivered_at: int | None
    read_at: int | None


@dataclass(frozen=True, slots=True)
class HadBy:
    """A stretch of those who may have had a message, by uid; `next_uid` is where it goes on."""

    had: list[Had]
    next_uid: str | None


async def list_receipts(
    runtime: Runtime, app_id: str, actor: Actor, message_id: int, *, after: str, limit: int
) -> HadBy:
    """Who of those that take part, but its sender, has had a message; by uid, beyond `after`.

    Raises:
        UidNotFound: there is no such acting user.
        MessageIdNotFound: there is no such message, or none that he may see.
    """

    async def within(snapshot: Snapshot) -> HadBy:
        person = await access_actor(snapshot, actor)
        message = await access_message(snapshot, person, message_id)
        uids = await list_others(
            snapshot, message.conversation, message.sender, after=after, limit=limit + 1
        )
        has_more = len(uids) > limit
        had = await _find(snapshot, message, uids[:limit])
        return HadBy(had, uids[limit - 1] if has_more else None)

    return await runtime.database.read(app_id, within)


async def _find(snapshot: Snapshot, message: Message, uids: list[str]) -> list[Had]:
    asked = {
        (uid, kind): Asked(message.conversation, uid, kind, message.id)
        for uid in uids
        for kind in (DELIVERED, READ)
    }
    times = await find_times(snapshot, asked.values())
    found = [
        Had(uid, times.get(asked[uid, DELIVERED]), times.get(asked[uid, READ])) for uid in uids
    ]
    if message.receiver_type != GROUP:  # what an import brought wins
        found = [
            Had(
                each.uid, message.delivered_at or each.delivered_at, message.read_at or each.read_at
            )
            for each in found
        ]
    return [each for each in found if each.delivered_at or each.read_at]
