"""The log of notifications, what would be sent, and providers at the console."""

import json
import re
from typing import Any

import pytest
from tests.api.notifications.channel_samples import (
    EACH,
    SECRET,
    SENDGRID,
    TWILIO,
    Sample,
    one,
    stored_secret,
)
from tests.api.notifications.log_samples import pushed, store
from tests.api.notifications.push_samples import APNS, FCM, account, apple, default_of, listed
from tests.console.conftest import SignIn
from tests.console.test_console_frame import EVIL, Elements
from tests.console.test_console_keys import actions
from tests.console.visitors import Visitor
from tests.world import Json, Node, World

from hubbub.console.pages.notifications import WHY
from hubbub.records.notifications.model import Reason
from hubbub.records.operators.model import OperatorRole

DEVELOPER, MODERATOR = OperatorRole.DEVELOPER, OperatorRole.MODERATOR
MASK = "•••"


@pytest.fixture
async def developer(world: World, signed_in: SignIn) -> Visitor:
    """A developer of the app."""
    return await signed_in(DEVELOPER, world.app_id)


def entered(body: Json) -> dict[str, str]:
    """Return a body as a form has it."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in body.items()
    }


async def test_why_something_was_not_pushed(world: World, node: Node, developer: Visitor) -> None:
    """The log is searched by person, message, channel, reason and outcome."""
    muted: dict[str, Any] = {"is_triggered": False, "is_success": None, "payload": None}
    await store(
        node,
        world,
        pushed(),
        pushed(message_id=66, reason=Reason.MUTE_PREFERENCE, **muted),
        pushed(message_id=67, uid="cora", receiver="hikers", receiver_type="group"),
        pushed(message_id=68, is_success=False, error="UNREGISTERED", uid="dai", receiver="dai"),
    )
    address = f"/apps/{world.app_id}/notifications"

    async def found(query: str) -> list[int]:
        page = await developer.get(f"{address}?{query}")
        return [number for number in (65, 66, 67, 68) if f"message {number}" in page]

    assert await found("") == [65, 66, 67, 68]
    assert await found("person=Ben") == [65, 66]
    assert await found("person=cora") == [67]
    assert await found("message=66") == [66]
    assert await found("reason=MUTE_PREFERENCE") == [66]
    assert await found("outcome=not+sent") == [66]
    assert await found("outcome=failed") == [68]
    assert await found("outcome=sent") == [65, 67]
    assert await found("channel=sms") == []
    assert "MUTE_PREFERENCE" in await developer.get(f"{address}?message=66")
    assert "UNREGISTERED" in await developer.get(f"{address}?message=68")
    for wrong in ("message=x", "reason=NONE", "before=z", "person=a+b"):
        await developer.get(f"{address}?{wrong}", status=400)


def test_each_reason_is_said_in_words() -> None:
    """Each reason for which nothing was sent has a sentence."""
    assert WHY.keys() == set(Reason)


async def test_the_log_has_pages(world: World, node: Node, developer: Visitor) -> None:
    """Older entries follow page by page, those of a person's groups and others in one order."""
    for number in range(60):
        of_group = {"receiver": "hikers", "receiver_type": "group"} if number % 2 else {}
        await store(node, world, pushed(message_id=1000 + number, ended_at_ms=number, **of_group))

    seen: list[int] = []
    path = f"/apps/{world.app_id}/notifications?person=ben"
    while path:
        page = await developer.get(path)
        seen += [number for number in range(60) if f"message {1000 + number} of" in page]
        link = page.partition('rel="next" href="/console')[2].partition('"')[0]
        path = link.replace("&amp;", "&")

    assert sorted(seen) == list(range(60))


async def test_the_log_is_looked_through_in_parts(
    world: World, node: Node, developer: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few entries of a long log are looked through at once; by the links all are found, once."""
    monkeypatch.setattr("hubbub.domain.notifications.logs.LOOKED_THROUGH", 4)
    for number in range(15):
        has_failed = number in (0, 6, 7)
        entry = pushed(message_id=100 + number, ended_at_ms=number, is_success=not has_failed)
        await store(node, world, entry)

    seen: list[str] = []
    path = f"/apps/{world.app_id}/notifications?outcome=failed"
    while path:
        page = await developer.get(path)
        seen += re.findall(r"message (\d+) of", page)
        link = page.partition('rel="next" href="/console')[2].partition('"')[0]
        path = link.replace("&amp;", "&")

    assert seen == ["107", "106", "100"]


async def test_who_reads_no_content_sees_none(
    world: World, node: Node, signed_in: SignIn, developer: Visitor
) -> None:
    """Moderators see the content of what was sent, which is recorded; developers do not."""
    await store(node, world, pushed(payload={"body": f"secret word {EVIL}"}))
    moderator = await signed_in(MODERATOR, world.app_id)
    address = f"/apps/{world.app_id}/notifications"

    assert "secret word" not in await developer.get(address)
    assert await actions(node, world.app_id) == []
    page = await moderator.get(address)

    assert "secret word" in page
    assert not {"img"} & {tag for tag, _ in Elements(page).found}
    assert await actions(node, world.app_id) == ["notification.read"]


async def test_what_would_be_sent(
    world: World, node: Node, signed_in: SignIn, developer: Visitor
) -> None:
    """A check says what a person would be sent, and why not; the content only to moderators."""
    await world.users("anna", "ben")
    await world.post(SENDGRID.path, SENDGRID.body)
    await world.post(TWILIO.path, TWILIO.body)
    mail = {"email": "ben@example.com"}
    await world.patch("/notifications/v1/contact-details", mail, as_="ben")
    body = {"receiver": "ben", "receiverType": "user", "data": {"text": "secret word"}}
    sent = await world.post("/messages", body, as_="anna")
    moderator = await signed_in(MODERATOR, world.app_id)
    address = f"/apps/{world.app_id}/notifications/check"
    query = f"?person=BEN&message={sent['id']}"

    of_developer, of_moderator = (
        await developer.get(address + query),
        await moderator.get(address + query),
    )

    for page in (of_developer, of_moderator):
        assert "would be sent" in page
        assert "MISSING_PHNO" in page
    assert "secret word" not in of_developer
    assert "secret word" in of_moderator
    assert "is not told of this message" in await developer.get(
        f"{address}?person=anna&message={sent['id']}"
    )
    await developer.get(f"{address}?person=ben&message=999", status=404)
    await developer.get(f"{address}?person=nobody&message={sent['id']}", status=404)
    assert await actions(node, world.app_id) == ["notification.check"]


@EACH
async def test_a_channel_is_set_up(
    world: World, node: Node, developer: Visitor, sample: Sample
) -> None:
    """A provider of each kind is set up, changed and deleted; its secret is not shown."""
    kind = sample.kind.kind
    address = f"/apps/{world.app_id}/providers/channels/{kind}"

    await developer.post(address, entered(sample.body))

    assert await stored_secret(world, node, sample) == SECRET
    assert one(await world.get(sample.path)) == {**sample.body, sample.secret: MASK}
    form = await developer.get(address)
    assert SECRET not in form + await developer.get(f"/apps/{world.app_id}/providers")
    await developer.post(address, entered({**sample.body, sample.secret: MASK, "isEnabled": False}))
    assert await stored_secret(world, node, sample) == SECRET
    assert one(await world.get(sample.path))["isEnabled"] is False
    for name in sample.body.keys() - sample.optional - {sample.secret}:
        await developer.post(address, entered({**sample.body, name: "\t"}), status=400)
    await developer.post(f"{address}/delete")

    assert one(await world.get(sample.path)) == {}
    assert await actions(node, world.app_id) == [
        "provider.delete",
        "provider.save",
        "provider.save",
    ]


async def test_push_providers_are_added(world: World, node: Node, developer: Visitor) -> None:
    """Push providers of each kind are added, made the default, deleted; keys are not shown."""
    address = f"/apps/{world.app_id}/providers"
    google, key = account(), apple()["p8Key"]
    of_apple = {
        "key_id": "ABC123DEFG",
        "team_id": "TEAM456789",
        "bundle_id": "com.example.chat",
        "p8_key": key.replace("\n", "\r\n"),
        "production_mode": "true",
    }

    for name in ("one", "two"):
        fields = {"provider_id": name, "account": json.dumps({**google, "type": "service_account"})}
        await developer.post(f"{address}/fcm", fields)
    await developer.post(f"{address}/apns", of_apple)
    await developer.post(f"{address}/webpush", {"subject": "mailto:a@example.com"})
    await developer.post(f"{address}/push/fcm/two/default")

    page = await developer.get(address)
    assert page.count('<span class="state good">complete</span>') == 4
    assert google["private_key"].split("\n")[1] not in page
    assert key.split("\n")[1] not in page
    assert await default_of(world, FCM) == ["two"]
    (apns,) = (await listed(world, APNS)).values()
    assert (apns["isComplete"], apns["productionMode"]) == (True, True)
    for path, fields, status in (
        ("fcm", {"account": "no JSON"}, 400),
        ("fcm", {"account": "[1]"}, 400),
        ("fcm", {"account": json.dumps({**google, "private_key": "x"})}, 400),
        ("fcm", {"account": json.dumps(google), "provider_id": "one"}, 409),
        ("apns", {**of_apple, "key_id": "short"}, 400),
        ("webpush", {"subject": "somebody"}, 400),
        ("push/fcm/none/default", {}, 404),
        ("push/pigeon/one/delete", {}, 404),
        ("channels/pigeon", {}, 404),
    ):
        refused = await developer.post(f"{address}/{path}", fields, status=status)
        assert google["private_key"].split("\n")[1] not in refused
    await developer.post(f"{address}/push/fcm/two/delete")

    assert await default_of(world, FCM) == ["one"]
    assert (await actions(node, world.app_id)).count("provider.add") == 4


async def test_providers_of_another_app(world: World, node: Node, signed_in: SignIn) -> None:
    """A developer of another app, or a moderator of this one, sees and changes nothing."""
    other = await node.world()
    await world.post(TWILIO.path, TWILIO.body)
    stranger, moderator = (
        await signed_in(DEVELOPER, other.app_id),
        await signed_in(MODERATOR, world.app_id),
    )
    address = f"/apps/{world.app_id}/providers"

    for visitor, status in ((stranger, 404), (moderator, 403)):
        await visitor.get(address, status=status)
        await visitor.get(f"{address}/channels/twilio", status=status)
        await visitor.post(f"{address}/channels/twilio/delete", status=status)
    await stranger.get(f"/apps/{world.app_id}/notifications", status=404)

    assert one(await world.get(TWILIO.path))["twilioAuthToken"] == MASK
