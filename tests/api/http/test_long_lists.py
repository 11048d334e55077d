"""Long lists: no turn of the event loop makes all of their rows, and no part holds all of them."""

import asyncio
import json
from types import FrameType
from typing import Any

from tests.api.http.connections import connection, head_of, serving
from tests.api.http.test_costly_bodies import Calls, counted
from tests.api.http.turns import most_of_a_turn
from tests.wire import Asked, InProcess
from tests.world import Json, World

from hubbub.http.lists import AT_ONCE

ROWS = 400
MAKES_A_ROW = {"user_shape", "_write_row", "_conversation_shape", "matches"}
"""The functions that make or compare a row; for a conversation its message and user, too."""
LISTS = {
    "users": "/users?perPage={rows}",
    "members": "/groups/club/members?perPage={rows}",
    "friends": "/users/anna/friends?perPage={rows}",
    "messages": "/messages?limit={rows}",
    "matches": "/messages?limit={rows}&searchKey=xxx",
    "conversations": "/conversations?perPage={rows}",
}


class Rows(Calls):
    """Counts the calls of functions that make a row of a list."""

    def note(self, frame: FrameType, event: str, argument: Any) -> None:
        """Take notice of what the interpreter does."""
        self.count += event == "call" and frame.f_code.co_name in MAKES_A_ROW


async def test_no_turn_makes_a_long_list(world: World) -> None:
    """Others have turns while a long list is made, which is sent in parts with its length."""
    await _fill(world)
    for name, path in LISTS.items():
        headers = {"apikey": world.key, "onBehalfOf": "anna"}
        asked = Asked("GET", "/v3" + path.format(rows=ROWS), headers)

        with counted(Rows()) as rows:
            answering = asyncio.create_task(_sender(world).answer(asked))
            most = await most_of_a_turn(rows, answering)
        answer = await answering

        assert answer.status == 200
        assert rows.count >= ROWS
        assert most <= 2 * AT_ONCE, name
        assert answer.pieces is not None, name
        parts = [part async for part in answer.pieces]
        assert sum(map(len, parts)) == answer.length
        assert max(map(len, parts)) < 1.1 * answer.length * AT_ONCE / ROWS, name
        assert len(json.loads(b"".join(parts))["data"]) == ROWS


async def test_a_long_list_is_the_same_in_parts(world: World) -> None:
    """The rows of a long list are those of its pages."""
    await _fill(world)
    for path in ("/users?perPage={rows}&page={page}", "/conversations?perPage={rows}&page={page}"):
        whole = await world.get(path.format(rows=ROWS, page=1), as_="anna")
        pages = [
            row
            for page in range(1, 5)
            for row in await world.get(path.format(rows=ROWS // 4, page=page), as_="anna")
        ]

        assert whole == pages


async def test_a_long_list_on_a_connection(world: World) -> None:
    """It has its length, is the same as in this process, and the connection goes on after it."""
    await _fill(world)
    app, path = _sender(world).app, f"/users?perPage={ROWS}"
    whole = await world.ask("GET", path)

    async with serving(app) as served, connection(served.port) as peer:
        for _ in range(2):
            answer = await peer.ask(head_of(world, "GET", path))

            assert int(answer.headers["content-length"]) == len(answer.body)
            assert answer.data == whole.data


def _sender(world: World) -> InProcess:
    assert isinstance(world._sender, InProcess)
    return world._sender


async def _fill(world: World) -> None:
    """Store users who are in a group, are friends of anna, and have written to her."""
    uids = [f"u{number}" for number in range(ROWS)]
    await world.users("anna")
    await world.post("/groups", {"guid": "club", "name": "Club", "type": "public", "owner": "anna"})
    for start in range(0, ROWS, 25):
        some = uids[start : start + 25]
        metadata = {"text": "x" * 4_000, "@private": {"email": "someone@example.com"}}
        people = {uid: {"uid": uid, "name": uid, "metadata": metadata} for uid in some}
        await world.post("/data_import/users", {"users": people})
        await world.post("/data_import/messages", {"messages": dict(map(_message, some))})
        await world.post("/groups/club/members", {"participants": some})
        await world.post("/users/anna/friends", {"accepted": some})


def _message(uid: str) -> tuple[str, Json]:
    message = {"muid": uid, "sender": uid, "receiver": "anna", "receiverType": "user", "sentAt": 1}
    return uid, {**message, "category": "message", "type": "text", "data": {"text": "x" * 3_000}}
