"""Samples of push providers, and short ways to look at stored ones."""

from typing import Any

import pytest
from tests import pem
from tests.world import Json, World

FCM = "/notifications/push/v1/providers/fcm"
APNS = "/notifications/push/v1/providers/apns"
EACH = pytest.mark.parametrize("path", [FCM, APNS], ids=["fcm", "apns"])
KEY_ID = "8f14e45fceea167a5a36dedd4bea2543"


def account(**changes: Any) -> Json:
    """Return the complete credentials of an FCM provider."""
    return {
        "project_id": "chat-1234",
        "client_email": "push@chat-1234.iam.gserviceaccount.com",
        "private_key": pem.rsa_key(),
        "private_key_id": KEY_ID,
        **changes,
    }


def apple(**changes: Any) -> Json:
    """Return all fields that an APNs provider needs."""
    return {
        "keyId": "ABC123DEFG",
        "teamId": "TEAM456789",
        "bundleId": "com.example.chat",
        "p8Key": pem.p256_key(),
        **changes,
    }


def complete(path: str) -> Json:
    """Return a body with complete credentials."""
    return {"serviceAccountCreds": account()} if path == FCM else apple()


async def listed(world: World, path: str) -> dict[str, Json]:
    """Return the providers by id, in the order of the list."""
    found = (await world.get(path))["pushProviders"]
    return {provider["providerId"]: provider for provider in found}


async def default_of(world: World, path: str) -> list[str]:
    """Return the ids of the default providers: one or none."""
    return [id_ for id_, provider in (await listed(world, path)).items() if provider["isDefault"]]
