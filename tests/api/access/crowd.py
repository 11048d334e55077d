"""A crowd: a user for every standing, and any number of groups of them, created in bulk."""

import itertools
import json
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from tests.api.messages.talk import import_past, import_rows, past, to_group
from tests.clock import START
from tests.world import CallOptions, Json, World

ADMIN, MODERATOR, PARTICIPANT = "admin", "moderator", "participant"
SCOPES = {
    "owner": ADMIN,
    "admin": ADMIN,
    "moderator": MODERATOR,
    "participant": PARTICIPANT,
    "other-admin": ADMIN,
    "other-moderator": MODERATOR,
    "other-participant": PARTICIPANT,
}
"""The members of every group; each is named after their scope."""
BANNED = ("banned", "other-banned")
SEATED = [*SCOPES, *BANNED][1:]
"""Members who are added later; the owner is a member from the start."""
CALLERS = ("owner", "admin", "moderator", "participant", "stranger", "banned")
OTHERS = ("other-admin", "other-moderator", "other-participant", "other-stranger", "other-banned")
PASSWORD = "open sesame"
AT_ONCE = 50

Item = TypeVar("Item")


class Crowd:
    """Existing users with their tokens, and their groups."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.tokens: dict[str, str] = {}
        self.messages: dict[str, str] = {}
        """The id of the owner's message in each group."""
        self.own_messages: dict[str, str] = {}
        """The id of the participant's message in each group."""
        self._numbers = itertools.count(1)

    async def gather(self, *uids: str, others: Sequence[str] = (), **profile: Any) -> None:
        """Create users, with a token each; the others are only acted upon."""
        for some in _chunks((*uids, *others)):
            rows = {uid: {"uid": uid, "name": uid.capitalize(), **profile} for uid in some}
            _check(await import_rows(self.world, "users", rows))
        for uid in uids:
            self.tokens[uid] = await self.world.token(uid)

    async def found(self, types: Sequence[str], *, with_messages: bool = True) -> list[str]:
        """Create a group of each of those types, with all members, and two messages."""
        guids = [f"{type_}-{next(self._numbers)}" for type_ in types]
        for some in _chunks(zip(guids, types, strict=True)):
            rows = {guid: _group(guid, type_) for guid, type_ in some}
            _check(await import_rows(self.world, "groups", rows))
        for seats in _chunks((guid, uid) for guid in guids for uid in SEATED):
            rows = {f"{guid}_member_{uid}": _seat(guid, uid) for guid, uid in seats}
            _check(await import_rows(self.world, "members", rows))
        if with_messages:
            await self._greet("owner", guids, self.messages)
            await self._greet("participant", guids, self.own_messages)
        return guids

    async def _greet(self, sender: str, guids: Sequence[str], ids: dict[str, str]) -> None:
        for some in _chunks(guids):
            rows = {guid: past(sender, to_group(guid), START) for guid in some}
            made = await import_past(
                self.world, **{f"{sender}-{guid}": row for guid, row in rows.items()}
            )
            _check(made)
            ids.update({guid: made[f"{sender}-{guid}"]["data"]["id"] for guid in some})

    def ways(self, caller: str) -> list[tuple[str, CallOptions]]:
        """Return the ways of a caller: on behalf of the user and by token, or the one named."""
        uid, _, acted_for = caller.removeprefix("as ").partition("'s token")
        acting: CallOptions = {"as_": uid}
        bearer: CallOptions = {"token": self.tokens.get(uid, "")}
        known: dict[str, CallOptions] = {
            "no key": {"key": ""},
            "auth key": {"key": self.world.auth_key},
            "app": {},
            f"as {uid}": acting,
            f"{uid}'s token": bearer,
            f"{uid}'s token{acted_for}": {**bearer, "as_": acted_for.removeprefix(" as ")},
        }
        if caller in known:
            return [(caller, known[caller])]
        return [(f"as {uid}", acting), (f"{uid}'s token", bearer)]


def filled(text: str, **names: str) -> str:
    """Return a path, or a body as JSON, with `{guid}` and the like replaced."""
    for name, value in names.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def body_of(text: str, **names: str) -> Any:
    """Return a body that is written as JSON, with names replaced; None if there is none."""
    return json.loads(filled(text, **names)) if text else None


def _group(guid: str, type_: str) -> Json:
    row = {"guid": guid, "name": "Hikers", "type": type_, "owner": "owner", "createdAt": 1}
    return {**row, "password": PASSWORD} if type_ == "password" else row


def _seat(guid: str, uid: str) -> Json:
    place = {"memberId": f"{guid}_member_{uid}", "guid": guid, "uid": uid, "joinedAt": START}
    return {**place, "isBanned": True} if uid in BANNED else {**place, "scope": SCOPES[uid]}


def _check(outcomes: Json) -> None:
    assert all(outcome["success"] for outcome in outcomes.values()), outcomes


def _chunks(items: Iterable[Item]) -> list[list[Item]]:
    found = list(items)
    return [found[place : place + AT_ONCE] for place in range(0, len(found), AT_ONCE)]
