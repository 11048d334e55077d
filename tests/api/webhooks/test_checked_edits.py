"""The webhooks of before_message decide on edits as on messages that are sent."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web
from tests.api.messages.talk import group, say, to_group, to_user
from tests.api.webhooks.hooks import ALLOW, Checked, change, says, serve_checked
from tests.files.uploads import File, picture, send_files
from tests.world import Json, Node

BLOCKED = "ERR_BLOCKED_BY_WEBHOOK"


@pytest.fixture
async def checked(node: Node, tmp_path: Path) -> AsyncIterator[Checked]:
    """An app with Anna and Ben, who are in a group, and no webhooks yet."""
    async with serve_checked(node, tmp_path) as served:
        await group(served.world, "hikers", "anna", "ben")
        yield served


async def edit(checked: Checked, sent: Json, as_: str | None = "anna", **body: object) -> Json:
    """Edit a message; return it as the answer shows it."""
    action = await checked.world.put(f"/messages/{sent['id']}", body, as_=as_)
    edited: Json = action["data"]["entities"]["on"]["entity"]
    return edited


async def read(checked: Checked, sent: Json) -> Json:
    """Return a message as the app sees it."""
    message: Json = await checked.world.get(f"/messages/{sent['id']}")
    return message


@pytest.mark.parametrize("by", ["anna", None])
async def test_what_is_asked_of_an_edit(checked: Checked, by: str | None) -> None:
    """It is told that it is an edit, and shown the message as it would be."""
    body = to_group("hikers", "Hi", tags=["one"])
    body["data"]["metadata"] = {"a": 1}
    sent = await say(checked.world, "anna", body)
    await checked.attach(says(ALLOW))

    await edit(checked, sent, by, data={"text": "Hello <@uid:ben>, <@all>"}, tags=["two"])

    [asked] = checked.bodies
    assert asked["data"].pop("action") == "edit"
    stored = await read(checked, sent)
    later = {"updatedAt", "editedAt", "editedBy"}
    assert asked["data"]["message"] == {
        name: value for name, value in stored.items() if name not in later
    } | {"updatedAt": sent["updatedAt"]}
    assert stored["data"]["metadata"] == {"a": 1}
    assert stored["tags"] == ["two"]


async def test_an_edit_with_other_data(checked: Checked) -> None:
    """The data of the webhooks, one after the other, replaces all that the message has."""
    body = to_user("ben", "Hi")
    body["data"]["metadata"] = {"a": 1}
    sent = await say(checked.world, "anna", body)
    await checked.attach(says(change(text="Hello <@uid:ben>")), "one")

    async def louder(body: Json) -> web.StreamResponse:
        data = body["data"]["message"]["data"]
        return web.json_response(change(**data | {"text": data["text"] + "!"}))

    await checked.attach(louder, "two")
    edited = await edit(checked, sent, data={"text": "Damn"}, tags=["two"])

    for message in (edited, await read(checked, sent)):
        assert message["data"]["text"] == "Hello <@uid:ben>!"
        assert list(message["data"]["mentions"]) == ["ben"]
        assert "metadata" not in message["data"]
    assert (await read(checked, sent))["tags"] == ["two"]


async def test_a_refused_edit(checked: Checked) -> None:
    """The editor gets the reason; the message stays as it was, and nobody is told."""
    sent = await say(checked.world, "anna", to_user("ben", "Hi"))
    before = await read(checked, sent)
    await checked.attach(says({"action": "refuse", "reason": "Not so."}))

    await checked.world.refused(
        "PUT", f"/messages/{sent['id']}", {"data": {"text": "Damn"}},
        as_="anna", status=403, code=BLOCKED,
    )  # fmt: skip

    assert checked.world.answer.error["message"] == "Not so."
    assert await read(checked, sent) == before
    assert len(await checked.world.get("/users/ben/messages", as_="anna")) == 1


@pytest.mark.parametrize("answer", [b"ok", change(), change(text=7), change(text="x" * 10_300)])
async def test_an_edit_when_the_webhook_fails(checked: Checked, answer: object) -> None:
    """The message is edited as it was to be, or stays as it was: the app decides."""
    sent = await say(checked.world, "anna", to_user("ben", "Hi"))
    await checked.attach(says(answer))
    assert (await edit(checked, sent, data={"text": "Hello"}))["data"]["text"] == "Hello"

    await checked.refuse_on_failure()
    await checked.world.refused(
        "PUT", f"/messages/{sent['id']}", {"data": {"text": "Hey"}},
        as_="anna", status=403, code=BLOCKED,
    )  # fmt: skip
    assert (await read(checked, sent))["data"]["text"] == "Hello"


async def test_edits_that_are_refused_anyway(checked: Checked) -> None:
    """Nobody is asked about edits that could not be made."""
    sent = await say(checked.world, "anna", to_user("ben", "Hi"))
    await checked.attach(says(ALLOW))
    path, text = f"/messages/{sent['id']}", {"data": {"text": "Hello"}}
    for as_, where, body, status in (
        ("ben", path, text, 403),
        ("anna", path, {}, 400),
        ("anna", path, {"data": {"text": ""}}, 400),
        ("anna", "/messages/77", text, 404),
        ("nobody", path, text, 404),
    ):
        await checked.world.call("PUT", where, body, as_=as_, status=status)
    await checked.world.delete(path, as_="anna")
    asked = len(checked.bodies)
    await checked.world.call("PUT", path, text, as_="anna", status=403)
    assert (asked, len(checked.bodies)) == (0, 0)


async def test_the_right_to_edit_is_checked_afterwards(checked: Checked) -> None:
    """A message that is deleted while the webhook thinks is not edited."""
    sent = await say(checked.world, "anna", to_user("ben", "Hi"))

    async def delete(_: Json) -> web.StreamResponse:
        await checked.world.delete(f"/messages/{sent['id']}", as_="anna")
        return web.json_response(change(text="Let me through"))

    await checked.attach(delete)
    await checked.world.call(
        "PUT", f"/messages/{sent['id']}", {"data": {"text": "Hello"}}, as_="anna", status=403
    )
    assert (await read(checked, sent))["data"]["text"] == "Hi"


async def test_files_stay_through_an_edit(checked: Checked) -> None:
    """An uploaded file stays with its message if the webhook keeps what it was shown."""

    async def caption(body: Json) -> web.StreamResponse:
        data = body["data"]["message"]["data"]
        return web.json_response(change(**data | {"text": "A high hill"}))

    sent = await send_files(checked.world, File("hill.png", picture(40, 30)), type="image")
    await checked.attach(caption)
    edited = await edit(checked, sent, data={"text": "A hill"})

    assert edited["data"]["text"] == "A high hill"
    [before], [after] = sent["data"]["attachments"], edited["data"]["attachments"]
    assert after["name"] == before["name"]
    assert after["url"].partition("?")[0] == before["url"].partition("?")[0]


async def test_a_repeated_edit(checked: Checked) -> None:
    """An edit with an idempotency key is decided on once, and made once."""
    sent = await say(checked.world, "anna", to_user("ben", "Hi"))
    await checked.attach(says(change(text="Hello")))
    path, body = f"/messages/{sent['id']}", {"data": {"text": "Damn"}}

    first, again = [
        await checked.world.put(path, body, as_="anna", headers={"Idempotency-Key": "k"})
        for _ in range(2)
    ]

    assert first == again
    assert (await read(checked, sent))["data"]["text"] == "Hello"
    assert len(checked.bodies) == 1
