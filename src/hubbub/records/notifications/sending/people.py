"""Who may be told of an event, read for many people at once."""

from collections.abc import Awaitable, Collection
from typing import NamedTuple

from hubbub.records.notifications.sending.store import SQL
from hubbub.storage.interface import Row, Snapshot


async def list_members_after(
    snapshot: Snapshot,
    conversation: int,
    event: int,
    message: int,
    after: str,
    *,
    limit: int,
    only_choosers: bool = False,
) -> list[str]:
    """Return members since before an event to whom a message is shown, in the order of uids.

    `only_choosers` leaves out those who have no notification preferences of their own.
    """
    query = SQL.list_choosers_after if only_choosers else SQL.list_members_after
    return await _list_uids(
        snapshot.fetch(
            query,
            conversation=conversation,
            event=event,
            message=message,
            after=after,
            limit=limit,
        )
    )


class PersonStanding(NamedTuple):
    """What a user is at present."""

    number: int
    """The number of the event that made them; a later user with the same uid has a greater one."""
    is_active: bool
    """False if they are deactivated or deleted."""
    is_online: bool


class Seat(NamedTuple):
    """A membership that lasts."""

    from_event: int
    hidden_upto: int
    """Messages up to this id are not shown to the member."""


async def list_standing(snapshot: Snapshot, uids: Collection[str]) -> dict[str, PersonStanding]:
    """Return what users are at present, without those who were erased."""
    rows = await snapshot.fetch(SQL.list_standing, uids=list(uids))
    return {
        uid: PersonStanding(number, bool(is_active), bool(is_online))
        for uid, number, is_active, is_online in rows
    }


async def list_seats(
    snapshot: Snapshot, conversations: Collection[int], uids: Collection[str]
) -> dict[tuple[int, str], Seat]:
    """Return the lasting memberships of some users in some groups."""
    if not conversations:
        return {}
    rows = await snapshot.fetch(SQL.list_seats, conversations=list(conversations), uids=list(uids))
    return {
        (conversation, uid): Seat(from_event, hidden_upto)
        for conversation, uid, from_event, hidden_upto in rows
    }


async def list_blocks(
    snapshot: Snapshot, uids: Collection[str], senders: Collection[str]
) -> set[tuple[str, str]]:
    """Return which of some users block which senders, as pairs."""
    rows = await snapshot.fetch(SQL.list_blocks_of, uids=list(uids), senders=list(senders))
    return {(uid, blocked) for uid, blocked in rows}


async def list_mutes(
    snapshot: Snapshot,
    uids: Collection[str],
    conversations: Collection[int],
    others: Collection[str],
) -> dict[tuple[str, int | str], int]:
    """Return until when, in milliseconds, users have muted groups and other users.

    By the uid, and the number of the group's conversation or the uid of the other user.
    """
    groups = await snapshot.fetch(
        SQL.list_group_mutes, uids=list(uids), conversations=list(conversations)
    )
    users = await snapshot.fetch(SQL.list_user_mutes, uids=list(uids), others=list(others))
    return {(uid, muted): until for uid, muted, until in (*groups, *users)}


async def sum_unread(snapshot: Snapshot, uids: Collection[str]) -> dict[str, int]:
    """Return the total of unread messages of each user who takes part in a conversation."""
    return {uid: int(total) for uid, total in await snapshot.fetch(SQL.sum_unread, uids=list(uids))}


async def list_readers(
    snapshot: Snapshot, conversation: int, message: int, uids: Collection[str]
) -> set[str]:
    """Return who of them has read a conversation up to a message."""
    rows = await snapshot.fetch(
        SQL.list_readers, conversation=conversation, message=message, uids=list(uids)
    )
    return {uid for (uid,) in rows}


async def list_present(snapshot: Snapshot, message_ids: Collection[int]) -> set[int]:
    """Return which of some messages have not been deleted."""
    return {id_ for (id_,) in await snapshot.fetch(SQL.list_present, ids=list(message_ids))}


async def _list_uids(found: Awaitable[list[Row]]) -> list[str]:
    return [uid for (uid,) in await found]
