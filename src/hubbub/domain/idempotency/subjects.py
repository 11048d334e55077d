"""Whom and what a kept answer is about, and whether it is all still there.

An answer is kept as it was given. What it tells of must not be told again when it was deleted for
good since, be there another user or group of the same id by now.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import find_revoked_tokens
from hubbub.kernel.errors import Refusal
from hubbub.kernel.text import is_id
from hubbub.records.conversations.store import find_by_numbers
from hubbub.records.groups.model import GuidNotFound
from hubbub.records.groups.store import find_groups
from hubbub.records.idempotency.model import GROUP, KINDS, MESSAGE, USER, Named, Subject
from hubbub.records.messages.model import MessageIdNotFound
from hubbub.records.messages.store import find_messages
from hubbub.records.users.model import UidNotFound
from hubbub.records.users.store import find_numbers, find_user
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

LONGEST_NUMBER = 19


async def find_life(runtime: Runtime, app_id: str, actor: Actor) -> int | None:
    """What tells the acting user from others who had, or will have, his uid.

    None: nobody acts who may; then nothing was kept for him, and the call will be refused.
    """
    uid = actor.uid
    if uid is None:
        return None

    async def within(snapshot: Snapshot) -> int | None:
        user = await find_user(snapshot, uid)
        if user is None or not user.is_active or await find_revoked_tokens(snapshot, [actor.token]):
            return None
        return (await find_numbers(snapshot, [uid])).get(uid)

    return await runtime.database.read(app_id, within)


def names_in(body: msgspec.Raw) -> set[Named]:
    """Whom and what the body of an answer names, wherever in it."""
    return set(_names(msgspec.json.decode(body)))


def _names(value: Any) -> Iterator[Named]:
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, list):
            left += each
        elif isinstance(each, dict):
            left += each.values()
            yield from _named_by(each)


def _named_by(shape: Mapping[str, Any]) -> Iterator[Named]:
    """What the shape of a user, a group or a message says that it is."""
    for kind, key in (USER, "uid"), (GROUP, "guid"):
        id_ = shape.get(key)
        if isinstance(id_, str) and is_id(id_):
            yield kind, id_
    if "conversationId" in shape and _is_number(shape.get("id")):
        yield MESSAGE, shape["id"]


def _is_number(id_: object) -> bool:
    return isinstance(id_, str) and id_.isascii() and id_.isdecimal() and len(id_) < LONGEST_NUMBER


async def find_subjects(snapshot: Snapshot, named: Collection[Named]) -> list[Subject]:
    """Those of the named that are there, each with what tells it from others of its id."""
    of_kind = {kind: [id_ for each, id_ in named if each == kind] for kind in KINDS}
    groups = await find_groups(snapshot, of_kind[GROUP])
    found = {
        USER: await find_numbers(snapshot, of_kind[USER]),
        GROUP: {guid: group.conversation for guid, group in groups.items()},
        MESSAGE: await _find_messages(snapshot, of_kind[MESSAGE]),
    }
    return [
        Subject(kind, id_, number) for kind in KINDS for id_, number in sorted(found[kind].items())
    ]


async def _find_messages(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, int]:
    """Those of the messages that anybody finds; their ids are nobody else's ever."""
    messages = await find_messages(snapshot, [int(id_) for id_ in ids])
    numbers = {message.conversation for message in messages.values()}
    erased = {each.number: each.erased_upto for each in await find_by_numbers(snapshot, numbers)}
    return {
        str(message.id): message.id
        for message in messages.values()
        if message.conversation in erased and message.id > erased[message.conversation]
    }


async def check_subjects(snapshot: Snapshot, subjects: Sequence[Subject]) -> None:
    """Whether all is still there that an answer is about.

    Raises:
        UidNotFound, GuidNotFound, MessageIdNotFound: some of it was deleted for good.
    """
    left = set(await find_subjects(snapshot, [(each.kind, each.id) for each in subjects]))
    for subject in subjects:
        if subject not in left:
            raise _gone(subject)


def _gone(subject: Subject) -> Refusal:
    if subject.kind == USER:
        return UidNotFound(subject.id)
    return GuidNotFound(subject.id) if subject.kind == GROUP else MessageIdNotFound(int(subject.id))
