"""Which messages the webhooks of before_message are asked about, and that all checks still hold."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from tests.api.interactions.forms import card
from tests.api.messages.talk import group, past, say, texts, to_group, to_user
from tests.api.webhooks.hooks import ALLOW, Checked, change, says, serve_checked
from tests.files.uploads import TYPE, File, fetch, form, picture, send_files, stored_files
from tests.world import Json, Node

BLOCKED = "ERR_BLOCKED_BY_WEBHOOK"
TALK = "/users/ben/messages"
LATER = ("id", "sentAt", "updatedAt")


@pytest.fixture
async def checked(node: Node, tmp_path: Path) -> AsyncIterator[Checked]:
    """An app with Anna and Ben, who are in a group, and no webhooks yet."""
    async with serve_checked(node, tmp_path) as served:
        await group(served.world, "hikers", "anna", "ben")
        yield served


def unsent(message: Json) -> Json:
    """Return a message without what it gets when it is stored."""
    return {name: value for name, value in message.items() if name not in LATER}


CUSTOM = {"category": "custom", "type": "place", "data": {"customData": {"x": 1}}}
IMAGE = {"type": "image", "data": {"attachments": [{"url": "https://example.com/a.png"}]}}


@pytest.mark.parametrize(
    "body",
    [
        to_user("ben"),
        to_group("hikers", "Hi <@all>"),
        to_group("hikers") | CUSTOM,
        to_user("ben") | IMAGE,
        to_user("ben") | card("go"),
    ],
    ids=["user", "group", "custom", "media", "interactive"],
)
@pytest.mark.parametrize("by", ["app", "on behalf", "token", "bot"])
async def test_kinds_of_messages(checked: Checked, body: Json, by: str) -> None:
    """It is asked about each kind of message, whoever sends it, and sees what will be stored."""
    await checked.attach(says(ALLOW))
    world, path = checked.world, "/messages"
    how: Any = {}
    if by == "on behalf":
        how = {"as_": "anna"}
    elif by == "token":
        how = {"token": await world.token("anna"), "key": ""}
    elif by == "bot":
        await world.post("/bots", {"uid": "robo", "name": "Robo"})
        path = "/bots/robo/messages"

    sent = await world.post(path, body, **how)

    assert checked.messages == [unsent(sent)]


async def test_replies(checked: Checked) -> None:
    """A reply is shown with the receiver of its thread, whether the body names it or not."""
    parent = await say(checked.world, "anna", to_user("ben"))
    await checked.attach(says(ALLOW))
    sent = await checked.world.post(
        f"/messages/{parent['id']}/thread", {"data": {"text": "Yes"}}, as_="ben"
    )
    [asked] = checked.messages
    assert asked == unsent(sent)
    assert (asked["receiver"], asked["parentId"]) == ("anna", parent["id"])


async def test_quotes(checked: Checked) -> None:
    """A message that quotes another one is shown with the id of that."""
    quoted = await say(checked.world, "anna", to_user("ben"))
    await checked.attach(says(ALLOW))
    await say(checked.world, "ben", to_user("anna", quotedMessageId=quoted["id"]))
    assert [message["quotedMessageId"] for message in checked.messages] == [quoted["id"]]


async def test_several_receivers(checked: Checked) -> None:
    """Each message of a call is decided on alone."""

    async def decide(body: Json) -> web.StreamResponse:
        match body["data"]["message"]["receiver"]:
            case "ben":
                return web.json_response({"action": "refuse", "reason": "Not Ben."})
            case "hikers":
                return web.json_response(change(text="Changed"))
        return web.json_response(ALLOW)

    await checked.attach(decide)
    await checked.world.user("cleo")
    receivers = {"uids": ["ben", "nobody", "cleo"], "guids": ["hikers"]}
    body = {"multipleReceivers": receivers, "data": {"text": "Hi"}, "muid": "m"}
    sent = await checked.world.post("/messages", body, as_="anna")

    assert sent["users"]["ben"]["error"]["code"] == BLOCKED
    assert sent["users"]["ben"]["error"]["message"] == "Not Ben."
    assert sent["users"]["nobody"]["error"]["code"] == "ERR_UID_NOT_FOUND"
    assert sent["users"]["cleo"]["data"]["data"]["text"] == "Hi"
    assert sent["groups"]["hikers"]["data"]["data"]["text"] == "Changed"
    assert sorted(message["receiver"] for message in checked.messages) == ["ben", "cleo", "hikers"]
    assert {message["muid"] for message in checked.messages} == {"m"}


async def test_no_receiver_is_left(checked: Checked) -> None:
    """A message that is refused for all of its receivers is answered all the same."""
    await checked.attach(says({"action": "refuse"}))
    body = {"multipleReceivers": {"uids": ["ben"]}, "data": {"text": "Hi"}}
    for headers in ({}, {"Idempotency-Key": "k"}, {"Idempotency-Key": "k"}):
        sent = await checked.world.post("/messages", body, as_="anna", headers=headers)
        assert sent["users"]["ben"]["error"]["code"] == BLOCKED
    assert len(checked.bodies) == 2


async def test_repeated_messages(checked: Checked) -> None:
    """Nobody is asked again about a message that is stored already."""
    await checked.attach(says(change(text="Once")))
    for headers in ({}, {"Idempotency-Key": "k"}, {"Idempotency-Key": "k"}):
        sent = await checked.world.post(
            "/messages", to_user("ben", muid="m"), as_="anna", headers=headers
        )
        assert sent["data"]["text"] == "Once"
    assert len(checked.bodies) == 1


async def test_an_idempotency_key(checked: Checked) -> None:
    """A call with a key is decided on before its transaction; its repetition is not."""
    await checked.attach(says(change(text="Changed")))
    how: Any = {"as_": "anna", "headers": {"Idempotency-Key": "k"}}
    first = await checked.world.post("/messages", to_user("ben"), **how)
    again = await checked.world.post("/messages", to_user("ben"), **how)

    assert first == again
    assert first["data"]["text"] == "Changed"
    assert (len(checked.bodies), await texts(checked.world, TALK, as_="anna")) == (1, ["Changed"])


async def test_a_refused_call_frees_its_key(checked: Checked) -> None:
    """A call that was refused may be made again with its key."""
    answers = iter([{"action": "refuse"}, ALLOW])

    async def decide(_: Json) -> web.StreamResponse:
        return web.json_response(next(answers))

    await checked.attach(decide)
    how: Any = {"as_": "anna", "headers": {"Idempotency-Key": "k"}}
    await checked.world.refused(
        "POST", "/messages", to_user("ben"), status=403, code=BLOCKED, **how
    )
    await checked.world.post("/messages", to_user("ben"), **how)
    assert len(await texts(checked.world, TALK, as_="anna")) == 1


async def test_messages_that_are_refused_anyway(checked: Checked) -> None:
    """Nobody is asked about messages that could not be sent."""
    world = checked.world
    await world.users("cleo", "dora")
    await world.post("/users/ben/blockedusers", {"blockedUids": ["cleo"]})
    await checked.attach(says(ALLOW))
    for sender, body, status in (
        ("anna", to_user("ben", ""), 400),
        ("anna", to_user("nobody"), 404),
        ("nobody", to_user("ben"), 404),
        ("cleo", to_user("ben"), 403),
        ("dora", to_group("hikers"), 403),
        ("anna", to_user("ben", quotedMessageId="77"), 404),
    ):
        await world.call("POST", "/messages", body, as_=sender, status=status)
    assert checked.bodies == []


async def test_the_rights_are_checked_afterwards(checked: Checked) -> None:
    """A block that is made while the webhook thinks counts: it decides nothing else."""

    async def block(_: Json) -> web.StreamResponse:
        await checked.world.post("/users/ben/blockedusers", {"blockedUids": ["anna"]})
        return web.json_response(change(text="Let me through"))

    await checked.attach(block)
    await checked.world.refused(
        "POST", "/messages", to_user("ben"), as_="anna", status=403, code="ERR_BLOCKED_SENDER"
    )
    assert await texts(checked.world, TALK, as_="anna") == []


async def test_changed_data_is_subject_to_the_role(checked: Checked) -> None:
    """Data that the sender's role may not send is refused, though a webhook has made it."""
    world = checked.world
    await world.put(
        "/roles/default/permissions", {"permissions": {"sendMessage.allowedMimeTypes": ["a/b"]}}
    )
    image = {"url": "https://example.com/a.png", "mimeType": "image/png"}
    allowed = {"url": "https://example.com/a.png", "mimeType": "a/b"}
    await checked.attach(says(change(attachments=[image])), "one")
    await checked.attach(says(ALLOW), "two")
    body = to_user("ben") | {"type": "image", "data": {"attachments": [allowed]}}
    await world.refused(
        "POST", "/messages", body, as_="anna", status=403, code="ERR_PERMISSION_DENIED"
    )
    assert [asked["webhook"] for asked in checked.bodies] == ["one"]


async def test_what_is_no_new_message(checked: Checked) -> None:
    """Nobody is asked about deletions, imports and action messages."""
    world = checked.world
    sent = await say(world, "anna", to_user("ben"))
    await world.user("cleo")
    await checked.attach(says({"action": "refuse"}))

    await world.delete(f"/messages/{sent['id']}", as_="anna")
    await world.post("/groups/hikers/members", {"participants": ["cleo"]})
    row = {"muid": "past", **past("anna", to_user("ben"), 1_500_000_000)}
    made = await world.post("/data_import/messages", {"messages": {"past": row}})

    assert made["past"]["success"]
    assert checked.bodies == []


async def test_uploaded_files(checked: Checked) -> None:
    """Uploaded files are shown without a link that works, and stay through a change."""

    async def caption(body: Json) -> web.StreamResponse:
        data = body["data"]["message"]["data"]
        return web.json_response(change(**data | {"text": "A hill"}))

    await checked.attach(caption)
    sent = await send_files(checked.world, File("hill.png", picture(40, 30)), type="image")

    [message] = checked.messages
    [shown], [stored] = message["data"]["attachments"], sent["data"]["attachments"]
    assert shown["url"].startswith("https://files.invalid/")
    without = {"url", "thumbnail"}
    assert {name: shown[name] for name in shown if name not in without} == {
        name: stored[name] for name in stored if name not in without
    }
    assert sent["data"]["text"] == "A hill"
    assert (await fetch(checked.node.sender, stored["url"])).body == picture(40, 30)


async def test_uploaded_files_of_a_refused_message(checked: Checked) -> None:
    """The files of a message that is refused are removed."""
    await checked.attach(says({"action": "refuse"}))
    before = stored_files(checked.node)
    body = form({"receiver": "ben", "receiverType": "user", "type": "file"}, File("a", b"x"))
    await checked.world.refused(
        "POST", "/messages", body, as_="anna", headers=TYPE, status=403, code=BLOCKED
    )
    assert (len(checked.bodies), stored_files(checked.node)) == (1, before)


async def test_media_of_another_type_is_not_shown(checked: Checked) -> None:
    """Nobody is asked about a script that is called an image."""
    await checked.attach(says(ALLOW))
    body = form(
        {"receiver": "ben", "receiverType": "user", "type": "image"}, File("a.png", b"#!/bin/sh\n")
    )
    await checked.world.call("POST", "/messages", body, as_="anna", headers=TYPE, status=400)
    assert checked.bodies == []


async def test_many_senders_at_once(checked: Checked) -> None:
    """Each message is sent with the data that was decided for it."""

    async def number(body: Json) -> web.StreamResponse:
        text = body["data"]["message"]["data"]["text"]
        return web.json_response(change(text=f"{text}!") if int(text) % 2 else ALLOW)

    await checked.attach(number)
    async with asyncio.TaskGroup() as tasks:
        sends = [
            tasks.create_task(say(checked.world, "anna", to_group("hikers", f"{each}")))
            for each in range(60)
        ]
    assert [send.result()["data"]["text"] for send in sends] == [
        f"{each}!" if each % 2 else f"{each}" for each in range(60)
    ]
