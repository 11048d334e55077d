"""Conversations with a deactivated or softly deleted user, as the other user sees them."""

import pytest
from tests.api.messages.talk import say, to_user
from tests.world import Json, World

NOBODY = "ERR_UID_NOT_FOUND"


async def deactivate(world: World) -> None:
    """Deactivate Dora."""
    await world.delete("/users", {"uidsToDeactivate": ["dora"]})


async def delete_softly(world: World) -> None:
    """Delete Dora softly."""
    await world.delete("/users/dora")


@pytest.fixture(params=[deactivate, delete_softly], ids=lambda way: str(way.__name__))
async def left_by_dora(request: pytest.FixtureRequest, world: World) -> World:
    """Anna and Dora have talked, Anna has pinned and reacted; then Dora was removed."""
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
async def test_a_conversation_with_a_removed_user(
    left_by_dora: World, method: str, path: str, body: Json | None
) -> None:
    """A deactivated or softly deleted user is unknown; the conversation is listed as before."""
    (row,) = await left_by_dora.get("/conversations", as_="anna")
    filled = path.format(id=row["lastMessage"]["id"])
    await left_by_dora.refused(method, filled, body, as_="anna", status=404, code=NOBODY)

    assert await left_by_dora.get("/conversations", as_="anna") == [row]


async def test_a_conversation_with_a_removed_user_is_cleared(left_by_dora: World) -> None:
    """Reactions, pins and the conversation itself can be removed without the other user."""
    (row,) = await left_by_dora.get("/conversations", as_="anna")
    said = row["lastMessage"]["id"]
    await left_by_dora.delete(f"/messages/{said}/reactions/:)", as_="anna")
    assert await left_by_dora.get(f"/messages/{said}/reactions", as_="anna") == []
    await left_by_dora.delete("/users/dora/conversation/pin", as_="anna")
    (row,) = await left_by_dora.get("/conversations", as_="anna")
    assert "pinnedAt" not in row
    await left_by_dora.delete("/users/dora/conversation", as_="anna")
    assert await left_by_dora.get("/conversations", as_="anna") == []


async def test_a_conversation_with_a_reactivated_user(world: World) -> None:
    """Once the user is reactivated, everything is as before, including unread counts."""
    await world.users("anna", "dora")
    await say(world, "dora", to_user("anna", "Hello"))
    before = await world.get("/users/dora/conversation", as_="anna")
    await deactivate(world)
    await world.put("/users", {"uidsToActivate": ["dora"]})

    assert await world.get("/users/dora/conversation", as_="anna") == before
    await world.post("/users/dora/conversation/read", as_="anna")
    after = await world.get("/users/dora/conversation", as_="anna")
    assert (before["unreadMessageCount"], after["unreadMessageCount"]) == ("1", "0")
