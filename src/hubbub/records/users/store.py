"""The tables `users`, `user_words` and `user_tags`."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import Any

import msgspec

from hubbub.kernel.sealing import Sealer
from hubbub.kernel.text import words
from hubbub.records.identity.store import hash_of
from hubbub.records.roles.model import rules_of
from hubbub.records.users.model import Person, Profile, User, UserDraft, encode_profile
from hubbub.storage.cached import CachedKind, record_cache_of
from hubbub.storage.interface import Row, Snapshot, Transaction
from hubbub.storage.queries import load_queries
from hubbub.storage.together import Asked

SQL = load_queries(__package__, user_columns=User, profile_columns=Profile)

NAME, UID = "name", "uid"


def _user(row: Row) -> User:
    user = User(*row)
    # SQLite answers with 0 or 1.
    msgspec.structs.force_setattr(user, "is_bot", bool(user.is_bot))
    return user


async def find_users(snapshot: Snapshot, uids: Collection[str]) -> dict[str, User]:
    """Return the users with these uids, by uid, also deactivated and softly deleted ones."""
    if not uids:
        return {}
    rows = await snapshot.fetch(SQL.find_users, uids=list(uids))
    return {user.uid: user for user in map(_user, rows)}


async def find_user(snapshot: Snapshot, uid: str) -> User | None:
    """Return the user with a uid, also a deactivated or softly deleted one."""
    row = await snapshot.fetch_one(SQL.find_user, uid=uid)
    return _user(row) if row else None


async def list_by_uid(snapshot: Snapshot, after: str, *, limit: int) -> list[User]:
    """Return users of an app in the order of uids, softly deleted ones too, those after a uid."""
    rows = await snapshot.fetch(SQL.list_by_uid, after=after, limit=limit)
    return [_user(row) for row in rows]


async def find_connecting(snapshot: Snapshot, uids: Collection[str]) -> dict[str, tuple[User, int]]:
    """Return users by uid, each with the day of their last connection; see `find_users`."""
    rows = await snapshot.fetch(SQL.find_connecting, uids=list(uids))
    return {row[0]: (_user(row[:_USER_COLUMNS]), row[_USER_COLUMNS]) for row in rows}


async def store_presences(tx: Transaction, users: Collection[tuple[User, int]]) -> None:
    """Store the status of users, when they were last active, and the day they last connected."""
    rows = [
        {
            "uid": user.uid,
            "status": user.status,
            "last_active_at": user.last_active_at,
            "connected_day": day,
        }
        for user, day in users
    ]
    await tx.run_many(SQL.store_presence, rows)
    if rows:
        now = {user.uid: (user.status, user.last_active_at) for user, _ in users}
        _PRESENCES.put_presences(tx, now)


async def set_offline(tx: Transaction, uids: Collection[str], at: int) -> int:
    """Store that users are offline; return the number of those who were available."""
    return await tx.run(SQL.set_offline, uids=list(uids), at=at)


async def find_numbers(snapshot: Snapshot, uids: Collection[str]) -> dict[str, int]:
    """Return the numbers that tell users from earlier and later holders of their uids, by uid."""
    if not uids:
        return {}
    return dict(map(tuple, await snapshot.fetch(SQL.find_numbers, uids=list(uids))))


async def list_bots(snapshot: Snapshot) -> list[User]:
    """Return all bots of the app, ordered by uid."""
    return [_user(row) for row in await snapshot.fetch(SQL.list_bots)]


async def find_people(snapshot: Snapshot, uids: Collection[str]) -> dict[str, Person]:
    """Return users with the rules of their roles, by uid, also deactivated and deleted ones."""
    people = await _PEOPLE.find(snapshot, uids, _fetch_people)
    if record_cache_of(snapshot) is None:
        return people
    presences = await _PRESENCES.find(snapshot, people, _fetch_presences)
    return {uid: _with_presence(person, presences.get(uid)) for uid, person in people.items()}


Presence = tuple[str, int | None]
"""The status of a user, and when they were last active."""

_PEOPLE = CachedKind[str, Person](SQL.find_people)
# Apart from the people: connections change these all the time, and must not drop the others.
_PRESENCES = CachedKind[str, Presence](SQL.find_presence, is_presence=True)


def ask_people(uids: Collection[str]) -> Asked:
    """Return what `find_people` asks."""
    return Asked(SQL.find_people, {"uids": list(uids)})


async def _fetch_people(snapshot: Snapshot, uids: Collection[str]) -> dict[str, Person]:
    asked = ask_people(uids)
    rows = await snapshot.fetch(asked.query, **asked.args)
    people = {person.user.uid: person for person in map(_person, rows)}
    for uid, person in people.items():
        _PRESENCES.put(snapshot, uid, (person.user.status, person.user.last_active_at))
    return people


async def _fetch_presences(snapshot: Snapshot, uids: Collection[str]) -> dict[str, Presence]:
    rows = await snapshot.fetch(SQL.find_presence, uids=list(uids))
    return {uid: (status, last_active_at) for uid, status, last_active_at in rows}


def _with_presence(person: Person, presence: Presence | None) -> Person:
    user = person.user
    if presence is None or presence == (user.status, user.last_active_at):
        return person
    status, last_active_at = presence
    user = msgspec.structs.replace(user, status=status, last_active_at=last_active_at)
    return Person(user, person.rules)


async def find_person(snapshot: Snapshot, uid: str) -> Person | None:
    """Return a user with the rules of their role, also a deactivated or softly deleted one."""
    asked = ask_person(uid)
    row = await snapshot.fetch_one(asked.query, **asked.args)
    return _person(row) if row else None


def ask_person(uid: str) -> Asked:
    """Return what `find_person` asks."""
    return Asked(SQL.find_person, {"uid": uid})


@dataclass(frozen=True, slots=True)
class Bearer:
    """The active user of an auth token, and the newest position of the app's log."""

    person: Person
    number: int
    """It tells the user from earlier and later holders of their uid."""
    epoch: int
    event: int


async def find_bearers(snapshot: Snapshot, tokens: Collection[str]) -> dict[str, Bearer]:
    """Return the bearers of auth tokens by the keyed hashes of these."""
    rows = await snapshot.fetch_many(SQL.find_bearer, [{"hash": each} for each in tokens])
    return {row[-4]: Bearer(_person(row[:-4]), row[-3], row[-2], row[-1]) for row in rows}


async def find_jwt_bearers(
    snapshot: Snapshot, sealer: Sealer, jwts: Collection[tuple[str, int]]
) -> dict[tuple[str, int], Bearer]:
    """Return the bearers of JWTs that are not revoked, by their uids and when they were issued."""
    if not jwts:
        return {}
    app_id = snapshot.app_id
    named = [{"uid": uid, "holder": hash_of(sealer, app_id, uid)} for uid, _ in jwts]
    rows = await snapshot.fetch_many(SQL.find_jwt_bearer, named)
    found = {row[-5]: (Bearer(_person(row[:-5]), *row[-4:-1]), row[-1] or 0) for row in rows}
    return {
        (uid, issued_at): found[uid][0]
        for uid, issued_at in jwts
        if uid in found and issued_at > found[uid][1]
    }


_USER_COLUMNS = len(User.__struct_fields__)


def _person(row: Row) -> Person:
    user = _user(row[:_USER_COLUMNS])
    return Person(user, rules_of(user.role, *row[_USER_COLUMNS:]))


async def insert_users(
    tx: Transaction, drafts: Sequence[UserDraft], now: int, number: int
) -> list[User]:
    """Insert new users with their search words and tags.

    `number` is the next event number: it tells a user from earlier and later holders of the uid.
    """
    users = [_new_user(draft, now) for draft in drafts]
    rows = [{**msgspec.to_builtins(user), "number": number} for user in users]
    await tx.run_many(SQL.insert_user, rows)
    await _put_words_and_tags(tx, users)
    return users


def _new_user(draft: UserDraft, now: int) -> User:
    return User(
        uid=draft.uid,
        **encode_profile(draft.profile),
        is_bot=draft.is_bot,
        created_at=draft.created_at if draft.created_at is not None else now,
        last_active_at=draft.last_active_at,
        deactivated_at=draft.deactivated_at,
    )


async def _put_words_and_tags(tx: Transaction, users: Collection[User]) -> None:
    """Insert the search words and tags of users, or update them."""
    listed = [(user, _list_columns(user)) for user in users]
    word_rows = [{**columns, **word} for user, columns in listed for word in _words(user)]
    await tx.run_many(SQL.put_word, word_rows)
    tag_rows = [{**columns, **tag} for user, columns in listed for tag in _tags(user)]
    await tx.run_many(SQL.put_tag, tag_rows)


def _list_columns(user: User) -> dict[str, Any]:
    """Return the columns by which lists sort and filter; each word and tag row has a copy."""
    return {
        "touched_at": user.touched_at,
        "role": user.role,
        "deactivated_at": user.deactivated_at,
    }


def _words(user: User) -> list[dict[str, Any]]:
    """Return the search words of a user, each with the length of the prefix it shares.

    `shared` is the longest prefix that the word has in common with an earlier word of the user. A
    longer search matches this word first, a shorter one an earlier word: so a list that scans words
    has each user once.
    """
    names = sorted(words(user.name))
    found = [
        {"kind": NAME, "word": word, "uid": user.uid, "shared": _shared_length(word, [earlier])}
        for earlier, word in pairwise(["", *names])  # sorted: the one before shares most
    ]
    shared = _shared_length(user.uid, names)
    return [*found, {"kind": UID, "word": user.uid, "uid": user.uid, "shared": shared}]


def _shared_length(word: str, others: Iterable[str]) -> int:
    """Return the length of the longest prefix that the word shares with one of the others."""
    return max((_count_equal(word, other) for other in others), default=0)


def _count_equal(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _tags(user: User) -> list[dict[str, str]]:
    return [{"tag": tag, "uid": user.uid} for tag in user.tag_list]


async def update_user(tx: Transaction, before: User, after: User) -> None:
    """Store a changed profile and its search words and tags."""
    await tx.run(SQL.update_user, **msgspec.to_builtins(after))
    kept_words, kept_tags = _words(after), _tags(after)
    await tx.run_many(SQL.delete_word, [word for word in _words(before) if word not in kept_words])
    await tx.run_many(SQL.delete_tag, [tag for tag in _tags(before) if tag not in kept_tags])
    await _put_words_and_tags(tx, [after])


async def set_deactivated(tx: Transaction, users: Collection[User], at: int | None) -> None:
    """Store when users were deactivated; None makes them active."""
    await tx.run(SQL.set_deactivated, uids=[user.uid for user in users], at=at)
    changed = [msgspec.structs.replace(user, deactivated_at=at) for user in users]
    await _put_words_and_tags(tx, changed)


async def set_deleted(tx: Transaction, user: User, at: int) -> None:
    """Mark a user as deleted, which hides them from lookups and lists; the uid stays taken."""
    await tx.run(SQL.set_deleted, uid=user.uid, at=at)
    await _delete_words_and_tags(tx, user)


async def delete_user(tx: Transaction, user: User) -> None:
    """Delete the row, search words and tags of a user; the uid becomes free."""
    await tx.run(SQL.delete_user, uid=user.uid)
    await _delete_words_and_tags(tx, user)


async def _delete_words_and_tags(tx: Transaction, user: User) -> None:
    await tx.run_many(SQL.delete_word, _words(user))
    await tx.run_many(SQL.delete_tag, _tags(user))
