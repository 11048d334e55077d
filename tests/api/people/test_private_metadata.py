"""`metadata.@private`: for the app and the user in question."""

import pytest
from tests.wire import Asked
from tests.world import Node, World

PRIVATE = {"@private": {"email": "anna@example.org"}, "team": "red"}


async def test_private_metadata_is_hidden_from_others(world: World) -> None:
    """Other users see the rest of a user's metadata, in a look-up and in a list."""
    await world.user("anna", metadata=PRIVATE)
    token = await world.token("ben") if await world.user("ben") else ""

    seen = await world.get("/users/anna", token=token)
    (listed,) = [user for user in await world.get("/users", token=token) if user["uid"] == "anna"]

    assert seen["metadata"] == listed["metadata"] == {"team": "red"}


@pytest.mark.parametrize("viewer", ["anna", None])
async def test_private_metadata_is_shown_to_its_owner_and_the_app(
    world: World, viewer: str | None
) -> None:
    """The user and the app's server see all of it."""
    await world.user("anna", metadata=PRIVATE)

    assert (await world.get("/users/anna", as_=viewer))["metadata"] == PRIVATE


async def test_health_is_asked_in_the_clear(node: Node) -> None:
    """A load balancer on another machine may request health over plain HTTP."""
    answer = await node.sender.send(Asked("GET", "/health/live", client="203.0.113.9"))

    assert answer.status == 200
