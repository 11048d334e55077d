"""Users: create, find, list, change, deactivate, delete."""

from tests.world import World


async def test_a_user_is_created(world: World) -> None:
    """A new user is offline, has the default role, and only the fields that were given."""
    anna = await world.post("/users", {"uid": "Anna", "name": "Anna Keller"})

    created_at = anna.pop("createdAt")
    assert len(str(created_at)) == 10
    assert anna == {"uid": "anna", "name": "Anna Keller", "status": "offline", "role": "default"}


async def test_an_app_is_sealed(world: World) -> None:
    """What is in one app is not seen from another."""
    await world.user("anna")

    assert await world.uids("/users") == ["anna"]
