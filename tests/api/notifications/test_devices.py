"""The devices of users: how long they last, and how they are found and removed."""

import asyncio

import pytest
from tests.api.notifications.push_tokens import NOT_FOUND, PATH, all_of, listed, register
from tests.world import Node, World

from hubbub.outbox import lock_counters
from hubbub.records.devices.store import delete_unchanged_devices, list_devices
from hubbub.records.tokens.store import delete_tokens
from hubbub.storage.interface import Transaction


@pytest.mark.parametrize("way", ["delete", "flush", "limit", "deactivate", "soft", "permanent"])
async def test_a_push_token_ends_with_the_log_in(world: World, token: str, way: str) -> None:
    """Push tokens end with their auth token, and when the user is deactivated or deleted."""
    await register(world, token)
    second, bens = await world.token("anna"), await world.token("ben")
    await register(world, second, "f2")
    await register(world, bens, "f3")
    left = ["f2"] if way in {"delete", "limit"} else []
    if way == "delete":
        await world.delete(f"/users/anna/auth_tokens/{token}")
    elif way == "flush":
        await world.delete("/users/anna/auth_tokens")
    elif way == "limit":
        await world.put("/settings", {"settings": {"limits.authTokensPerUser": 3}})
        await world.token("anna")
    elif way == "deactivate":
        await world.delete("/users", {"uidsToDeactivate": ["anna"]})
        await world.refused("GET", f"{PATH}?authToken={token}", status=404, code=NOT_FOUND)
        await world.put("/users", {"uidsToActivate": ["anna"]})
    else:
        await world.delete("/users/anna", {"permanent": way == "permanent"})
        await world.delete("/users/anna", {"permanent": True}) if way == "soft" else None
        await world.user("anna")

    assert await all_of(world, await world.token("anna")) == left
    assert await all_of(world, bens) == ["f3"]


async def test_the_oldest_of_too_many_is_dropped(world: World, token: str) -> None:
    """A user has at most 100 push tokens; one that was registered again is not the oldest."""
    voip = {"platform": "apns_ios_voip"}
    tokens = [token, *[await world.token("anna") for _ in range(50)]]
    for number, auth_token in enumerate(tokens):
        await register(world, auth_token, f"f{number}")
        if number == 48:
            await register(world, token, "f0")
        if number != 50:
            await world.post(PATH, voip | {"authToken": auth_token, "voipToken": f"v{number}"})

    found = await all_of(world, token)
    assert len(found) == 100
    assert found[:3] == ["f50", "v49", "f49"]
    assert "v0" not in found
    assert {"f0", "f1", "v1"} <= set(found)


async def test_registrations_at_the_same_time(world: World, token: str) -> None:
    """Of several registrations at once, with one auth token or of one push token, one is left."""
    others = [await world.token("ben") for _ in range(6)]
    await asyncio.gather(*(register(world, token, f"f{number}") for number in range(6)))
    assert len(await all_of(world, token)) == 1
    await asyncio.gather(*(register(world, each, "same") for each in (token, *others)))

    assert len(await all_of(world, token)) + len(await all_of(world, others[0])) == 1


async def test_devices_are_found_for_many_users(world: World, node: Node, token: str) -> None:
    """The devices of many users are found at once."""
    await register(world, token, "f1", providerId="mine")
    await register(world, await world.token("ben"), "f2")
    database, uids = node.runtime.database, [f"user-{number}" for number in range(3_000)]

    async def find() -> list[tuple[str, str, str, str | None]]:
        found = await database.read(
            world.app_id, lambda snapshot: list_devices(snapshot, [*uids, "anna", "ben"])
        )
        return [(each.uid, each.platform, each.token, each.provider_id) for each in found]

    assert await find() == [
        ("anna", "fcm_android", "f1", "mine"),
        ("ben", "fcm_android", "f2", None),
    ]


async def test_dead_devices_are_removed(world: World, node: Node, token: str) -> None:
    """Dead devices are removed, except those that were registered again in the meantime."""
    second, third = await world.token("anna"), await world.token("anna")
    for number, auth_token in enumerate((token, second, third)):
        await register(world, auth_token, f"f{number}")
    database = node.runtime.database
    dead = await database.read(
        world.app_id, lambda snapshot: list_devices(snapshot, ["anna", "ben"])
    )
    node.clock.advance(1)
    await register(world, second, "f1")
    bens = await world.token("ben")
    await register(world, bens, "f2")
    await database.write(world.app_id, lambda tx: delete_unchanged_devices(tx, dead))

    assert await all_of(world, token) == ["f1"]
    assert await all_of(world, bens) == ["f2"]


async def test_auth_tokens_are_not_stored_in_clear(world: World, node: Node, token: str) -> None:
    """The table of devices has the keyed hash of an auth token, not the token."""
    await register(world, token)
    (device,) = await node.runtime.database.read(
        world.app_id, lambda snapshot: list_devices(snapshot, ["anna"])
    )

    assert token not in str(device)
    assert device.auth_hash == node.runtime.sealer.hash(token)


async def test_push_tokens_stay_in_their_app(world: World, node: Node, token: str) -> None:
    """Another app may have the same push token, and does not know the auth tokens of this one."""
    other = await node.world()
    await other.user("anna")
    await register(world, token)
    theirs = await other.token("anna")
    await register(other, theirs)
    await other.refused("GET", f"{PATH}?authToken={token}", status=404, code=NOT_FOUND)
    await other.delete(PATH, {"authToken": theirs})

    assert await all_of(world, token) == ["f1"]


async def test_registrations_while_users_log_out(world: World, node: Node, token: str) -> None:
    """However a registration and a log-out at the same time are ordered, no device is left."""
    tokens = [token, *[await world.token("anna") for _ in range(9)]]
    calls = []
    for number, each in enumerate(tokens):
        body = {"platform": "fcm_ios", "fcmToken": f"f{number}", "authToken": each}
        calls += [
            world.ask("POST", PATH, body),
            world.ask("DELETE", f"/users/anna/auth_tokens/{each}"),
        ]
    answers = await asyncio.gather(*calls)

    assert {answer.status for answer in answers[::2]} <= {200, 404}
    assert {answer.status for answer in answers[1::2]} == {200}
    left = await node.runtime.database.read(
        world.app_id, lambda snapshot: list_devices(snapshot, ["anna"])
    )
    assert left == []


async def test_a_device_without_its_auth_token(world: World, node: Node, token: str) -> None:
    """A device whose auth token is gone, as after an upgrade, is listed, and can be removed."""
    second = await world.token("anna")
    await register(world, second)
    revoked = node.runtime.sealer.hash(second)
    await node.runtime.database.write(world.app_id, lambda tx: revoke_alone(tx, revoked))
    (found,) = await listed(world, token, "&all=true")
    assert found["authToken"] == ""

    await world.delete(f"{PATH}?all=true", {"authToken": token})
    assert await all_of(world, token) == []


async def revoke_alone(tx: Transaction, auth_hash: str) -> None:
    """Revoke an auth token as a version did that knew no devices."""
    await lock_counters(tx)
    await delete_tokens(tx, [auth_hash])
