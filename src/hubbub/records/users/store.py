"""The tables `users`, `user_words` and `user_tags`."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile
from typing import Any

from msgspec import to_builtins

from hubbub.kernel.text import words
from hubbub.records.roles.model import DEFAULT_ROLE, rules_of
from hubbub.records.users.model import OFFLINE, Person, User, UserDraft, check_metadata, encode_tags
from hubbub.storage.interface import Row, Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__, user_columns=User)

NAME, UID = "name", "uid"


def _user(row: Row) -> User:
    user = User(*row)
    return user if isinstance(user.is_bot, bool) else User(*row[:9], bool(row[9]), *row[10:])


async def find_users(snapshot: Snapshot, uids: Collection[str]) -> dict[str, User]:
    """The users of those uids by uid, be they deactivated or deleted."""
    if not uids:
        return {}
    rows = await snapshot.fetch(SQL.find_users, uids=list(uids))
    return {row[0]: _user(row) for row in rows}


async def find_user(snapshot: Snapshot, uid: str) -> User | None:
    """The user of that uid, be he deactivated or deleted."""
    row = await snapshot.fetch_one(SQL.find_user, uid=uid)
    return _user(row) if row else None


async def find_numbers(snapshot: Snapshot, uids: Collection[str]) -> dict[str, int]:
    """What tells users from others who had, or will have, their uids; be they deleted softly."""
    if not uids:
        return {}
    return {row[0]: row[1] for row in await snapshot.fetch(SQL.find_numbers, uids=list(uids))}


async def list_bots(snapshot: Snapshot) -> list[User]:
    """All bots of the app, by uid."""
    return [_user(row) for row in await snapshot.fetch(SQL.list_bots)]


async def find_people(snapshot: Snapshot, uids: Collection[str]) -> dict[str, Person]:
    """The users of those uids with the rules of their roles; be they deactivated or deleted."""
    if not uids:
        return {}
    rows = await snapshot.fetch(SQL.find_people, uids=list(uids))
    return {row[0]: _person(row) for row in rows}


async def find_person(snapshot: Snapshot, uid: str) -> Person | None:
    """The user of that uid with the rules of his role; be he deactivated or deleted."""
    row = await snapshot.fetch_one(SQL.find_person, uid=uid)
    return _person(row) if row else None


_USER_COLUMNS = 15


def _person(row: Row) -> Person:
    user = _user(row[:_USER_COLUMNS])
    return Person(user, rules_of(user.role, *row[_USER_COLUMNS:]))


async def insert_users(
    tx: Transaction, drafts: Sequence[UserDraft], now: int, number: int
) -> list[User]:
    """Store new users, with what they are found by.

    `number` is of the event that comes next: another holder of a uid has another one.
    """
    users = [_new_user(draft, now) for draft in drafts]
    rows = [{**to_builtins(user), "number": number} for user in users]
    await tx.run_many(SQL.insert_user, rows)
    await _put_in_lists(tx, users)
    return users


def _new_user(draft: UserDraft, now: int) -> User:
    return User(
        uid=draft.uid,
        name=draft.name,
        avatar=draft.avatar,
        link=draft.link,
        role=draft.role or DEFAULT_ROLE,
        status=OFFLINE,
        status_message=draft.status_message,
        metadata=check_metadata(draft.metadata),
        tags=encode_tags(draft.tags),
        is_bot=draft.is_bot,
        created_at=draft.created_at if draft.created_at is not None else now,
        updated_at=None,
        last_active_at=draft.last_active_at,
        deactivated_at=draft.deactivated_at,
        deleted_at=None,
    )


async def _put_in_lists(tx: Transaction, users: Collection[User]) -> None:
    """Store what users are found by, or bring it up to date."""
    words_ = [{**_listed(user), **word} for user in users for word in _words(user)]
    await tx.run_many(SQL.put_word, words_)
    tags = [{**_listed(user), **tag} for user in users for tag in _tags(user)]
    await tx.run_many(SQL.put_tag, tags)


def _listed(user: User) -> dict[str, Any]:
    """What a list is ordered and narrowed by, as it stands beside each word and tag of a user."""
    return {
        "touched_at": user.touched_at,
        "role": user.role,
        "deactivated_at": user.deactivated_at,
    }


def _words(user: User) -> list[dict[str, Any]]:
    """The words that find a user, each with how much of it an earlier one begins with, too.

    A search that is longer than that finds him by this word first; a shorter one by an earlier.
    """
    names = sorted(words(user.name))
    found = [
        {"kind": NAME, "word": word, "uid": user.uid, "shared": _shared(word, [earlier])}
        for earlier, word in pairwise(["", *names])  # in their order none before shares more
    ]
    shared = _shared(user.uid, names)
    return [*found, {"kind": UID, "word": user.uid, "uid": user.uid, "shared": shared}]


def _shared(word: str, others: Iterable[str]) -> int:
    """How many characters it begins with as one of the others does."""
    return max((_count_equal(word, other) for other in others), default=0)


def _count_equal(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _tags(user: User) -> list[dict[str, str]]:
    return [{"tag": tag, "uid": user.uid} for tag in user.tag_list]


async def update_user(tx: Transaction, before: User, after: User) -> None:
    """Store a changed profile, with what it is found by."""
    await tx.run(
        SQL.update_user,
        uid=after.uid,
        name=after.name,
        avatar=after.avatar,
        link=after.link,
        role=after.role,
        status_message=after.status_message,
        metadata=after.metadata,
        tags=after.tags,
        updated_at=after.updated_at,
    )
    kept = [_words(after), _tags(after)]
    await tx.run_many(SQL.delete_word, [word for word in _words(before) if word not in kept[0]])
    await tx.run_many(SQL.delete_tag, [tag for tag in _tags(before) if tag not in kept[1]])
    await _put_in_lists(tx, [after])


async def set_deactivated(tx: Transaction, users: Collection[User], at: int | None) -> None:
    """Note when users were deactivated; None: they are active."""
    await tx.run(SQL.set_deactivated, uids=[user.uid for user in users], at=at)
    await _put_in_lists(tx, [replace(user, deactivated_at=at) for user in users])


async def set_deleted(tx: Transaction, user: User, at: int) -> None:
    """Hide a user from look-ups and lists; the uid stays taken."""
    await tx.run(SQL.set_deleted, uid=user.uid, at=at)
    await _forget(tx, user)


async def delete_user(tx: Transaction, user: User) -> None:
    """Remove a user's row and what he is found by; the uid is free."""
    await tx.run(SQL.delete_user, uid=user.uid)
    await _forget(tx, user)


async def _forget(tx: Transaction, user: User) -> None:
    await tx.run_many(SQL.delete_word, _words(user))
    await tx.run_many(SQL.delete_tag, _tags(user))
