"""The subjects of a stored answer: users, groups and messages in it, which must still exist.

An answer is stored as it was given. It must not be repeated after one of its subjects was deleted
permanently, even if another user or group has the same id by now.
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
from hubbub.records.idempotency.model import GROUP, KINDS, MESSAGE, USER, AnswerSubject, SubjectName
from hubbub.records.messages.model import MessageIdNotFound
from hubbub.records.messages.store import find_messages
from hubbub.records.users.model import UidNotFound
from hubbub.records.users.store import find_numbers, find_user
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

LONGEST_NUMBER = 19


async def find_actor_number(runtime: Runtime, app_id: str, actor: Actor) -> int | None:
    """Return the number of the acting user, which no other holder of the uid ever has.

    None means that there is no acting user, or one who may not act; such a call is refused, so no
    answer is stored for it.
    """
    uid = actor.uid
    if uid is None:
        return None

    async def find_number(snapshot: Snapshot) -> int | None:
        user = await find_user(snapshot, uid)
        if user is None or not user.is_active or await find_revoked_tokens(snapshot, [actor.token]):
            return None
        return (await find_numbers(snapshot, [uid])).get(uid)

    return await runtime.database.read(app_id, find_number)


def collect_names(body: msgspec.Raw) -> set[SubjectName]:
    """Return the names of users, groups and messages at any depth of an answer's body."""
    names: set[SubjectName] = set()
    values = [msgspec.json.decode(body)]
    while values:
        value = values.pop()
        if isinstance(value, list):
            values += value
        elif isinstance(value, dict):
            values += value.values()
            names.update(_names_of(value))
    return names


def _names_of(shape: Mapping[str, Any]) -> Iterator[SubjectName]:
    """Yield the name of a user, a group or a message that has this shape."""
    for kind, key in (USER, "uid"), (GROUP, "guid"):
        id_ = shape.get(key)
        if isinstance(id_, str) and is_id(id_):
            yield kind, id_
    if "conversationId" in shape and _is_number(shape.get("id")):
        yield MESSAGE, shape["id"]


def _is_number(id_: object) -> bool:
    return isinstance(id_, str) and id_.isascii() and id_.isdecimal() and len(id_) < LONGEST_NUMBER


async def find_subjects(snapshot: Snapshot, names: Collection[SubjectName]) -> list[AnswerSubject]:
    """Return the named subjects that exist now, each with its number."""
    ids = {kind: [id_ for each, id_ in names if each == kind] for kind in KINDS}
    groups = await find_groups(snapshot, ids[GROUP])
    found = {
        USER: await find_numbers(snapshot, ids[USER]),
        GROUP: {guid: group.conversation for guid, group in groups.items()},
        MESSAGE: await _find_messages(snapshot, ids[MESSAGE]),
    }
    return [
        AnswerSubject(kind, id_, number)
        for kind in KINDS
        for id_, number in sorted(found[kind].items())
    ]


async def _find_messages(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, int]:
    """Return the messages that are not deleted permanently; their ids are their numbers."""
    messages = await find_messages(snapshot, [int(id_) for id_ in ids])
    numbers = {message.conversation for message in messages.values()}
    erased = {each.number: each.erased_upto for each in await find_by_numbers(snapshot, numbers)}
    return {
        str(message.id): message.id
        for message in messages.values()
        if message.conversation in erased and message.id > erased[message.conversation]
    }


async def check_subjects(snapshot: Snapshot, subjects: Sequence[AnswerSubject]) -> None:
    """Check that all subjects of an answer still exist.

    Raises:
        UidNotFound, GuidNotFound, MessageIdNotFound: one of them was deleted permanently.
    """
    found = set(await find_subjects(snapshot, [(each.kind, each.id) for each in subjects]))
    for subject in subjects:
        if subject not in found:
            raise _not_found(subject)


def _not_found(subject: AnswerSubject) -> Refusal:
    if subject.kind == USER:
        return UidNotFound(subject.id)
    return GuidNotFound(subject.id) if subject.kind == GROUP else MessageIdNotFound(int(subject.id))
