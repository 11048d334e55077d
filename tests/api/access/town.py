"""A town: Anna, friends and strangers, and everything they can do, for tests of permissions."""

import itertools
from typing import Any

from tests.api.messages.talk import group
from tests.world import CallOptions, Json, World

GUEST = "/roles/guest"
DENIED = "ERR_PERMISSION_DENIED"
SECRET = "open sesame"
LABEL = {"elementType": "label", "elementId": "hello", "text": "Hello"}
FILES = {
    "drawing": ("image", ["image/png"]),
    "photo": ("image", ["image/jpeg"]),
    "album": ("image", ["image/png", "image/jpeg"]),
    "film": ("video", ["video/mp4"]),
    "scan": ("image", ["IMAGE/PNG; charset=binary"]),
}
PATHS = {
    "list groups": "/groups",
    "list public": "/groups?type=public",
    "list users": "/users",
    "see club": "/groups/club",
}


class Town:
    """Anna, friends and strangers, and their calls."""

    def __init__(self, world: World, token: str) -> None:
        self.world = world
        self.ways: list[CallOptions] = [{"as_": "anna"}, {"token": token}]
        self._numbers = itertools.count(1)

    async def do(self, action: str, how: CallOptions) -> tuple[int, Any]:
        """Make the call of an action; return its status, and its data or error."""
        verb, what, *rest = action.split()
        call: tuple[str, str, Json | None]
        if verb == "join":
            guid = f"{what}-{next(self._numbers)}"
            await self.world.post("/groups", new_group(guid, what))
            call = ("POST", f"/groups/{guid}/members", {"password": SECRET})
        elif verb == "create":
            call = ("POST", "/groups", new_group(f"new-{next(self._numbers)}", what))
        elif verb == "send":
            call = ("POST", "/messages", message(what, rest[1]))
        else:
            call = ("GET", PATHS.get(f"{verb} {what}", f"/users/{what}"), None)
        answer = await self.world.ask(*call, **how)
        return answer.status, answer.data if answer.status == 200 else answer.error


async def make_town(world: World) -> Town:
    """Create a town; Anna is a guest, in the club with all others: see `permission_table.py`."""
    await world.post("/roles", {"role": "guest", "name": "Guest"})
    for uid in ("anna", "gina", "greta"):
        await world.user(uid, role="guest")
    await world.users("ben", "fred", "paula")
    await world.post("/users/anna/friends", {"accepted": ["fred", "gina"]})
    await group(world, "club", "anna", "gina", "greta", "ben", "fred", "paula")
    return Town(world, await world.token("anna"))


def new_group(guid: str, type_: str) -> Json:
    """Return the body of a new group."""
    body = {"guid": guid, "name": guid.capitalize(), "type": type_}
    return {**body, "password": SECRET} if type_ == "password" else body


def message(what: str, receiver: str) -> Json:
    """Return a message of some kind."""
    to = {"receiver": receiver, "receiverType": "group" if receiver == "club" else "user"}
    if what == "text":
        return {**to, "data": {"text": "Hello"}}
    if what == "form":
        data = {"interactiveData": {"title": "A form", "formFields": [LABEL]}}
        return {**to, "category": "interactive", "type": "form", "data": data}
    if what in FILES:
        type_, mime_types = FILES[what]
        attachments = [
            {"url": f"https://files.example/{name}", "name": "a", "mimeType": name}
            for name in mime_types
        ]
        return {**to, "type": type_, "data": {"attachments": attachments}}
    return {**to, "category": "custom", "type": what, "data": {"customData": {"at": 1}}}


async def allow(world: World, permission: str, value: Any, path: str = GUEST) -> None:
    """Set a permission, of the guests unless another path is given."""
    answer = await world.put(f"{path}/permissions", {"permissions": {permission: value}})
    assert answer[permission]["success"], answer


async def forget(world: World, permission: str, path: str = GUEST) -> None:
    """Unset a permission."""
    await world.delete(f"{path}/permissions/{permission}")


async def others(world: World, query: str, how: CallOptions) -> set[str]:
    """Return the uids of a list of users, without Anna and the reader."""
    found = await world.uids(f"/users{query}", **how)
    assert world.answer.meta["pagination"]["total"] == len(found)
    return set(found) - {"anna", how.get("as_")}
