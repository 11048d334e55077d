"""Credentials of push providers: validation, and that no secret is revealed."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import asdict
from tests import pem
from tests.api.notifications.push_samples import (
    APNS,
    FCM,
    KEY_ID,
    account,
    apple,
    default_of,
    listed,
)
from tests.engines import one_engine
from tests.world import Json, Node, World

from hubbub.domain.notifications.providers import check_setups
from hubbub.domain.notifications.providers.push import list_providers
from hubbub.kernel.sealing import NotOurSecret
from hubbub.records.notifications.setups import ApnsSetup, FcmSetup
from hubbub.storage.queries import Query

NO_KEY = "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n"


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("project_id", ""),
        ("project_id", "chat 1234"),
        ("project_id", "chat-1234\n"),
        ("project_id", "x" * 256),
        ("project_id", 1234),
        ("client_email", ""),
        ("client_email", "push"),
        ("client_email", "push@localhost"),
        ("client_email", " push@example.com"),
        ("client_email", "push@" + "long." * 50 + "example.com"),
        ("private_key_id", ""),
        ("private_key_id", "two words"),
        ("private_key_id", "x" * 256),
        ("private_key", ""),
        ("private_key", "<PRIVATE_KEY>"),
        ("private_key", "x" * 16_385),
        ("private_key", NO_KEY),
        ("private_key", "\u0000"),
        ("private_key", {}),
    ],
)
@one_engine
async def test_credentials_that_cannot_be_used(
    world: World, method: str, field: str, text: Any
) -> None:
    """Unusable credentials are refused and named, and nothing is stored."""
    await world.post(FCM, {"providerId": "google"})
    before = await listed(world, FCM)
    id_ = "google" if method == "PUT" else "other"
    body = {"providerId": id_, "serviceAccountCreds": account(**{field: text})}
    details = await world.refused(method, FCM, body, status=400, code="ERR_BAD_REQUEST")

    assert list(details) == [f"serviceAccountCreds.{field}"]
    assert await listed(world, FCM) == before


@pytest.mark.parametrize(
    "make", [pem.p256_key, pem.rsa_key_with_password, pem.broken_rsa_key, pem.one_line_rsa_key]
)
async def test_keys_that_sign_nothing_for_google(world: World, make: Callable[[], str]) -> None:
    """A private key that is not RSA, encrypted, broken or on one line is refused."""
    body = {"serviceAccountCreds": {"private_key": make()}}
    details = await world.refused("POST", FCM, body, status=400, code="ERR_BAD_REQUEST")

    assert list(details) == ["serviceAccountCreds.private_key"]
    assert "PEM" in details["serviceAccountCreds.private_key"][0]
    assert await listed(world, FCM) == {}


async def test_the_older_form_of_a_key_is_taken(world: World) -> None:
    """A key may also have the form `BEGIN RSA PRIVATE KEY`."""
    creds = account(private_key=pem.old_style_rsa_key())
    await world.post(FCM, {"providerId": "google", "serviceAccountCreds": creds})

    assert await default_of(world, FCM) == ["google"]


async def test_an_immense_key_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that would take long to check is refused for its size."""
    monkeypatch.setattr(check_setups, "LARGEST_RSA_BITS", 1024)
    body = {"serviceAccountCreds": account()}
    details = await world.refused("POST", FCM, body, status=400, code="ERR_BAD_REQUEST")

    assert list(details) == ["serviceAccountCreds.private_key"]


async def test_every_fault_of_the_credentials_is_named(world: World) -> None:
    """Each of several unusable credentials is named."""
    wrong = {"client_email": "push", "private_key": NO_KEY, "private_key_id": "•••"}
    body = {"serviceAccountCreds": wrong}
    details = await world.refused("POST", FCM, body, status=400, code="ERR_BAD_REQUEST")

    assert set(details) == {f"serviceAccountCreds.{field}" for field in wrong}


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("keyId", ""),
        ("keyId", "ABC123DEF"),
        ("keyId", "ABC123DEFGH"),
        ("keyId", "abc123defg"),
        ("keyId", "ABC123DEF\n"),
        ("teamId", "TEAM 45678"),
        ("teamId", "ТЕАМ456789"),
        ("teamId", 1234567890),
        ("bundleId", ""),
        ("bundleId", "chat"),
        ("bundleId", "com..chat"),
        ("bundleId", "com.example.chat/x"),
        ("bundleId", "com.example.chat\n"),
        ("bundleId", "com." + "x" * 255),
        ("p8Key", ""),
        ("p8Key", "AuthKey_ABC123DEFG.p8"),
        ("p8Key", NO_KEY),
        ("p8Key", "x" * 16_385),
        ("p8KeyFilename", "x" * 256),
        ("p8KeyFilename", "a\u0000"),
        ("includeContentAvailable", "yes"),
        ("includeMutableContent", 1),
        ("productionMode", "false"),
    ],
)
@one_engine
async def test_invalid_apns_fields_are_refused(
    world: World, method: str, field: str, given: Any
) -> None:
    """An invalid field of an APNs provider is refused, and nothing is stored."""
    await world.post(APNS, {"providerId": "apple"})
    before = await listed(world, APNS)
    body = apple(**{"providerId": "apple" if method == "PUT" else "other", field: given})
    details = await world.refused(method, APNS, body, status=400, code="ERR_BAD_REQUEST")

    assert list(details) == [field]
    assert await listed(world, APNS) == before


@pytest.mark.parametrize("make", [pem.p384_key, pem.rsa_key])
async def test_keys_that_sign_nothing_for_apple(world: World, make: Callable[[], str]) -> None:
    """A key of another kind than P-256 is refused."""
    body = apple(p8Key=make())
    details = await world.refused("POST", APNS, body, status=400, code="ERR_BAD_REQUEST")

    assert list(details) == ["p8Key"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"serviceAccountFilename": "x" * 256}, "serviceAccountFilename"),
        ({"serviceAccountFilename": 1}, "serviceAccountFilename"),
        ({"serviceAccountCreds": "creds"}, "serviceAccountCreds"),
        ({"notificationInPayload": []}, "notificationInPayload"),
        ({"notificationInPayload": {"web": True}}, "notificationInPayload.web"),
        ({"notificationInPayload": {"ios": {"chat": "yes"}}}, "notificationInPayload.ios.chat"),
        ({"notificationInPayload": {"ios": {"call": 0}}}, "notificationInPayload.ios.call"),
    ],
)
async def test_a_wrong_field_is_named(world: World, body: Json, field: str) -> None:
    """A field of the wrong type or length is named by its path."""
    details = await world.refused("POST", FCM, body, status=400, code="ERR_BAD_REQUEST")

    assert list(details) == [field]
    assert await listed(world, FCM) == {}


async def test_a_placeholder_keeps_the_secret(world: World, node: Node) -> None:
    """A secret's placeholder, sent back in a change, keeps the stored secret."""
    await world.post(FCM, {"providerId": "google", "serviceAccountCreds": account()})
    await world.post(APNS, apple(providerId="apple"))
    await world.put(FCM, (await listed(world, FCM))["google"])
    await world.put(APNS, (await listed(world, APNS))["apple"])

    (google,) = await list_providers(node.runtime, world.app_id, FcmSetup)
    (mate,) = await list_providers(node.runtime, world.app_id, ApnsSetup)
    stored = google.setup.service_account_creds
    assert stored is not None
    assert asdict(stored) == account()
    assert mate.setup.p8_key == pem.p256_key()


async def test_no_answer_holds_a_secret(world: World) -> None:
    """No answer about a provider contains its secrets."""
    google = {"providerId": "google", "serviceAccountCreds": account()}
    for method in ("POST", "PUT", "POST", "GET"):
        answer = await world.ask(method, FCM, None if method == "GET" else google)
        assert not in_clear(answer.body)
    mate = apple(providerId="apple")
    for method in ("POST", "PUT", "POST", "GET"):
        answer = await world.ask(method, APNS, None if method == "GET" else mate)
        assert not in_clear(answer.body)


async def test_no_refusal_holds_a_secret(world: World) -> None:
    """The refusal of a secret does not repeat it."""
    for path, body in [
        (FCM, {"serviceAccountCreds": account(private_key=pem.p256_key(), client_email="push")}),
        (APNS, apple(p8Key=pem.rsa_key())),
    ]:
        assert not in_clear((await world.ask("POST", path, body)).body)


async def test_no_secret_is_stored_in_the_clear(world: World, node: Node) -> None:
    """Neither the rows nor the files of an embedded store contain a secret in plain text."""
    await world.post(FCM, {"providerId": "google", "serviceAccountCreds": account()})
    await world.post(APNS, apple(providerId="apple"))
    await world.put(FCM, {"providerId": "google", "serviceAccountFilename": "visible.json"})
    stored = await rows(world, node) + files(node)

    assert b"visible.json" in stored
    assert not in_clear(stored)


async def test_a_secret_opens_only_in_its_place(world: World, node: Node) -> None:
    """A sealed secret that is copied to another provider cannot be opened there."""
    await world.post(FCM, {"providerId": "google", "serviceAccountCreds": account()})
    await world.post(FCM, {"providerId": "other", "serviceAccountCreds": account()})
    copy = Query(
        "copy",
        "UPDATE push_providers SET sealed = (SELECT p.sealed FROM push_providers p"
        " WHERE p.app_id = :app_id AND p.provider_id = 'google')"
        " WHERE app_id = :app_id AND provider_id = 'other'",
    )
    assert await node.runtime.database.write(world.app_id, lambda tx: tx.run(copy)) == 1

    with pytest.raises(NotOurSecret):
        await list_providers(node.runtime, world.app_id, FcmSetup)


def in_clear(text: bytes) -> list[str]:
    """Return the secrets, or parts of them, in a text."""
    keys = [line for key in (pem.rsa_key(), pem.p256_key()) for line in key.splitlines()[1:-1]]
    return [secret for secret in [KEY_ID, *keys] if secret.encode() in text]


async def rows(world: World, node: Node) -> bytes:
    """Return the stored rows of the app's providers."""
    query = Query("rows", "SELECT * FROM push_providers WHERE app_id = :app_id")
    found = await node.runtime.database.read(world.app_id, lambda snapshot: snapshot.fetch(query))
    return repr([list(row) for row in found]).encode()


def files(node: Node) -> bytes:
    """Return every byte of an embedded store's files; none for a database server."""
    path = node.runtime.settings.sqlite_path
    return b"".join(file.read_bytes() for file in path.parent.glob(path.name + "*"))
