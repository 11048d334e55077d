"""Conversations with somebody who was deactivated, or deleted softly, as the other one has them."""

import pytest
from tests.api.messages.talk import say, to_user
from tests.world import Json, World

NOBODY = "ERR_UID_NOT_FOUND"


async def deactivate(world: World) -> None:
    """Dora is deactivated."""
    await world.delete("/users", {"uidsToDeactivate": ["dora"]})


async def delete_softly(world: World) -> None:
    """Dora is deleted, softly."""
    await world.delete("/users/dora")


@pytest.fixture(params=[deactivate, delete_softly], ids=lambda way: str(way.__name__))
async def left_by_dora(request: pytest.FixtureRequest, world: World) -> World:
    """Anna and Dora have talked, Anna has pinned it and reacted; then Dora was no longer there."""
    await world.users("anna", "dora")
    said = await say(world, "dora", to_user("anna", "Hello"))
    await world.post("/users/dora/conversation/pin", as_="anna")
    await world.post(f"/messages/{said['id']}/reactions/:)", as_="anna")
    await request.param(world)
    return world


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/users/dora/conversation", None),
        ("PUT", "/users/dora/conversation", {"tags": ["old"]}),
        ("POST", "/users/dora/conversation/pin", None),
        ("POST", "/users/dora/conversation/delivered", None),
        ("POST", "/users/dora/conversation/read", None),
        ("DELETE", "/users/dora/conversation/read", None),
        ("POST", "/messages/{id}/reactions/yes", None),
    ],
)
async def test_a_conversation_with_somebody_who_is_not_there(
    left_by_dora: World, method: str, path: str, body: Json | None
) -> None:
    """Who is deactivated or deleted softly is answered as unknown; the list shows it as before."""
    (row,) = await left_by_dora.get("/conversations", as_="anna")
    filled = path.format(id=row["lastMessage"]["id"])
    await left_by_dora.refused(method, filled, body, as_="anna", status=404, code=NOBODY)

    assert await left_by_dora.get("/conversations", as_="anna") == [row]


async def test_what_is_left_of_a_conversation_is_taken_away(left_by_dora: World) -> None:
    """A reaction, a pin and the conversation itself may go, be the other not there any more."""
    (row,) = await left_by_dora.get("/conversations", as_="anna")
    said = row["lastMessage"]["id"]
    await left_by_dora.delete(f"/messages/{said}/reactions/:)", as_="anna")
    assert await left_by_dora.get(f"/messages/{said}/reactions", as_="anna") == []
    await left_by_dora.delete("/users/dora/conversation/pin", as_="anna")
    (row,) = await left_by_dora.get("/conversations", as_="anna")
    assert "pinnedAt" not in row
    await left_by_dora.delete("/users/dora/conversation", as_="anna")
    assert await left_by_dora.get("/conversations", as_="anna") == []


async def test_a_conversation_goes_on_with_who_is_back(world: World) -> None:
    """Once somebody is brought back, all is as it was, with what is unread."""
    await world.users("anna", "dora")
    await say(world, "dora", to_user("anna", "Hello"))
    before = await world.get("/users/dora/conversation", as_="anna")
    await deactivate(world)
    await world.put("/users", {"uidsToActivate": ["dora"]})

    assert await world.get("/users/dora/conversation", as_="anna") == before
    await world.post("/users/dora/conversation/read", as_="anna")
    after = await world.get("/users/dora/conversation", as_="anna")
    assert (before["unreadMessageCount"], after["unreadMessageCount"]) == ("1", "0")
