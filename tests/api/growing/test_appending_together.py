"""Appends to many messages in one call: each has its own outcome."""

from typing import Any

import pytest
from tests.api.growing.stream import append, begin, finish, shown
from tests.world import Node, World

from hubbub.domain.growing.append_together import AT_ONCE
from hubbub.domain.growing.keep import release_all

PATH = "/messages/append"


@pytest.fixture(autouse=True)
async def people(world: World) -> None:
    """Create Anna and Cora, who write, and Ben, who reads."""
    await world.users("anna", "ben", "cora")


def to(message: Any, text: str, sequence: int) -> dict[str, Any]:
    """Return an append of a call."""
    return {"id": message["id"], "text": text, "sequence": sequence}


async def together(world: World, *appends: dict[str, Any]) -> Any:
    """Append to messages of Anna, and return the outcomes."""
    return await world.post(PATH, {"appends": appends}, as_="anna")


async def test_many_messages_grow(world: World) -> None:
    """Each append of a call is made, those to one message in their order."""
    one, other = await begin(world, "One"), await begin(world)
    outcomes = await together(world, to(one, ", a", 1), to(other, "b", 1), to(one, ", c", 2))

    assert outcomes == [
        {"success": True, "data": {"id": one["id"], "sequence": 1, "length": 6}},
        {"success": True, "data": {"id": other["id"], "sequence": 1, "length": 1}},
        {"success": True, "data": {"id": one["id"], "sequence": 2, "length": 9}},
    ]
    assert await shown(world, one) == {"text": "One, a, c", "growing": {"sequence": 2}}
    assert (await finish(world, other))["data"]["text"] == "b"


async def test_a_refused_one_affects_no_other(world: World) -> None:
    """Gaps, messages of others, usual ones and unknown ones are refused each by itself."""
    mine, of_cora, ended = await begin(world), await begin(world, sender="cora"), await begin(world)
    await append(world, mine, "a", 1)
    await append(world, of_cora, "a", 1, sender="cora")
    await finish(world, ended)
    outcomes = await together(
        world,
        to(mine, "gap", 3),
        to(of_cora, "b", 2),
        to(ended, "b", 1),
        to({"id": "999999"}, "b", 1),
        to(mine, "x" * 102_400, 2),
        to(mine, "b", 2),
        to(mine, "a", 1),
    )

    codes = [each["error"]["code"] if "error" in each else None for each in outcomes]
    assert codes == [
        "ERR_SEQUENCE_GAP",
        "ERR_MESSAGE_ID_NOT_FOUND",
        "ERR_MESSAGE_NOT_GROWING",
        "ERR_MESSAGE_ID_NOT_FOUND",
        "ERR_INVALID_MESSAGE_DATA",
        None,
        None,
    ]
    assert outcomes[0]["error"]["details"] == {"sequence": ["2"]}
    assert [each["success"] for each in outcomes] == [False] * 5 + [True] * 2
    assert (await shown(world, mine))["text"] == "ab"


async def test_messages_that_nobody_holds(world: World, node: Node) -> None:
    """Messages that are only on disk are appended to, more than are asked for at a time."""
    messages = [await begin(world) for _ in range(60)]
    await together(world, *(to(each, "a", 1) for each in messages))
    await release_all(node.runtime)
    assert world.app_id not in node.runtime.growing.held
    appends = [to(each, text, at) for each in messages for at, text in ((2, "b"), (3, "c"))]

    outcomes = await together(world, *appends)

    assert {each["success"] for each in outcomes} == {True}
    assert {(await shown(world, each))["text"] for each in messages} == {"abc"}


async def test_a_long_call_is_made_in_parts(world: World) -> None:
    """A call of many appends to one message has all of them, in order."""
    message = await begin(world)
    await append(world, message, "", 1)
    numbers = range(2, 3 * AT_ONCE)
    outcomes = await together(world, *(to(message, f"{number} ", number) for number in numbers))

    assert {each["success"] for each in outcomes} == {True}
    assert (await shown(world, message))["text"] == "".join(f"{number} " for number in numbers)


async def test_each_counts_towards_the_limit(world: World) -> None:
    """A call beyond the appends that a user may make is refused as a whole, and changes nothing."""
    await world.put("/settings", {"settings": {"limits.userAppendsPerMinute": 3}})
    token = await world.token("anna")
    message = await begin(world)
    body = {"appends": [to(message, "a", 1), to(message, "b", 2)]}
    await world.post(PATH, body, token=token)
    body = {"appends": [to(message, "c", 3), to(message, "d", 4)]}
    await world.refused("POST", PATH, body, token=token, status=429, code="ERR_TOO_MANY_REQUESTS")

    assert (await shown(world, message))["text"] == "ab"


@pytest.mark.parametrize(
    ("appends", "field"),
    [
        ([], "appends"),
        ([{"id": "1", "text": "a", "sequence": 1}] * 1_001, "appends"),
        ("a", "appends"),
        ([{"text": "a", "sequence": 1}], "appends.0.id"),
        ([{"id": 1, "text": "a", "sequence": 1}], "appends.0.id"),
        ([{"id": "x", "text": "a", "sequence": 1}], "appends.0.id"),
        ([{"id": "9" * 30, "text": "a", "sequence": 1}], "appends.0.id"),
        ([{"id": "1", "text": 1, "sequence": 1}], "appends.0.text"),
        ([{"id": "1", "text": "a", "sequence": 0}], "appends.0.sequence"),
        ([{"id": "1", "text": "a", "sequence": 1, "durable": True}], "appends.durable"),
    ],
)
async def test_calls_that_are_malformed(world: World, appends: Any, field: str) -> None:
    """A call that is not as it must be is refused as a whole, with the field named."""
    message = await begin(world, "a")
    if isinstance(appends, list) and 0 < len(appends) < 10:
        appends = [*appends, to(message, "b", 1)]
    details = await world.refused(
        "POST", PATH, {"appends": appends}, as_="anna", status=400, code="ERR_BAD_REQUEST"
    )

    assert list(details) == [field]
    assert (await shown(world, message))["text"] == "a"
