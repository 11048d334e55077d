"""Web Push providers: their keys are made here, and only the public one is shown."""

import base64
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
)
from tests.api.notifications.push_samples import APNS, FCM, listed
from tests.engines import one_engine
from tests.world import Node, World

from hubbub.domain.notifications.providers.push import list_providers
from hubbub.records.notifications.setups import WebPushSetup

WEB = "/notifications/push/v1/providers/webpush"
SUBJECT = "mailto:chat@example.com"
BAD = "ERR_BAD_REQUEST"


async def test_a_provider_is_added(world: World, node: Node) -> None:
    """The answer has the public half of a new P-256 key, uncompressed, in base64url."""
    added = await world.post(WEB, {"providerId": "web", "subject": SUBJECT})

    assert (added["success"], added["providerId"]) == (True, "web")
    point = base64.urlsafe_b64decode(added["publicKey"] + "=")
    assert (len(point), point[0]) == (65, 4)
    (found,) = await list_providers(node.runtime, world.app_id, WebPushSetup)
    key = load_pem_private_key((found.setup.private_key or "").encode(), None)
    assert isinstance(key, EllipticCurvePrivateKey)
    assert isinstance(key.curve, SECP256R1)
    public = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    assert public == point
    assert found.setup.is_complete


async def test_providers_are_listed(world: World) -> None:
    """The list has the public keys, each another one, and no private key."""
    one = await world.post(WEB, {"providerId": "one", "subject": SUBJECT})
    two = await world.post(WEB, {"subject": "https://example.com/contact"})

    found = await listed(world, WEB)
    assert list(found) == ["one", two["providerId"]]
    assert [each["publicKey"] for each in found.values()] == [one["publicKey"], two["publicKey"]]
    assert one["publicKey"] != two["publicKey"]
    assert found["one"].pop("createdAt") >= 1_800_000_000
    assert found["one"] == {
        "providerId": "one",
        "subject": SUBJECT,
        "publicKey": one["publicKey"],
        "isDefault": True,
    }
    assert "PRIVATE" not in str(found)


async def test_a_provider_is_deleted(world: World) -> None:
    """After the default, the oldest becomes the default; an unknown id is 404."""
    for name in ("a", "b", "c"):
        await world.post(WEB, {"providerId": name, "subject": SUBJECT})
    assert await world.delete(f"{WEB}/a") == {"success": True}

    assert [(id_, it["isDefault"]) for id_, it in (await listed(world, WEB)).items()] == [
        ("b", True),
        ("c", False),
    ]
    missing = "ERR_PROVIDER_NOT_FOUND"
    await world.refused("DELETE", f"{WEB}/a", status=404, code=missing)


async def test_an_id_is_taken_once_in_its_kind(world: World) -> None:
    """The id of another Web Push provider is refused, that of another kind is free."""
    await world.post(FCM, {"providerId": "web"})
    await world.post(APNS, {"providerId": "web"})
    await world.post(WEB, {"providerId": "web", "subject": SUBJECT})

    code = "ERR_PROVIDER_ALREADY_EXISTS"
    body = {"providerId": "web", "subject": SUBJECT}
    await world.refused("POST", WEB, body, status=409, code=code)


@pytest.mark.parametrize(
    "subject",
    [
        None,
        1,
        "",
        "chat@example.com",
        "mailto:",
        "mailto:chat",
        "mailto:chat@example.com?subject=x",
        "http://example.com",
        "https://",
        "https://user@example.com",
        "https://example.com/a b",
        "https://example.com/\n",
        "tel:+14155552671",
        "https://example.com/" + "x" * 255,
    ],
)
@one_engine
async def test_a_subject_that_names_nobody(world: World, subject: Any) -> None:
    """The subject is an e-mail address or an https URL; nothing else is stored."""
    body = {"providerId": "web", "subject": subject}
    details = await world.refused("POST", WEB, body, status=400, code=BAD)

    assert list(details) == ["subject"]
    assert await listed(world, WEB) == {}
