"""A webhook of the trigger before_message decides on each message before it is sent."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from msgspec.structs import replace
from standardwebhooks.webhooks import Webhook as Verifier
from tests.api.messages.talk import say, texts, to_user
from tests.api.webhooks.hooks import ALLOW, SECRET, Checked, change, says, serve_checked
from tests.documents.blocks import take
from tests.engines import one_engine
from tests.world import Json, Node

SHOWN = take("docs/guides/before-message.md", "## The call", "text")
BLOCKED = "ERR_BLOCKED_BY_WEBHOOK"
TALK = "/users/ben/messages"
LATER = ("id", "sentAt", "updatedAt")


@pytest.fixture
async def checked(node: Node, tmp_path: Path) -> AsyncIterator[Checked]:
    """An app with Anna and Ben, and no webhooks yet."""
    async with serve_checked(node, tmp_path) as served:
        yield served


async def refuse(_: bytes) -> web.StreamResponse:
    """Refuse a message."""
    return web.json_response({"action": "refuse"})


async def test_the_guide_shows_a_call(checked: Checked) -> None:
    """A call has the fields of the one that the guide shows."""
    await checked.attach(says(ALLOW))
    await say(checked.world, "anna", to_user("ben", "Cheap boots!"))

    shown, [asked] = json.loads(SHOWN), checked.bodies
    assert asked.keys() == shown.keys()
    assert asked["data"]["action"] == shown["data"]["action"] == "send"
    message = asked["data"]["message"]
    assert message.keys() == shown["data"]["message"].keys()
    assert message["data"].keys() == shown["data"]["message"]["data"].keys()


async def test_what_it_is_asked(checked: Checked, clock: Any) -> None:
    """It gets the message as it will be, in a signed envelope."""
    await checked.attach(says(ALLOW))

    body = to_user("ben", "Hi <@uid:ben>!", muid="m-1", tags=["one"], sendNotification=False)
    body["data"]["metadata"] = {"a": [1, None]}
    sent = await say(checked.world, "anna", body)

    [asked], [call] = checked.bodies, checked.elsewhere.asked
    assert asked.pop("data") == {
        "action": "send",
        "message": {name: value for name, value in sent.items() if name not in LATER},
    }
    assert asked == {
        "trigger": "before_message",
        "appId": checked.world.app_id,
        "region": "us",
        "webhook": "check",
        "id": call.headers["webhook-id"],
        "sentAt": clock.now(),
    }
    signed = Verifier(SECRET).sign(
        asked["id"], datetime.fromtimestamp(clock.now(), UTC), checked.elsewhere.bodies[0].decode()
    )
    assert (call.method, call.headers["webhook-signature"]) == ("POST", signed)
    assert call.headers["webhook-timestamp"] == f"{clock.now()}"
    assert call.headers["Content-Type"] == "application/json"
    assert "Authorization" not in call.headers


async def test_a_users_message_does_not_grow_past_it(checked: Checked) -> None:
    """Nobody is asked about what is appended, so no message of a user grows; the app's may."""
    await checked.attach(says(ALLOW))
    growing = to_user("ben", "", growing=True)

    await checked.world.refused("POST", "/messages", growing, as_="anna", status=403, code=BLOCKED)
    assert checked.bodies == []
    assert (await say(checked.world, "", growing))["data"]["growing"] == {"sequence": 0}


async def test_basic_authentication(checked: Checked) -> None:
    """It gets user name and password, if it is to."""
    await checked.attach(says(ALLOW), uses_basic_auth=True, username="hub", password="bub")
    await say(checked.world, "anna", to_user("ben"))

    assert checked.elsewhere.asked[0].headers["Authorization"] == "Basic aHViOmJ1Yg=="


async def test_other_data(checked: Checked) -> None:
    """The changed data is stored, answered and shown, with what follows from it."""
    await checked.attach(says(change(text="Hello <@uid:ben> https://example.com", metadata={})))

    sent = await say(checked.world, "anna", to_user("ben", "Damn"))

    [seen] = await checked.world.get(TALK, as_="anna")
    for message in (sent, seen):
        assert message["data"]["text"] == "Hello <@uid:ben> https://example.com"
        assert list(message["data"]["mentions"]) == ["ben"]
        assert message["data"]["metadata"] == {}
    assert len(await checked.world.get(f"{TALK}?hasLinks=true", as_="anna")) == 1
    assert len(await checked.world.get("/messages?searchKey=damn", as_="anna")) == 0


async def test_data_that_it_was_sent(checked: Checked) -> None:
    """It may answer with all of the data that it got, what the server adds included."""

    async def echo(body: Json) -> web.StreamResponse:
        data = body["data"]["message"]["data"]
        return web.json_response(change(**data | {"text": data["text"].upper()}))

    await checked.attach(echo)
    sent = await say(checked.world, "anna", to_user("ben", "Hi <@uid:ben>"))

    assert sent["data"]["text"] == "HI <@UID:BEN>"
    assert sent["data"]["entities"]["sender"]["entity"]["uid"] == "anna"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"reason": "No advertising here: 10 € "}, "No advertising here: 10 € "),
        ({"reason": "x" * 5000}, "x" * 1000),
        ({"reason": ""}, "The message was refused before it was sent."),
        ({"reason": None}, "The message was refused before it was sent."),
        ({"more": 1}, "The message was refused before it was sent."),
    ],
)
async def test_a_refusal(checked: Checked, answer: Json, message: str) -> None:
    """The sender gets the reason; nothing is stored."""
    await checked.attach(says({"action": "refuse", **answer}))

    await checked.world.refused(
        "POST", "/messages", to_user("ben"), as_="anna", status=403, code=BLOCKED
    )

    assert checked.world.answer.error["message"] == message
    assert "before_message" in checked.world.answer.error["devMessage"]
    assert await texts(checked.world, TALK, as_="anna") == []


DEEP = b'{"action":"change","data":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001
FAILURES: dict[str, tuple[Any, int]] = {
    "a server error": (ALLOW, 500),
    "another success": (ALLOW, 201),
    "no content": (b"", 204),
    "nothing": (b"", 200),
    "no JSON": (b"ok", 200),
    "no UTF-8": (b'{"action":"refuse","reason":"\xff"}', 200),
    "half a character": (b'{"action":"change","data":{"text":"\\ud800"}}', 200),
    "no object": ([ALLOW], 200),
    "no action": ({}, 200),
    "another action": ({"action": "Allow"}, 200),
    "no data": ({"action": "change"}, 200),
    "no object as data": ({"action": "change", "data": "Hi"}, 200),
    "no text": (change(), 200),
    "an empty text": (change(text=""), 200),
    "a number as text": (change(text=7), 200),
    "too much data": (change(text="x" * 10_300), 200),
    "wrong metadata": (change(text="Hi", metadata=[]), 200),
    "a number as reason": ({"action": "refuse", "reason": 7}, 200),
    "a deep answer": (DEEP[:60_000], 200),
    "a long answer": (b" " * 65_536 + b'{"action":"allow"}', 200),
    "a number out of range": (b'{"action":"change","data":{"text":"a","n":1e999}}', 200),
}


@pytest.mark.parametrize("failure", FAILURES)
@one_engine
async def test_a_wrong_answer(checked: Checked, failure: str) -> None:
    """With an answer that is none, the message is sent as it was, or refused: the app decides."""
    answer, status = FAILURES[failure]
    await checked.attach(says(answer, status))

    sent = await say(checked.world, "anna", to_user("ben", "Hi"))
    assert sent["data"]["text"] == "Hi"

    await checked.refuse_on_failure()
    await checked.world.refused(
        "POST", "/messages", to_user("ben"), as_="anna", status=403, code=BLOCKED
    )
    assert "could not be checked" in checked.world.answer.error["message"]
    assert (len(checked.bodies), await texts(checked.world, TALK, as_="anna")) == (2, ["Hi"])


@pytest.mark.parametrize(
    "path", ["broken", "half", "garbage", "redirect/307?to=/pages/check", "status/404", "endless"]
)
async def test_no_answer(checked: Checked, path: str) -> None:
    """So it is if there is no answer, or a redirect."""
    await checked.attach_url(checked.url(path))

    assert (await say(checked.world, "anna", to_user("ben", "Hi")))["data"]["text"] == "Hi"
    await checked.refuse_on_failure()
    await checked.world.refused(
        "POST", "/messages", to_user("ben"), as_="anna", status=403, code=BLOCKED
    )


@pytest.mark.parametrize("url", ["https://10.0.0.1/", "https://[::1]/", "http://192.0.2.1/"])
async def test_a_forbidden_address(checked: Checked, url: str) -> None:
    """A webhook at an address that may not be called has failed."""
    await checked.attach_url(url)

    await say(checked.world, "anna", to_user("ben"))
    await checked.refuse_on_failure()
    await checked.world.refused(
        "POST", "/messages", to_user("ben"), as_="anna", status=403, code=BLOCKED
    )


async def test_a_slow_webhook(node: Node, tmp_path: Path) -> None:
    """It has the time limit of the settings, its answer included."""
    async with serve_checked(node, tmp_path, seconds=0.2) as checked:
        await checked.attach_url(checked.url("silence"))
        assert (await say(checked.world, "anna", to_user("ben", "Hi")))["data"]["text"] == "Hi"


async def test_it_holds_up_its_own_sender_only(checked: Checked) -> None:
    """While it thinks about one message, others of the app and of other apps are sent."""
    thinking, decided = asyncio.Event(), asyncio.Event()

    async def think(body: Json) -> web.StreamResponse:
        if body["data"]["message"]["sender"] == "anna":
            thinking.set()
            await decided.wait()
        return web.json_response(ALLOW)

    await checked.attach(think)
    other = await checked.node.world()
    await other.users("anna", "ben")
    waiting = asyncio.create_task(say(checked.world, "anna", to_user("ben", "slow")))
    await thinking.wait()
    await say(checked.world, "ben", to_user("anna", "fast"))
    await say(other, "anna", to_user("ben"))
    assert not waiting.done()
    assert await texts(checked.world, TALK, as_="anna") == ["fast"]

    decided.set()
    await waiting
    assert await texts(checked.world, TALK, as_="anna") == ["fast", "slow"]


async def test_several_webhooks(checked: Checked) -> None:
    """They are asked in the order in which they were created; each gets what the last one left."""
    for id_ in ("b", "a", "c"):

        async def add(body: Json) -> web.StreamResponse:
            text = body["data"]["message"]["data"]["text"]
            return web.json_response(change(text=f"{text} {body['webhook']}"))

        await checked.attach(add, id_)
    await checked.attach(says("?"), "d")

    sent = await say(checked.world, "anna", to_user("ben", "seen by"))

    assert sent["data"]["text"] == "seen by b a c"
    assert [body["webhook"] for body in checked.bodies] == ["b", "a", "c", "d"]
    assert len({body["id"] for body in checked.bodies}) == 4


async def test_after_a_refusal_nobody_is_asked(checked: Checked) -> None:
    """A refusal is final."""
    await checked.attach(says({"action": "refuse"}), "a")
    await checked.attach(says(ALLOW), "b")
    await checked.world.refused(
        "POST", "/messages", to_user("ben"), as_="anna", status=403, code=BLOCKED
    )
    assert [body["webhook"] for body in checked.bodies] == ["a"]


async def test_disabled_and_detached(checked: Checked) -> None:
    """A webhook that is disabled or detached is not asked, and that is no failure."""
    await checked.refuse_on_failure()
    webhook = await checked.attach(says({"action": "refuse"}))
    await checked.update(replace(webhook, is_enabled=False))
    await say(checked.world, "anna", to_user("ben"))
    await checked.update(webhook)
    await checked.detach(webhook)
    await say(checked.world, "anna", to_user("ben"))

    assert checked.bodies == []


async def test_changes_take_effect_at_once(checked: Checked) -> None:
    """A webhook that is created, attached, disabled, detached or deleted is asked from then on."""
    world, path = checked.world, "/webhooks/refuser"

    async def is_refused() -> bool:
        answer = await world.ask("POST", "/messages", to_user("ben"), as_="anna")
        return answer.status == 403

    checked.elsewhere.pages["refuser"] = refuse
    body = {"id": "refuser", "name": "R", "webhookURL": checked.url("pages/refuser")}
    await world.post("/webhooks", body)
    assert not await is_refused()
    await world.post(f"{path}/triggers", {"triggerIds": ["before_message"]})
    assert await is_refused()
    await world.put(path, {"enabled": False})
    assert not await is_refused()
    await world.put(path, {"enabled": True})
    assert await is_refused()
    await world.delete(f"{path}/triggers", {"triggerIds": ["before_message"]})
    assert not await is_refused()
    await world.post(f"{path}/triggers", {"triggerIds": ["before_message"]})
    assert await is_refused()
    await world.put(path, {"webhookURL": checked.url("status/500")})
    assert not await is_refused()
    await world.put(path, {"webhookURL": checked.url("pages/refuser")})
    await world.delete(path)
    assert not await is_refused()


async def test_a_rotated_secret(checked: Checked, clock: Any) -> None:
    """After a rotation calls have a signature by each secret."""
    checked.elsewhere.pages["refuser"] = refuse
    body = {"id": "refuser", "name": "R", "webhookURL": checked.url("pages/refuser")}
    secrets = [(await checked.world.post("/webhooks", body))["secret"]]
    await checked.world.post("/webhooks/refuser/triggers", {"triggerIds": ["before_message"]})
    secrets.append((await checked.world.post("/webhooks/refuser/secret/rotate", {}))["secret"])
    await checked.world.call("POST", "/messages", to_user("ben"), as_="anna", status=403)

    [call], [sent] = checked.elsewhere.asked, checked.elsewhere.bodies
    at = datetime.fromtimestamp(clock.now(), UTC)
    signatures = [
        Verifier(secret).sign(call.headers["webhook-id"], at, sent.decode()) for secret in secrets
    ]
    assert sorted(call.headers["webhook-signature"].split(" ")) == sorted(signatures)


async def test_a_paused_webhook(checked: Checked) -> None:
    """A webhook that is paused is not called; that is a failure."""
    await checked.attach(says({"action": "refuse"}), paused_at=1)
    await say(checked.world, "anna", to_user("ben"))
    await checked.refuse_on_failure()
    await checked.world.refused(
        "POST", "/messages", to_user("ben"), as_="anna", status=403, code=BLOCKED
    )
    assert checked.bodies == []


async def test_a_change_on_another_node(checked: Checked, clock: Any) -> None:
    """A node sees within five seconds that another one has attached a webhook."""
    await say(checked.world, "anna", to_user("ben"))
    version = checked.node.runtime.cache.version
    kept = checked.node.runtime.cache.get(("webhooks", checked.world.app_id))
    await checked.attach(says({"action": "refuse"}))
    checked.node.runtime.cache.put(
        ("webhooks", checked.world.app_id),
        kept,
        app_id=checked.world.app_id,
        version=checked.node.runtime.cache.version,
    )
    assert checked.node.runtime.cache.version > version

    await say(checked.world, "anna", to_user("ben"))
    clock.advance(5.1)
    await checked.world.refused(
        "POST", "/messages", to_user("ben"), as_="anna", status=403, code=BLOCKED
    )
