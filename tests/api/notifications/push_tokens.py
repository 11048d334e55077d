"""Short ways to register and list push tokens."""

from typing import Any

from tests.world import Json, World

PATH = "/notifications/push/v1/tokens"
NOT_FOUND = "ERR_AUTH_TOKEN_NOT_FOUND"


async def register(world: World, auth_token: str, push_token: str = "f1", **more: Any) -> None:
    """Register an FCM token."""
    body = {"platform": "fcm_android", "fcmToken": push_token, "authToken": auth_token, **more}
    assert await world.post(PATH, body) == {"success": True}


async def listed(world: World, auth_token: str, query: str = "") -> list[Json]:
    """Return the push tokens of an auth token."""
    found: list[Json] = (await world.get(f"{PATH}?authToken={auth_token}{query}"))["pushTokens"]
    return found


async def all_of(world: World, auth_token: str) -> list[str]:
    """Return all push tokens of the user of an auth token."""
    return [each["pushToken"] for each in await listed(world, auth_token, "&all=true")]
