"""Large imports: what is refused, and what is done in parts so that others have turns."""

import json

import pytest
from tests.wire import Asked
from tests.world import Json, World

from hubbub.http.operation import LARGEST_BODY
from hubbub.kernel.nesting import MOST_ESCAPES

LARGEST_IMPORT = 8 * LARGEST_BODY


async def send(world: World, raw: bytes) -> tuple[int, Json]:
    """Import users by a body as it is; return the status and the answer."""
    headers = {"apikey": world.key, "content-type": "application/json"}
    answer = await world._sender.send(Asked("POST", "/v3/data_import/users", headers, raw))
    return answer.status, answer.json


async def test_a_large_row_fails_alone(world: World) -> None:
    """A row of more bytes than a body may have is refused; the others are stored."""
    rows = {
        "anna": {"uid": "anna", "name": "Anna"},
        "ben": {"uid": "ben", "name": "Ben", "metadata": {"text": "x" * LARGEST_BODY}},
    }

    status, answer = await send(world, json.dumps({"users": rows}).encode())

    assert status == 200
    assert answer["data"]["anna"]["success"] is True
    assert answer["data"]["ben"]["error"]["code"] == "ERR_PAYLOAD_TOO_LARGE"
    assert [each["uid"] for each in await world.get("/users")] == ["anna"]


async def test_unknown_fields_of_a_large_body(world: World) -> None:
    """Fields that an import does not have are left out, however large they are, and named."""
    filling = "x" * (LARGEST_IMPORT - 200)
    body = {"other": filling, "users": {"anna": {"uid": "anna", "name": "Anna"}}}

    headers = {"apikey": world.key, "content-type": "application/json"}
    answer = await world._sender.send(
        Asked("POST", "/v3/data_import/users", headers, json.dumps(body).encode())
    )

    assert answer.json["data"]["anna"]["success"] is True
    assert "other" in str(answer.headers)


@pytest.mark.parametrize("escape", ["\\n", "\\u4e2d", "\\ud83d\\ude00"])
async def test_escapes_are_limited(world: World, escape: str) -> None:
    """A body with more escapes than one of 1 MiB can have is refused; with as many it is read."""
    each = escape.count("\\")
    rows = [
        f'"u{number}":{{"uid":"u{number}","name":"{escape * (10_000 // each)}"}}'
        for number in range(MOST_ESCAPES // 10_000)
    ]
    some = ",".join(rows[:50])
    more = f'"other":"{escape * (MOST_ESCAPES // each)}"'

    status, answer = await send(world, f'{{"users":{{{some}}}}}'.encode())
    assert status == 200
    assert {row["error"]["code"] for row in answer["data"].values()} != {"ERR_PAYLOAD_TOO_LARGE"}
    status, answer = await send(world, f'{{{more},"users":{{{some}}}}}'.encode())

    assert status == 400
    assert "escapes" in answer["error"]["message"]


async def test_half_a_character_in_a_large_body(world: World) -> None:
    """An unpaired surrogate in a row of a large body is refused, as in a small one."""
    row = '"anna":{"uid":"anna","name":"\\ud83d"}'
    filling = f'"other":"{"x" * LARGEST_BODY}"'

    small = await send(world, f'{{"users":{{{row}}}}}'.encode())
    large = await send(world, f'{{{filling},"users":{{{row}}}}}'.encode())

    assert small[0] == large[0] == 400
    assert small[1]["error"]["code"] == large[1]["error"]["code"]
