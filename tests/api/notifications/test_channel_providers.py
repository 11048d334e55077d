"""Providers that an app has at most one of: saved, shown, changed, deleted, enabled."""

import asyncio

import pytest
from tests.api.notifications.channel_samples import (
    CUSTOM_EMAIL,
    CUSTOM_PUSH,
    CUSTOM_SMS,
    EACH,
    SECRET,
    SENDGRID,
    SMTP,
    TWILIO,
    Sample,
    one,
    stored_secret,
)
from tests.world import Node, World

from hubbub.records.notifications.channels import find_providers
from hubbub.records.notifications.setups import FcmSetup, WebPushSetup

BAD = "ERR_BAD_REQUEST"
MARK = "•••"


@EACH
async def test_a_provider_is_saved(world: World, sample: Sample) -> None:
    """The answer to saving, and later to getting, has all fields; the secret is masked."""
    saved = await world.post(sample.path, sample.body)

    assert one(saved) == {**sample.body, sample.secret: MARK}
    assert await world.get(sample.path) == saved


@EACH
async def test_there_is_none_at_first(world: World, sample: Sample) -> None:
    """Without a provider the answer is empty, a change is refused, and a deletion succeeds."""
    assert one(await world.get(sample.path)) == {}
    missing = "ERR_PROVIDER_NOT_FOUND"
    await world.refused("PUT", sample.path, {"isEnabled": True}, status=404, code=missing)
    assert await world.delete(sample.path) == {"success": True}


@EACH
async def test_a_provider_is_deleted(world: World, sample: Sample) -> None:
    """A deleted provider is gone, and nothing of it comes back with the next one."""
    await world.post(sample.path, sample.body)
    assert await world.delete(sample.path) == {"success": True}

    assert one(await world.get(sample.path)) == {}
    body = {**sample.body, sample.secret: MARK}
    details = await world.refused("POST", sample.path, body, status=400, code=BAD)
    assert list(details) == [sample.secret]
    assert one(await world.get(sample.path)) == {}


@EACH
async def test_absent_fields_keep_their_values(world: World, sample: Sample) -> None:
    """A change of one field changes no other one, whether absent, null or masked."""
    await world.post(sample.path, sample.body)
    for name, value in {"isEnabled": False, **sample.body}.items():
        nothing = {each: None for each in sample.body if each != "senderEmailForReplies"}
        await world.put(sample.path, {**nothing, sample.secret: MARK, name: value})
        await world.put(sample.path, {})

    assert one(await world.get(f"{sample.path}?withSecrets=1")) == sample.body


@pytest.mark.parametrize(
    "rivals", [(SENDGRID, SMTP, CUSTOM_EMAIL), (TWILIO, CUSTOM_SMS)], ids=["email", "sms"]
)
async def test_one_provider_of_a_channel_is_enabled(
    world: World, node: Node, rivals: tuple[Sample, ...]
) -> None:
    """To save or enable one disables the others of its channel, and no other channel's."""
    everything = (*rivals, CUSTOM_PUSH, TWILIO if SMTP in rivals else SMTP)
    for sample in everything:
        await world.post(sample.path, sample.body)
    others = everything[len(rivals) :]
    for method in ("POST", "PUT"):
        for sample in rivals:
            body = sample.body if method == "POST" else {"isEnabled": True}
            await world.call(method, sample.path, body)
            assert await enabled(world, rivals) == [sample]
            await world.call(method, sample.path, {**sample.body, "isEnabled": False})
            assert await enabled(world, rivals) == []
            await world.put(sample.path, {"isEnabled": True})
    assert await enabled(world, others) == list(others)
    for sample in everything:
        assert await stored_secret(world, node, sample) == SECRET


async def enabled(world: World, samples: tuple[Sample, ...]) -> list[Sample]:
    """Return the providers that are enabled."""
    return [sample for sample in samples if one(await world.get(sample.path))["isEnabled"]]


async def test_to_save_a_disabled_one_disables_no_other(world: World) -> None:
    """A provider that is saved as disabled leaves the enabled one as it is."""
    await world.post(SENDGRID.path, SENDGRID.body)
    await world.post(SMTP.path, {**SMTP.body, "isEnabled": False})

    assert await enabled(
        world,
        (
            SENDGRID,
            SMTP,
        ),
    ) == [SENDGRID]


async def test_all_providers_at_once(world: World, node: Node) -> None:
    """The engine finds every push provider, and of each channel the one that is enabled."""

    async def find() -> dict[str, object]:
        found = await node.runtime.database.read(
            world.app_id, lambda snapshot: find_providers(snapshot, node.runtime.sealer)
        )
        return {
            "push": [(type(each.setup), each.id, each.is_default) for each in found.push],
            "others": [type(each) for each in (found.custom_push, found.email, found.sms)],
        }

    nothing = type(None)
    assert await find() == {"push": [], "others": [nothing, nothing, nothing]}
    await world.post("/notifications/push/v1/providers/fcm", {"providerId": "google"})
    await world.post(
        "/notifications/push/v1/providers/webpush",
        {"providerId": "web", "subject": "mailto:a@example.com"},
    )
    for sample in (CUSTOM_PUSH, SENDGRID, SMTP, TWILIO, CUSTOM_SMS):
        await world.post(sample.path, sample.body)
    push = [(FcmSetup, "google", False), (WebPushSetup, "web", True)]
    assert await find() == {"push": push, "others": [CUSTOM_PUSH.kind, SMTP.kind, CUSTOM_SMS.kind]}
    for sample in (CUSTOM_PUSH, SMTP, CUSTOM_SMS):
        await world.put(sample.path, {"isEnabled": False})
    assert await find() == {"push": push, "others": [nothing, nothing, nothing]}


@EACH
async def test_providers_stay_in_their_app(world: World, node: Node, sample: Sample) -> None:
    """Another app has none of this app's providers."""
    await world.post(sample.path, sample.body)
    other = await node.world()

    assert one(await other.get(sample.path)) == {}
    await other.delete(sample.path)
    assert one(await world.get(sample.path)) != {}


async def test_enabling_several_at_once(world: World) -> None:
    """Of providers that are saved at the same time, one is enabled in the end."""
    rivals = (SENDGRID, SMTP, CUSTOM_EMAIL)
    for _ in range(3):
        await asyncio.gather(*(world.post(sample.path, sample.body) for sample in rivals))
        assert len(await enabled(world, rivals)) == 1
