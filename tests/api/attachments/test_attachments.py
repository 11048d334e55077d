"""Files of messages: how they are sent, and how messages show them."""

import re
from typing import Any

import pytest
from tests.files.uploads import (
    TO_BEN,
    TYPE,
    File,
    attached,
    fetch,
    file_part,
    form,
    picture,
    refuse_files,
    send_files,
    stored_files,
)
from tests.files.videos import MP4, WEBM
from tests.world import Json, Node, World

PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + bytes(1000)
INJECTED = "https://files.invalid/"


@pytest.fixture
async def talk(world: World) -> World:
    """Anna, Ben and Carla may talk."""
    await world.users("anna", "ben", "carla")
    return world


async def test_a_file_is_shown_and_downloaded(node: Node, talk: World) -> None:
    """The message shows the file, and its link leads to the content that was sent."""
    sent = await send_files(talk, File("plan.pdf", PDF), data={"text": "The plan"})

    file = sent["data"]["attachments"][0]
    link = file.pop("url")
    assert file == {
        "name": "plan.pdf",
        "mimeType": "application/pdf",
        "extension": "pdf",
        "size": len(PDF),
    }
    assert sent["data"]["text"] == "The plan"
    assert (sent["category"], sent["type"]) == ("message", "file")
    assert (await fetch(node.sender, link)).body == PDF


async def test_every_reader_of_the_message_has_the_link(node: Node, talk: World) -> None:
    """Wherever the message is shown, its files have working links."""
    sent = await send_files(talk, File("plan.pdf", PDF))
    id_ = sent["id"]
    reply = {"type": "text", "data": {"text": "I see"}, "quotedMessageId": id_}
    quoting = await talk.post(
        "/messages", {"receiver": "anna", "receiverType": "user", **reply}, as_="ben"
    )
    told: list[Json] = [
        await talk.get(f"/messages/{id_}", as_="ben"),
        (await talk.get("/users/anna/messages", as_="ben"))[0],
        quoting["quotedMessage"],
        (await talk.put(f"/messages/{id_}", {"data": {"text": "New"}}, as_="anna"))["data"][
            "entities"
        ]["on"]["entity"],
        (await talk.get("/conversations", as_="ben"))[0]["lastMessage"]["quotedMessage"],
    ]

    links = {each["data"]["attachments"][0]["url"] for each in told}
    assert len(links) == 1, "it is the same link, so that caches know it"
    assert (await fetch(node.sender, links.pop())).body == PDF


async def test_files_go_with_attachments_by_url(talk: World) -> None:
    """Several files follow the attachments that are given by URL, in their order."""
    named = {"url": "https://example.com/a.png", "name": "a.png"}
    sent = await send_files(
        talk, File("b.txt", b"b"), File("c.txt", b"c"), data={"attachments": [named]}
    )

    attachments = sent["data"]["attachments"]
    assert attachments[0] == named
    assert [each["name"] for each in attachments[1:]] == ["b.txt", "c.txt"]


async def test_every_field_is_a_part(talk: World) -> None:
    """Texts are sent as they are, other fields as JSON; the result is the same as with JSON."""
    fields = {
        **TO_BEN,
        "type": "image",
        "muid": "7",
        "tags": ["x", "y"],
        "data": {"text": "Grüße", "metadata": {"a": [1, 2.5, None]}},
        "updateConversation": False,
        "conversationText": "",
        "nobodyKnows": "this",
    }
    sent = await send_files(talk, File("a.png", picture(2, 2)), **fields)

    assert sent["muid"] == "7"
    assert sent["tags"] == ["x", "y"]
    assert sent["data"]["text"] == "Grüße"
    assert sent["data"]["metadata"] == {"a": [1, 2.5, None]}
    assert sent["updateConversation"] is False


async def test_a_form_may_have_no_file(talk: World) -> None:
    """A form without files is a message like any other; an empty file part is ignored."""
    fields = {**TO_BEN, "type": "text", "data": {"text": "Hello"}}
    for body in (form(fields), form(fields, File("", b""))):
        sent = await talk.post("/messages", body, as_="anna", headers=TYPE)

        assert sent["data"]["text"] == "Hello"
        assert "attachments" not in sent["data"]


async def test_files_may_stand_before_the_fields(talk: World) -> None:
    """The order of parts is free."""
    body = file_part(File("a.txt", b"a")) + form(TO_BEN)
    sent = await talk.post("/messages", body, as_="anna", headers=TYPE)

    assert sent["data"]["attachments"][0]["name"] == "a.txt"


async def test_a_user_sends_files_by_token(node: Node, talk: World) -> None:
    """A token is enough to send a file; reading it needs neither key nor token."""
    body = form(TO_BEN, File("a.txt", b"Hello"))
    token = await talk.token("anna")
    sent = await talk.post("/messages", body, token=token, headers=TYPE)

    assert (await fetch(node.sender, sent["data"]["attachments"][0]["url"])).body == b"Hello"


async def test_a_file_goes_to_several(node: Node, talk: World) -> None:
    """With several receivers each message has the file, which is stored once."""
    before = stored_files(node)
    fields = {"type": "file", "multipleReceivers": {"uids": ["ben", "carla"]}}
    sent = await talk.post(
        "/messages", form(fields, File("a.txt", b"Hello")), as_="anna", headers=TYPE
    )

    messages = [outcome["data"] for outcome in sent["users"].values()]
    links = {each["data"]["attachments"][0]["url"] for each in messages}
    assert len(links) == 2
    assert [(await fetch(node.sender, link)).body for link in links] == [b"Hello"] * 2
    assert len(stored_files(node) - before) == 1


async def test_a_repeated_muid_stores_nothing(node: Node, talk: World) -> None:
    """An upload repeated with its muid is answered with the first message and stores nothing."""
    first = await send_files(talk, File("a.txt", b"first"), muid="once")
    before = stored_files(node)
    again = await send_files(talk, File("b.txt", b"second"), muid="once")

    assert talk.answer.headers["idempotent-replayed"] == "true"
    assert again == first
    assert stored_files(node) == before


async def test_a_repeated_idempotency_key_stores_nothing(node: Node, talk: World) -> None:
    """An upload repeated with its Idempotency-Key is answered as the first time."""
    body = form(TO_BEN, File("a.txt", b"first"))
    headers = {**TYPE, "idempotency-key": "once"}
    first = await talk.post("/messages", body, as_="anna", headers=headers)
    before = stored_files(node)
    again = await talk.post("/messages", body, as_="anna", headers=headers)

    assert again == first
    assert stored_files(node) == before
    assert (await fetch(node.sender, first["data"]["attachments"][0]["url"])).body == b"first"


# Pictures and videos


async def test_an_image_has_a_thumbnail(node: Node, talk: World) -> None:
    """The message shows width and height of an image, and those of its thumbnail."""
    file = await attached(talk, picture(1000, 500), "a.png", type="image")

    assert (file["width"], file["height"]) == (1000, 500)
    small = file["thumbnail"]
    assert (small["width"], small["height"]) == (400, 200)
    answer = await fetch(node.sender, small["url"])
    assert answer.headers["content-type"] == "image/webp"
    assert (answer.body[:4], answer.body[8:12]) == (b"RIFF", b"WEBP")


@pytest.mark.parametrize(
    ("content", "mime_type", "extension"),
    [(MP4, "video/mp4", "mp4"), (WEBM, "video/webm", "webm")],
    ids=["mp4", "webm"],
)
async def test_a_video_has_dimensions(
    talk: World, content: bytes, mime_type: str, extension: str
) -> None:
    """The message shows width and height of a video."""
    file = await attached(talk, content, "a.bin", type="video")

    assert (file["mimeType"], file["extension"]) == (mime_type, extension)
    assert (file["width"], file["height"]) == (64, 48)
    assert "thumbnail" not in file


async def test_a_broken_image_is_a_file(talk: World) -> None:
    """For an image that can't be read, width, height and thumbnail are absent."""
    file = await attached(talk, picture(10, 10)[:20], "a.png", type="image")

    assert file["mimeType"] == "image/png"
    assert {"width", "height", "thumbnail"}.isdisjoint(file)


# Content against declaration


@pytest.mark.parametrize(
    ("content", "name", "mime_type", "extension"),
    [
        (picture(1, 1), "a.pdf", "image/png", "png"),
        (b"<!DOCTYPE html><script>alert(1)</script>", "a.png", "text/html", "html"),
        (b"MZ\x90\0\3\0\0\0\4\0\0\0\xff\xff", "a.jpg", "application/x-msdownload", "exe"),
        (b"Hello", "a.png", "text/plain", "png"),
        (b"a;b\n1;2\n", "a.csv", "text/csv", "csv"),
        (b"\0\1\2\3\0", "a.Xyz", "application/octet-stream", "xyz"),
        (b"", "empty", "application/octet-stream", ""),
    ],
)
async def test_the_type_is_that_of_the_content(
    talk: World, content: bytes, name: str, mime_type: str, extension: str
) -> None:
    """Neither the name nor the part's Content-Type decides the type of a file."""
    body = form(TO_BEN, File(name, content, type="image/gif"))
    sent = await talk.post("/messages", body, as_="anna", headers=TYPE)

    file = sent["data"]["attachments"][0]
    assert (file["mimeType"], file["extension"]) == (mime_type, extension)
    assert file["name"] == name


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("../../x", "x"),
        ("/etc/passwd", "passwd"),
        ("C:\\\\temp\\\\x.png", "x.png"),
        ("..", "file"),
        (".htaccess", "htaccess"),
        ("a\u202egnp.exe", "agnp.exe"),
        ("Grüße 😀.txt", "Grüße 😀.txt"),
        ("a<b>c|d?.txt", "a_b_c_d_.txt"),
        ("x" * 300 + ".txt", "x" * 196 + ".txt"),
    ],
)
async def test_a_name_is_one_of_a_file(node: Node, talk: World, given: str, name: str) -> None:
    """Whatever a file is called, it gets a harmless name, and is not stored under it."""
    file = await attached(talk, b"Hello", given)

    assert file["name"] == name
    assert (await fetch(node.sender, file["url"])).body == b"Hello"
    stored = re.compile(r"[a-z0-9-]+/[0-9a-f]{2}/[0-9a-f]{32}(-thumbnail)?")
    assert all(map(stored.fullmatch, stored_files(node)))


# Forged references


async def test_a_forged_reference_leads_nowhere(node: Node, talk: World) -> None:
    """Users cannot access a file by writing its reference into a message."""
    file = await attached(talk, b"secret")
    id_ = file["url"].partition("?")[0].rpartition("/")[2].partition(".")[0]
    stolen = f"{INJECTED}{id_}.bin"
    data: Any = {"attachments": [{"url": stolen}], "text": stolen, "metadata": {stolen: stolen}}
    await talk.user("eve", metadata={"x": stolen}, link=stolen)
    body = {"receiver": "ben", "receiverType": "user", "type": "image", "data": data}
    sent = await talk.post("/messages", body, as_="eve")

    link = sent["data"]["attachments"][0]["url"]
    assert link == sent["data"]["text"]
    assert (await fetch(node.sender, link)).status == 404
    assert sent["data"]["entities"]["sender"]["entity"]["link"] == stolen


async def test_a_refused_upload_stores_nothing(node: Node, talk: World) -> None:
    """A refusal after the upload leaves no files; nor does a wrong key."""
    before = stored_files(node)
    body = form(TO_BEN | {"receiver": "nobody"}, File("a.txt", b"Hello"))
    await refuse_files(talk, body, status=404, code="ERR_UID_NOT_FOUND")
    await talk.refused(
        "POST",
        "/messages",
        form(TO_BEN, File("a.txt", b"Hello")),
        key="0" * 40,
        headers=TYPE,
        status=401,
        code="AUTH_ERR_APIKEY_NOT_FOUND",
    )
    await talk.refused(
        "POST",
        "/messages",
        form(TO_BEN, File("a.txt", b"Hello")),
        as_="nobody",
        headers=TYPE,
        status=404,
        code="ERR_UID_NOT_FOUND",
    )

    assert stored_files(node) == before
