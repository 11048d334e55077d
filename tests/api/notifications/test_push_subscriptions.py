"""Subscriptions to Web Push, as browsers give them."""

import base64
import os
from typing import Any
from urllib.parse import quote

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tests.api.notifications.push_tokens import PATH, listed
from tests.engines import one_engine
from tests.world import Json, Node, World

from hubbub.records.devices.store import list_devices


def url_text(raw: bytes) -> str:
    """Return bytes in base64url without padding."""
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def point() -> bytes:
    """Return a new public key of P-256, as browsers give it."""
    key = ec.generate_private_key(ec.SECP256R1()).public_key()
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def subscription(**changes: Any) -> Json:
    """Return a subscription as `PushSubscription.toJSON()` does."""
    return {
        "endpoint": "https://push.example.com/send/abc?x=1",
        "expirationTime": None,
        "keys": {"p256dh": url_text(point()), "auth": url_text(os.urandom(16))},
        **changes,
    }


async def test_a_subscription_is_registered(world: World, token: str) -> None:
    """A browser's subscription is listed by its endpoint, and removed by it."""
    given = subscription()
    body = {"platform": "web_push", "subscription": given, "authToken": token}
    assert await world.post(PATH, body) == {"success": True}
    (found,) = await listed(world, token)
    assert (found["pushToken"], found["pushTokenType"]) == (given["endpoint"], "chat")
    assert given["keys"]["auth"] not in str(found)

    path = f"{PATH}/{quote(given['endpoint'], safe='')}"
    await world.delete(path, {"authToken": token})
    assert await listed(world, token) == []


async def test_a_subscription_has_one_form(world: World, node: Node, token: str) -> None:
    """Padded keys are the same as those without padding: the device is the same one."""
    given = subscription()
    padded = {name: f"{key}{'=' * (-len(key) % 4)}" for name, key in given["keys"].items()}
    for keys in (padded, given["keys"]):
        body = {"endpoint": given["endpoint"], "keys": keys}
        await world.post(PATH, {"platform": "web_push", "subscription": body, "authToken": token})
        node.clock.advance(1)

    (found,) = await listed(world, token)
    assert found["createdAt"] < found["updatedAt"]
    (device,) = await node.runtime.database.read(
        world.app_id, lambda snapshot: list_devices(snapshot, ["anna"])
    )
    assert "=" not in device.token.removeprefix(f'{{"endpoint":"{given["endpoint"]}"')


NO_POINT = b"\x04" + b"\x01" * 64


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"endpoint": None}, "subscription.endpoint"),
        ({"endpoint": "http://push.example.com/abc"}, "subscription.endpoint"),
        ({"endpoint": "https://127.0.0.1/abc"}, "subscription.endpoint"),
        ({"endpoint": "https://localhost/abc"}, "subscription.endpoint"),
        ({"endpoint": "https://[::1]/abc"}, "subscription.endpoint"),
        ({"endpoint": "https://169.254.169.254/latest"}, "subscription.endpoint"),
        ({"endpoint": "https://me:secret@push.example.com/"}, "subscription.endpoint"),
        ({"endpoint": "javascript:alert(1)"}, "subscription.endpoint"),
        ({"endpoint": "https://push.example.com/ü"}, "subscription.endpoint"),
        ({"endpoint": "https://push.example.com/" + "x" * 4072}, "subscription.endpoint"),
        ({"endpoint": "https://push.example.com/" + "x" * 4000}, "subscription"),
        ({"keys": None}, "subscription.keys"),
        ({"keys": {"p256dh": url_text(NO_POINT)}}, "subscription.keys.p256dh"),
        ({"keys": {"p256dh": url_text(b"\x04" * 64)}}, "subscription.keys.p256dh"),
        ({"keys": {"p256dh": "ä"}}, "subscription.keys.p256dh"),
        ({"keys": {"p256dh": ""}}, "subscription.keys.p256dh"),
        ({"keys": {"auth": url_text(b"x" * 15)}}, "subscription.keys.auth"),
        ({"keys": {"auth": "!" * 22}}, "subscription.keys.auth"),
        ({"keys": {"auth": 5}}, "subscription.keys.auth"),
    ],
)
@one_engine
async def test_an_invalid_subscription(world: World, token: str, change: Json, field: str) -> None:
    """A subscription that could not be sent to is refused with its field."""
    given = subscription()
    if isinstance(change.get("keys"), dict):
        change = {"keys": given["keys"] | change["keys"]}
    given = {name: each for name, each in (given | change).items() if each is not None}
    body = {"platform": "web_push", "subscription": given, "authToken": token}
    details = await world.refused("POST", PATH, body, status=400, code="ERR_BAD_REQUEST")

    assert list(details) == [field]
    assert await listed(world, token) == []
