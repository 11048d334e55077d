"""How messages that grow end: finished, in silence, deleted, or with the right to send."""

import pytest
from tests.api.growing.stream import append, begin, finish, shown
from tests.world import Node, World

from hubbub.domain.growing.finish import end_silent
from hubbub.domain.growing.keep import store_all
from hubbub.domain.search.reindex import index_all


@pytest.fixture(autouse=True)
async def people(world: World) -> None:
    """Create Anna, who writes, and Ben, who reads."""
    await world.users("anna", "ben", "cora")


async def test_finished(world: World) -> None:
    """A finished message has its whole text, how it ended, and no sign of growing."""
    message = await begin(world, "One")
    await append(world, message, ", two", 1)
    ended = await finish(world, message)

    assert ended["data"]["text"] == "One, two"
    assert ended["data"]["grown"] == {"status": "done", "appends": 1}
    assert await shown(world, message) == {
        "text": "One, two",
        "grown": {"status": "done", "appends": 1},
    }


async def test_finished_with_other_data(world: World) -> None:
    """A text that is given at the end replaces what was appended; other properties are added."""
    message = await begin(world, data={"text": "a", "metadata": {"kept": 1}})
    await append(world, message, "b", 1)
    ended = await finish(
        world, message, data={"text": "<@uid:ben>: c", "source": "x"}, status="failed"
    )

    assert ended["data"]["text"] == "<@uid:ben>: c"
    assert ended["data"]["metadata"] == {"kept": 1}
    assert ended["data"]["source"] == "x"
    assert ended["data"]["grown"] == {"status": "failed", "appends": 1}
    assert set(ended["data"]["mentions"]) == {"ben"}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ("text", "ERR_INVALID_MESSAGE_DATA"),
        ({"text": 1}, "ERR_INVALID_MESSAGE_TEXT"),
        ({"text": None}, "ERR_INVALID_MESSAGE_TEXT"),
        ({"metadata": 1}, "ERR_INVALID_METADATA"),
        ({"more": "x" * 11_000}, "ERR_INVALID_MESSAGE_DATA"),
        ({"text": "x" * 102_401}, "ERR_INVALID_MESSAGE_DATA"),
    ],
)
async def test_an_end_that_is_refused(world: World, data: object, code: str) -> None:
    """After an end that is refused the message goes on growing."""
    message = await begin(world, "a")
    await world.refused(
        "POST",
        f"/messages/{message['id']}/finish",
        {"data": data},
        as_="anna",
        status=400,
        code=code,
    )
    await append(world, message, "b", 1)

    assert await shown(world, message) == {"text": "ab", "growing": {"sequence": 1}}


async def test_edits(world: World) -> None:
    """While it grows a message is not edited; afterwards it is, and still says how it has grown."""
    message = await begin(world, "a")
    await append(world, message, "b" * 20_000, 1)
    path, edit = f"/messages/{message['id']}", {"data": {"metadata": {"edited": 1}}}
    await world.refused("PUT", path, edit, as_="anna", status=409, code="ERR_MESSAGE_GROWING")
    await finish(world, message)
    await world.put(path, edit, as_="anna")

    data = await shown(world, message)
    assert data["metadata"] == {"edited": 1}
    assert data["grown"] == {"status": "done", "appends": 1}
    assert len(data["text"]) == 20_001

    await world.put(path, {"data": {"text": "short"}}, as_="anna")
    assert (await shown(world, message))["text"] == "short"
    await world.refused(
        "PUT",
        path,
        {"data": {"text": "x" * 10_241}},
        as_="anna",
        status=400,
        code="ERR_INVALID_MESSAGE_DATA",
    )
    await world.refused(
        "PUT", path, {"data": {"text": ""}}, as_="anna", status=400, code="ERR_EMPTY_MESSAGE_TEXT"
    )


async def test_silence(world: World, node: Node) -> None:
    """A message to which nobody appends for a minute ends as failed, with its text so far."""
    message = await begin(world, "a")
    await append(world, message, "b", 1)
    await store_all(node.runtime)
    node.clock.advance(59)
    await end_silent(node.runtime)
    assert "growing" in await shown(world, message)
    node.clock.advance(2)
    await end_silent(node.runtime)

    assert await shown(world, message) == {
        "text": "ab",
        "grown": {"status": "failed", "appends": 1},
    }
    await world.refused(
        "POST",
        f"/messages/{message['id']}/append",
        {"text": "c", "sequence": 2},
        as_="anna",
        status=409,
        code="ERR_MESSAGE_NOT_GROWING",
    )


async def test_the_silence_is_a_setting(world: World, node: Node) -> None:
    """An app decides how long a message may be silent; an empty append is no silence."""
    await world.put("/settings", {"settings": {"limits.growingSilence": 5}})
    message, other = await begin(world), await begin(world)
    node.clock.advance(4)
    await append(world, message, "", 1, durable=True)
    node.clock.advance(4)
    await end_silent(node.runtime)

    assert "growing" in await shown(world, message)
    assert (await shown(world, other))["grown"] == {"status": "failed", "appends": 0}
    for wrong in (0, -1, True):
        await world.refused(
            "PUT",
            "/settings",
            {"settings": {"limits.growingSilence": wrong}},
            status=400,
            code="ERR_BAD_REQUEST",
        )


@pytest.mark.parametrize("permanent", [False, True])
async def test_deleted(world: World, *, permanent: bool) -> None:
    """A message that is deleted grows no more; the app still sees the text, if it was kept."""
    message = await begin(world, "a")
    await append(world, message, "b", 1, durable=True)
    await world.delete(f"/messages/{message['id']}", {"permanent": permanent}, as_="anna")

    code = "ERR_MESSAGE_ID_NOT_FOUND" if permanent else "ERR_MESSAGE_NOT_GROWING"
    for call, body in (("append", {"text": "c", "sequence": 2}), ("finish", {}), ("stop", None)):
        await world.refused(
            "POST",
            f"/messages/{message['id']}/{call}",
            body,
            as_="anna",
            status=404 if permanent else 409,
            code=code,
        )
    if not permanent:
        assert await shown(world, message) == {}
        of_app = (await world.get(f"/messages/{message['id']}"))["data"]
        assert of_app["text"] == "ab"
        assert of_app["grown"] == {"status": "failed", "appends": 1}


async def test_a_sender_who_was_blocked(world: World, node: Node) -> None:
    """A message to somebody who blocks its sender ends as failed with the next write."""
    message = await begin(world, "a")
    await append(world, message, "b", 1, durable=True)
    await world.post("/users/ben/blockedusers", {"blockedUids": ["anna"]})
    await append(world, message, "c", 2)
    await store_all(node.runtime)

    assert (await shown(world, message))["grown"] == {"status": "failed", "appends": 1}
    await world.refused(
        "POST",
        f"/messages/{message['id']}/append",
        {"text": "d", "sequence": 3},
        as_="anna",
        status=409,
        code="ERR_MESSAGE_NOT_GROWING",
    )


async def test_an_end_by_a_sender_who_was_blocked(world: World) -> None:
    """Who was blocked can't end a message with another text."""
    message = await begin(world, "a")
    await world.post("/users/ben/blockedusers", {"blockedUids": ["anna"]})
    answer = await world.ask(
        "POST", f"/messages/{message['id']}/finish", {"data": {"text": "b"}}, as_="anna"
    )

    assert answer.status == 403, answer
    assert (await shown(world, message, reader="anna"))["text"] == "a"


async def test_a_member_who_was_kicked(world: World, node: Node) -> None:
    """The message of a member who was kicked ends as failed, without what they appended then."""
    await world.post("/groups", {"guid": "team", "name": "Team", "type": "public", "owner": "ben"})
    await world.post("/groups/team/members", {"participants": ["anna"]})
    message = await begin(world, "a", receiver="team", receiverType="group")
    await append(world, message, "b", 1)
    await store_all(node.runtime)
    await world.delete("/groups/team/members/anna")
    await append(world, message, "c", 2)
    await store_all(node.runtime)

    data = await shown(world, message)
    assert (data["text"], data["grown"]) == ("ab", {"status": "failed", "appends": 1})


async def test_a_deleted_sender(world: World, node: Node) -> None:
    """The message of a user who was deleted for ever is gone, and nothing is left to grow."""
    message = await begin(world, "a")
    await append(world, message, "b", 1)
    await world.delete("/users/anna", {"permanent": True})
    await store_all(node.runtime)
    node.clock.advance(61)
    await end_silent(node.runtime)

    await world.refused(
        "GET", f"/messages/{message['id']}", status=404, code="ERR_MESSAGE_ID_NOT_FOUND"
    )


async def test_search_finds_it_once(world: World, node: Node) -> None:
    """A search finds a message that has grown, by its whole text, once."""
    message = await begin(world, "A heron")
    await index_all(node.runtime)
    await append(world, message, " and a kingfisher", 1)
    await finish(world, message)
    await index_all(node.runtime)

    for word in ("heron", "kingfisher"):
        found = await world.get(f"/messages?searchKey={word}", as_="ben")
        assert [each["id"] for each in found] == [message["id"]], word


async def test_the_end_comes_once(world: World) -> None:
    """A message ends once: with an idempotency key the end is answered again, without it not."""
    message = await begin(world, "a")
    await append(world, message, "b", 1)
    path, headers = f"/messages/{message['id']}/finish", {"Idempotency-Key": "k"}
    first = await world.post(path, {}, as_="anna", headers=headers)
    again = await world.post(path, {}, as_="anna", headers=headers)

    assert first == again
    await world.refused("POST", path, {}, as_="anna", status=409, code="ERR_MESSAGE_NOT_GROWING")


async def test_appends_with_idempotency_keys(world: World) -> None:
    """An append may have an idempotency key, as every call, and so may the beginning."""
    body = {"receiver": "ben", "receiverType": "user", "growing": True}
    headers = {"Idempotency-Key": "1"}
    message = await world.post("/messages", body, as_="anna", headers=headers)
    assert message == await world.post("/messages", body, as_="anna", headers=headers)
    for durable in (False, True):
        given = {"text": "a", "sequence": 1 + durable, "durable": durable}
        headers = {"Idempotency-Key": f"append {durable}"}
        path = f"/messages/{message['id']}/append"
        first = await world.post(path, given, as_="anna", headers=headers)
        assert first == await world.post(path, given, as_="anna", headers=headers)

    assert (await shown(world, message))["text"] == "aa"
