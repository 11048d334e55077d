"""Secrets of the providers that an app has at most one of: masked, kept, sealed."""

from urllib.parse import parse_qs, urlsplit

import pytest
from structlog.testing import capture_logs
from tests.api.notifications.channel_samples import (
    CUSTOM_PUSH,
    CUSTOM_SMS,
    EACH,
    MADE,
    SECRET,
    SENDGRID,
    Sample,
    one,
    stored_secret,
)
from tests.world import Node, World

from hubbub.domain.notifications.providers.channels import get_channel
from hubbub.kernel.sealing import NotOurSecret
from hubbub.records.notifications.channels import find_by_replies_token
from hubbub.records.notifications.setups import SendGridSetup
from hubbub.storage.queries import Query

MARK = "•••"


@EACH
async def test_secrets_are_shown_on_request(world: World, sample: Sample) -> None:
    """With `withSecrets=true` every answer has the secret itself."""
    path = f"{sample.path}?withSecrets=true"
    for method, body in (("POST", sample.body), ("PUT", {"isEnabled": False}), ("GET", None)):
        shown = one(await world.call(method, path, body))
        assert shown[sample.secret] == SECRET
        assert MARK in str(await world.get(f"{sample.path}?withSecrets=false"))


@EACH
async def test_asking_for_secrets_is_logged(world: World, sample: Sample) -> None:
    """Each call that asks for secrets leaves a line with app, key and operation, without them."""
    with capture_logs() as lines:
        await world.post(sample.path, sample.body)
        await world.get(sample.path)
    assert "secrets_shown" not in {line["event"] for line in lines}

    with capture_logs() as lines:
        await world.get(f"{sample.path}?withSecrets=true")
    (line,) = [line for line in lines if line["event"] == "secrets_shown"]
    assert (line["app"], bool(line["key"]), bool(line["request_id"])) == (world.app_id, True, True)
    assert line["operation"].startswith("get_")
    assert SECRET not in str(lines)
    assert world.key not in str(lines)


@EACH
@pytest.mark.parametrize("method", ["POST", "PUT"])
async def test_a_masked_secret_is_kept(
    world: World, node: Node, sample: Sample, method: str
) -> None:
    """An answer can be sent back: the secret stays, and a new one replaces it."""
    await world.post(sample.path, sample.body)
    await world.call(method, sample.path, one(await world.get(sample.path)))
    assert await stored_secret(world, node, sample) == SECRET

    await world.call(method, sample.path, {**sample.body, sample.secret: "other"})
    assert await stored_secret(world, node, sample) == "other"


@EACH
async def test_no_answer_reveals_a_secret(world: World, sample: Sample) -> None:
    """Neither an answer nor a refusal has the secret, unless it is asked for."""
    for method, body in (
        ("POST", sample.body),
        ("PUT", sample.body),
        ("GET", None),
        ("PUT", {**sample.body, "isEnabled": SECRET}),
        ("DELETE", None),
    ):
        answer = await world.ask(method, sample.path, body)
        assert SECRET.encode() not in answer.body


@EACH
async def test_secrets_are_stored_sealed(world: World, node: Node, sample: Sample) -> None:
    """No row has a secret, or a token for replies, in plain text; and it opens only in its row."""
    saved = await world.post(sample.path, sample.body)
    token = urlsplit(saved.get(MADE, "")).query.removeprefix("token=") or SECRET
    query = Query("rows", "SELECT * FROM channel_providers WHERE app_id = :app_id")
    rows = await node.runtime.database.read(world.app_id, lambda each: each.fetch(query))
    (text,) = [repr(list(row)) for row in rows]
    assert sample.kind.kind in text
    assert SECRET not in text
    assert token not in text

    other = CUSTOM_SMS if sample is CUSTOM_PUSH else CUSTOM_PUSH
    await world.post(other.path, other.body)
    copy = Query(
        "copy",
        "UPDATE channel_providers SET sealed = (SELECT p.sealed FROM channel_providers p"
        f" WHERE p.app_id = :app_id AND p.kind = '{other.kind.kind}') WHERE app_id = :app_id",
    )
    await node.runtime.database.write(world.app_id, lambda tx: tx.run(copy))
    with pytest.raises(NotOurSecret):
        await get_channel(node.runtime, world.app_id, sample.kind)


async def test_the_webhook_for_replies(world: World, node: Node) -> None:
    """Its URL has a token by which the app's setup is found; it stays until SendGrid is deleted."""
    headers = {"Host": "chat.example.com"}
    saved = await world.post(SENDGRID.path, SENDGRID.body, headers=headers)
    parts = urlsplit(saved[MADE])
    assert (parts.netloc, parts.path) == (
        "chat.example.com",
        "/v3/notifications/email/v1/sendgrid/replies",
    )
    for method, body in (("PUT", {"senderName": "Other"}), ("POST", SENDGRID.body), ("GET", None)):
        shown = await world.call(method, SENDGRID.path, body, headers=headers)
        assert shown[MADE] == saved[MADE]

    (token,) = parse_qs(parts.query)["token"]
    assert token.startswith(f"{world.app_id}.")
    assert len(token) > 40
    assert isinstance(await found_by(world, node, token), SendGridSetup)
    assert await found_by(world, node, token[:-1]) is None
    await world.delete(SENDGRID.path)
    assert await found_by(world, node, token) is None
    assert (await world.post(SENDGRID.path, SENDGRID.body, headers=headers))[MADE] != saved[MADE]


async def test_the_webhook_for_replies_has_the_public_address(node: Node) -> None:
    """If the operator names the address of the server, the URL begins with it."""
    world = await node.with_settings(public_url="https://public.example/").world()
    saved = await world.post(SENDGRID.path, SENDGRID.body)

    assert saved[MADE].startswith("https://public.example/v3/notifications/email/")


async def found_by(world: World, node: Node, token: str) -> SendGridSetup | None:
    """Return the setup that a token belongs to."""
    return await node.runtime.database.read(
        world.app_id, lambda each: find_by_replies_token(each, node.runtime.sealer, token)
    )
