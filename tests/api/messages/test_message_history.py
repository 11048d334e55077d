"""What a message was before it was edited: who sees it, and how long it is kept."""

import pytest
from tests.api.messages.talk import say, to_group, to_user
from tests.api.people.erasing import rows_of
from tests.clock import ManualClock
from tests.world import Node, World

from hubbub.domain.erasure.erase import erase_all

VERSIONS = ["message_versions"]
REFUSED = "ERR_MESSAGE_HISTORY_NOT_ACCESSIBLE"
NOT_FOUND = "ERR_MESSAGE_ID_NOT_FOUND"


@pytest.fixture
async def hikers(world: World) -> World:
    """Anna owns a group, Ben moderates it, and Cora, who has sent message 1, takes part."""
    await world.users("anna", "ben", "cora", "dan")
    hikers = {"guid": "hikers", "name": "Hikers", "type": "public", "owner": "anna"}
    members = {"moderators": ["ben"], "participants": ["cora"]}
    await world.post("/groups", {**hikers, "members": members})
    return world


async def edited(world: World, *texts: str, by: str = "cora") -> str:
    """Send a message to the group with the first text, edit it with the others; return its id."""
    first, *others = texts
    id_: str = (await say(world, by, to_group("hikers", first)))["id"]
    for text in others:
        await world.put(f"/messages/{id_}", {"data": {"text": text}}, as_=by)
    return id_


async def history(world: World, id_: str, **how: str) -> list[str]:
    """Return the former texts of a message."""
    versions = await world.get(f"/messages/{id_}/history", **how)  # type: ignore[arg-type]  # as_
    return [each["data"]["text"] for each in versions]


async def test_each_edit_keeps_what_was_before(hikers: World, clock: ManualClock) -> None:
    """A history has what the message was before each edit, newest first, with who and when."""
    sent_at = clock.now()
    id_ = (await say(hikers, "cora", to_group("hikers", "one", tags=["a"])))["id"]
    clock.advance(10)
    await hikers.put(f"/messages/{id_}", {"data": {"text": "two"}, "tags": []}, as_="cora")
    clock.advance(10)
    await hikers.put(f"/messages/{id_}", {"data": {"text": "three"}}, as_="ben")
    await hikers.put(f"/messages/{id_}", {"tags": ["b"]}, as_="anna")

    assert await hikers.get(f"/messages/{id_}/history") == [
        {"data": {"text": "three"}, "writtenBy": "ben", "writtenAt": sent_at + 20},
        {"data": {"text": "two"}, "writtenBy": "cora", "writtenAt": sent_at + 10},
        {"data": {"text": "one"}, "tags": ["a"], "writtenBy": "cora", "writtenAt": sent_at},
    ]
    assert hikers.answer.meta["pagination"]["total"] == 3
    second = await hikers.get(f"/messages/{id_}/history?perPage=1&page=2")
    assert [each["data"]["text"] for each in second] == ["two"]


async def test_a_message_that_was_not_edited(hikers: World, node: Node) -> None:
    """A message that was not edited, or whose edit was refused, has no history and no row."""
    id_ = await edited(hikers, "one")
    await hikers.refused(
        "PUT",
        f"/messages/{id_}",
        {"data": {"text": ""}},
        as_="cora",
        status=400,
        code="ERR_EMPTY_MESSAGE_TEXT",
    )

    assert await history(hikers, id_) == []
    assert (await rows_of(node, hikers, VERSIONS))["message_versions"] == []


async def test_who_sees_a_history(hikers: World) -> None:
    """The app and moderators see it; participants once the app's setting allows it."""
    id_ = await edited(hikers, "one", "two")
    path = f"/messages/{id_}/history"
    for how in ({}, {"as_": "anna"}, {"as_": "ben"}, {"token": await hikers.token("ben")}):
        assert await history(hikers, id_, **how) == ["one"]
    await hikers.refused("GET", path, as_="cora", status=403, code=REFUSED)
    await hikers.refused("GET", path, as_="dan", status=404, code=NOT_FOUND)
    await hikers.put("/settings", {"settings": {"messages.historyForParticipants": True}})

    assert await history(hikers, id_, as_="cora") == ["one"]
    await hikers.refused("GET", path, as_="dan", status=404, code=NOT_FOUND)


async def test_a_history_between_two(hikers: World) -> None:
    """Between two users nobody moderates: only the setting shows them what was."""
    id_ = (await say(hikers, "cora", to_user("dan", "one")))["id"]
    await hikers.put(f"/messages/{id_}", {"data": {"text": "two"}}, as_="cora")
    path = f"/messages/{id_}/history"
    assert await history(hikers, id_) == ["one"]
    for uid in ("cora", "dan"):
        await hikers.refused("GET", path, as_=uid, status=403, code=REFUSED)
    await hikers.put("/settings", {"settings": {"messages.historyForParticipants": True}})

    assert await history(hikers, id_, as_="dan") == ["one"]
    await hikers.refused("GET", path, as_="ben", status=404, code=NOT_FOUND)


@pytest.mark.parametrize("is_shown", [True, False])
async def test_the_history_of_a_deleted_message(hikers: World, *, is_shown: bool) -> None:
    """As the content of a deleted message, its history is shown to the app alone."""
    await hikers.put("/settings", {"settings": {"messages.historyForParticipants": is_shown}})
    id_ = await edited(hikers, "one", "two")
    await hikers.delete(f"/messages/{id_}", as_="cora")

    assert await history(hikers, id_) == ["one"]
    for uid in ("ben", "cora"):
        answer = await hikers.ask("GET", f"/messages/{id_}/history", as_=uid)
        assert answer.status in {403, 404}


@pytest.mark.parametrize("way", ["message", "sender", "group"])
async def test_a_history_is_erased_with_its_message(hikers: World, node: Node, way: str) -> None:
    """Whatever erases a message erases what it was; other messages keep their history."""
    id_ = await edited(hikers, "one", "two", "three")
    other = (await say(hikers, "dan", to_user("ben", "stays")))["id"]
    await hikers.put(f"/messages/{other}", {"data": {"text": "stayed"}}, as_="dan")
    if way == "message":
        await hikers.delete(f"/messages/{id_}", {"permanent": True})
    elif way == "sender":
        await hikers.delete("/users/cora", {"permanent": True})
    else:
        await hikers.delete("/groups/hikers")
    await erase_all(node.runtime)

    rows = (await rows_of(node, hikers, VERSIONS))["message_versions"]
    assert "one" not in str(rows)
    assert "two" not in str(rows)
    assert await history(hikers, other) == ["stays"]


async def test_an_erased_editor_is_forgotten(hikers: World, node: Node) -> None:
    """Of an editor who is erased, the versions of others' messages name the app in their place."""
    id_ = await edited(hikers, "one")
    for text in ("two", "three"):
        await hikers.put(f"/messages/{id_}", {"data": {"text": text}}, as_="ben")
    await hikers.delete("/users/ben", {"permanent": True})
    await erase_all(node.runtime)

    versions = await hikers.get(f"/messages/{id_}/history")
    assert [each["writtenBy"] for each in versions] == ["app_system", "cora"]
