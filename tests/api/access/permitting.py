"""The addresses of permissions, and ways to set and read them."""

import pytest
from tests.world import Json, Node, World

BAD = "ERR_BAD_REQUEST"
ROLE = "/roles/default/permissions"
SCOPE = "/groups/hikers/scopes/participant/permissions"
SCOPES = ["admin", "moderator", "participant"]
both = pytest.mark.parametrize("path", [ROLE, SCOPE])


async def put(world: World, path: str, permissions: Json) -> Json:
    """Set permissions."""
    answer: Json = await world.put(path, {"permissions": permissions})
    return answer


async def are_set(world: World, path: str) -> Json:
    """Return all permissions that are set."""
    permissions: Json = (await put(world, path, {}))["permissions"]
    return permissions


async def with_hikers(node: Node) -> World:
    """Return a new app with the group `hikers`."""
    world = await node.world()
    await world.post("/groups", {"guid": "hikers", "name": "Hikers", "type": "public"})
    return world
