"""The longest lists: a thousand rows, each with the most data that it may have."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tests.wire import Asked
from tests.world import World

ROWS = 1_000
_MANY_VALUES = {"a": [0] * 2_550}
"""The metadata of a user: values cost more than text of the same length."""
_MOST_DATA = {"text": "x" * 5_000, "metadata": {"a": [0] * 2_500}}
_FILE = {"url": "https://example.com/a.png", "name": "a.png", "size": 1, "extension": "png"}


async def longest_lists(world: World) -> list[tuple[str, Asked]]:
    """Fill an app; return the requests for its longest lists, with the names of the operations."""
    begin = (await world.ask("GET", "/events")).meta["cursor"]
    for target, uid, body in _fill():
        asked = replace(_asked(world, target, uid), method="POST", body=json.dumps(body).encode())
        answer = await world._sender.send(asked)
        assert answer.status == 200, answer
    return [
        ("list_messages", _asked(world, f"/messages?limit={ROWS}&affix=prepend")),
        ("list_messages", _asked(world, f"/messages?limit={ROWS}&withTags=true")),
        ("list_messages", _asked(world, f"/messages?limit={ROWS}&searchKey=xxx", "anna")),
        ("list_group_messages", _asked(world, f"/groups/g/messages?limit={ROWS}", "anna")),
        ("list_users", _asked(world, f"/users?perPage={ROWS}")),
        ("list_users", _asked(world, f"/users?perPage={ROWS}&withTags=true", "anna")),
        ("list_group_members", _asked(world, f"/groups/g/members?perPage={ROWS}", "anna")),
        ("list_conversations", _asked(world, f"/conversations?perPage={ROWS}", "anna")),
        ("list_friends", _asked(world, f"/users/anna/friends?perPage={ROWS}", "anna")),
        ("list_events", _asked(world, f"/events?limit={ROWS}&since={begin}")),
    ]


def _asked(world: World, target: str, uid: str | None = None) -> Asked:
    headers = {"apikey": world.key} | ({"onBehalfOf": uid} if uid else {})
    return Asked("GET", f"/v3{target}", headers)


def _fill() -> Iterator[tuple[str, str | None, Any]]:
    """Yield what is posted, where and by whom: users who are in a group and write to anna."""
    uids = [f"u{number}" for number in range(ROWS)]
    for uid in uids:
        yield "/users", None, {"uid": uid, "name": "U", "metadata": _MANY_VALUES}
    yield "/groups", None, {"guid": "g", "name": "G", "type": "public", "owner": "anna"}
    for start in range(0, ROWS, 25):
        some = uids[start : start + 25]
        yield "/groups/g/members", None, {"participants": some}
        yield "/users/anna/friends", None, {"accepted": some}
    for uid in uids:
        message = {"category": "message", "type": "text", "data": _MOST_DATA}
        yield "/messages", uid, {**message, "receiver": "anna", "receiverType": "user"}
        yield "/messages", uid, {**message, "receiver": "g", "receiverType": "group"}
