"""The tables `notification_settings`, `notification_preferences` and of muted conversations."""

from collections.abc import Collection, Mapping, Sequence

import msgspec

from hubbub.records.notifications.app_settings import (
    Document,
    NotificationSettings,
    notification_settings_of,
)
from hubbub.records.notifications.model import GROUP, ONE_ON_ONE, Mute
from hubbub.records.notifications.preferences import Choices, choices_of
from hubbub.records.notifications.store import SQL
from hubbub.storage.interface import Snapshot, Transaction

_encode = msgspec.json.Encoder().encode
_decode_document = msgspec.json.Decoder(Document).decode


async def find_settings(snapshot: Snapshot) -> NotificationSettings:
    """Return the notification settings of the app."""
    row = await snapshot.fetch_one(SQL.find_settings)
    return notification_settings_of(row[0] if row else None)


async def find_given_settings(snapshot: Snapshot) -> Document:
    """Return what the app has set."""
    row = await snapshot.fetch_one(SQL.find_settings)
    return _decode_document(row[0]) if row else {}


async def put_settings(tx: Transaction, given: Document) -> None:
    """Store what the app has set."""
    await tx.run(SQL.put_settings, settings=_encode(given).decode())


async def delete_settings(tx: Transaction) -> None:
    """Delete what the app has set."""
    await tx.run(SQL.delete_settings)


async def find_choices(snapshot: Snapshot, uid: str) -> Choices:
    """Return what a user has chosen."""
    row = await snapshot.fetch_one(SQL.find_choices, uid=uid)
    return choices_of(row[0] if row else None)


async def list_preferences(snapshot: Snapshot, uids: Collection[str]) -> dict[str, Choices]:
    """Return what users have chosen, time zones too, by uid; without those who chose nothing."""
    if not uids:
        return {}
    rows = await snapshot.fetch(SQL.list_choices, uids=list(uids))
    return {uid: choices_of(choices) for uid, choices in rows}


async def put_choices(tx: Transaction, uid: str, choices: Choices) -> None:
    """Store what a user has chosen."""
    if choices == Choices():
        await delete_choices(tx, uid)
    else:
        await tx.run(SQL.put_choices, uid=uid, choices=_encode(choices).decode())


async def delete_choices(tx: Transaction, uid: str) -> None:
    """Delete what a user has chosen."""
    await tx.run(SQL.delete_choices, uid=uid)


async def list_mutes(snapshot: Snapshot, uid: str, now: int) -> list[Mute]:
    """Return the muted conversations of a user, without those that have expired."""
    users = await snapshot.fetch(SQL.list_muted_users, uid=uid, now=now)
    groups = await snapshot.fetch(SQL.list_muted_groups, uid=uid, now=now)
    return [
        *(Mute(muted, ONE_ON_ONE, until) for muted, until in users),
        *(Mute(guid, GROUP, until) for guid, until in groups),
    ]


async def list_mutes_of(
    snapshot: Snapshot, uids: Collection[str], kind: str, receiver: str
) -> dict[str, int]:
    """Return until when users have muted a conversation, by uid; also times that are over.

    `receiver` is a guid if the `kind` is `GROUP`, else the uid of the other user.
    """
    if not uids:
        return {}
    query = SQL.list_mutes_of_group if kind == GROUP else SQL.list_mutes_of_user
    return dict(map(tuple, await snapshot.fetch(query, uids=list(uids), receiver=receiver)))


async def put_mutes(
    tx: Transaction, uid: str, mutes: Collection[Mute], conversations: Mapping[str, int]
) -> None:
    """Mute conversations; `conversations` has the numbers of the groups' ones, by guid."""
    await tx.run_many(
        SQL.put_muted_group,
        [
            {"conversation": conversations[mute.id], "uid": uid, "until": mute.until}
            for mute in mutes
            if mute.type == GROUP
        ],
    )
    await tx.run_many(
        SQL.put_muted_user,
        [
            {"uid": uid, "muted": mute.id, "until": mute.until}
            for mute in mutes
            if mute.type == ONE_ON_ONE
        ],
    )


async def delete_mutes(
    tx: Transaction, uid: str, others: Sequence[str], conversations: Sequence[int]
) -> None:
    """Unmute the conversations of a user with others, and those of groups, by their numbers."""
    if others:
        await tx.run(SQL.delete_muted_users, uid=uid, muted=list(others))
    if conversations:
        await tx.run(SQL.delete_muted_groups, uid=uid, conversations=list(conversations))


async def delete_expired_mutes(tx: Transaction, uid: str, now: int) -> None:
    """Delete the muted conversations of a user whose time is over."""
    await tx.run(SQL.delete_expired_muted_groups, uid=uid, now=now)
    await tx.run(SQL.delete_expired_muted_users, uid=uid, now=now)


async def delete_preferences_of(tx: Transaction, uid: str) -> None:
    """Delete all that a user has chosen and muted, and that others have muted them."""
    await delete_choices(tx, uid)
    await tx.run(SQL.delete_muted_groups_of, uid=uid)
    await tx.run(SQL.delete_muted_users_of, uid=uid)
    await tx.run(SQL.delete_mutes_of, uid=uid)
