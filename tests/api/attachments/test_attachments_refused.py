"""Forms and files that are refused: the errors, and that nothing is left behind."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, cast

import pytest
from tests.engines import one_engine
from tests.files.leftovers import count_leftovers, forget_leftovers
from tests.files.uploads import (
    BOUNDARY,
    END,
    TO_BEN,
    TYPE,
    File,
    bomb,
    field_part,
    file_part,
    form,
    part,
    picture,
    refuse_files,
    stored_files,
)
from tests.wire import InProcess
from tests.world import Node, World

from hubbub.domain.attachments import upload
from hubbub.files.store import open_store
from hubbub.http.app import make_app
from hubbub.http.decoding import forms as attachments
from hubbub.records.attachments.model import MOST_FILES
from hubbub.rest.operations import OPERATIONS
from hubbub.storage.interface import Database, Operation

BAD_REQUEST = "ERR_BAD_REQUEST"
BAD_MEDIA = "ERR_INVALID_MEDIA_MESSAGE"
TOO_LARGE = "ERR_PAYLOAD_TOO_LARGE"
HELLO = File("a.txt", b"Hello")
FILE = file_part(HELLO)


@pytest.fixture
async def talk(node: Node, world: World) -> AsyncIterator[World]:
    """Anna and Ben; at the end, nothing is stored that was not before."""
    await world.users("anna", "ben")
    before = stored_files(node)
    yield world
    assert stored_files(node) == before
    assert await count_leftovers(node, world.app_id) == 0


# Malformed forms


@pytest.mark.parametrize(
    "content_type",
    [
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=" + "x" * 71,
        "multipart/form-data; boundary=another",
    ],
)
async def test_a_form_has_its_boundary(talk: World, content_type: str) -> None:
    """A form without its boundary is refused."""
    headers = {"content-type": content_type}

    await refuse_files(talk, form(TO_BEN, HELLO), headers=headers, status=400, code=BAD_REQUEST)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"Hello",
        b'{"receiver": "ben"}',
        FILE,
        form(TO_BEN, HELLO)[:-4],
        form(TO_BEN, HELLO)[: -len(END)],
        form(TO_BEN, HELLO).replace(b"\r\n", b"\n"),
        f"--{BOUNDARY}\r\nNo header\r\n\r\nx\r\n".encode() + END,
        part("form-data", b"x") + END,
        part('form-data; name="a\xff"', b"x").replace(b"\xc3\xbf", b"\xff") + END,
        part('form-data; name=""', b"x") + END,
        part('form-data; name="x"', b"x", "X: " + "x" * 10_000 + "\r\n") + END,
        part('form-data; name="x"', b"x", "Content-Transfer-Encoding: base64\r\n") + END,
        part("form-data; name=\"file\"; filename*=no-such'en'x", b"x") + END,
        part("form-data; name=\"file\"; filename*=UTF-8'en'%ff", b"x") + END,
    ],
)
@one_engine
async def test_a_malformed_form(talk: World, body: bytes) -> None:
    """A malformed form is a bad request, at whatever point it breaks."""
    await refuse_files(talk, body, status=400, code=BAD_REQUEST)


async def test_a_form_may_go_elsewhere(talk: World) -> None:
    """An operation that takes no files takes no forms."""
    await talk.refused(
        "POST", "/users", form({"uid": "carla"}), headers=TYPE, status=400, code=BAD_REQUEST
    )


# Parts


async def test_a_form_has_few_parts(talk: World) -> None:
    """More than 64 parts, files or not, are refused."""
    fields = {f"x{number}": "x" for number in range(65)}

    await refuse_files(talk, form(fields), status=400, code=BAD_REQUEST)


async def test_a_message_has_twenty_files(talk: World) -> None:
    """A message with more than 20 files is refused, and none is stored."""
    details = await refuse_files(
        talk, form(TO_BEN, *[HELLO] * (MOST_FILES + 1)), status=400, code=BAD_MEDIA
    )

    assert list(details) == ["file"]


async def test_fields_have_a_megabyte_together(talk: World) -> None:
    """Fields that are not files may have 1,048,576 bytes together; one more is refused."""
    fields = {**TO_BEN, "x": "x" * 1_048_576}

    await refuse_files(talk, form(fields, HELLO), status=413, code=TOO_LARGE)
    await refuse_files(talk, FILE + form(fields), status=413, code=TOO_LARGE)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        (field_part(("data", "{")), "data"),
        (field_part(("data", '{"text": "\\ud800"}')), "data"),
        (field_part(("data", "[" * 100 + "]" * 100)), "data"),
        (field_part(("tags", "x")), "tags"),
        (field_part(("tags", '{"a": 1}')), "tags"),
        (field_part(("updateConversation", "yes")), "updateConversation"),
        (field_part(("muid", "a\0b")), "muid"),
        (field_part(("receiver", "carla")), "receiver"),
        (part('form-data; name="muid"', b"\xff"), "muid"),
        (file_part(replace(HELLO, part="photo")), "photo"),
    ],
)
async def test_a_part_is_what_it_should_be(talk: World, wrong: bytes, field: str) -> None:
    """A bad part is named in the error."""
    details = await refuse_files(
        talk, FILE + wrong + form(TO_BEN, HELLO), status=400, code=BAD_REQUEST
    )

    assert list(details) == [field]


# Messages that cannot have files


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"type": "text", "data": {"text": "Hello"}}, BAD_MEDIA, "type"),
        ({"type": ""}, BAD_MEDIA, "type"),
        ({"category": "custom", "type": "x", "data": {"customData": {}}}, BAD_MEDIA, "category"),
        ({"type": "image", "data": []}, "ERR_INVALID_MESSAGE_DATA", "data"),
        ({"type": "image", "data": {"attachments": {}}}, BAD_MEDIA, "data.attachments"),
        ({"type": "image", "data": {"attachments": [1]}}, BAD_MEDIA, "data.attachments.0.url"),
        ({"type": "image", "data": {"text": "x" * 10_240}}, "ERR_INVALID_MESSAGE_DATA", "data"),
        ({"type": "image", "receiver": ""}, "ERR_EMPTY_RECEIVER", "receiver"),
    ],
)
async def test_a_message_that_holds_no_files(
    talk: World, fields: dict[str, object], code: str, field: str
) -> None:
    """Files are for media messages only, which must be valid."""
    details = await refuse_files(talk, form(TO_BEN | fields, HELLO), status=400, code=code)

    assert list(details) == [field]


async def test_a_message_without_type_is_a_text(talk: World) -> None:
    """A message without a type is a text, which cannot have files."""
    fields = {"receiver": "ben", "receiverType": "user"}

    await refuse_files(talk, form(fields, HELLO), status=400, code=BAD_MEDIA)


async def test_a_media_message_needs_a_file(talk: World) -> None:
    """A media message with neither a file nor an attachment is refused."""
    code = "ERR_EMPTY_MESSAGE_FILE"

    await refuse_files(talk, form(TO_BEN), status=400, code=code)
    await refuse_files(talk, form(TO_BEN, File("", b"")), status=400, code=code)


async def test_a_role_may_send_some_types_only(talk: World) -> None:
    """A role's permission applies to the type of the content."""
    await talk.post("/roles", {"role": "quiet", "name": "Quiet"})
    await talk.put("/users/anna", {"role": "quiet"})
    allowed = {"sendMessage.allowedMimeTypes": ["text/plain"]}
    await talk.put("/roles/quiet/permissions", {"permissions": allowed})

    await talk.refused(
        "POST",
        "/messages",
        form(TO_BEN, File("a.txt", picture(1, 1))),
        as_="anna",
        headers=TYPE,
        status=403,
        code="ERR_PERMISSION_DENIED",
    )


# Limits


async def test_files_have_a_limit_together(talk: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """One byte over the limit, in any of the files, is refused."""
    monkeypatch.setattr(upload, "LARGEST_FILES", 100_000)
    half = File("a.bin", bytes(50_000))
    over = File("b.bin", bytes(50_001))

    await refuse_files(talk, form(TO_BEN, half, over), status=413, code=TOO_LARGE)
    await refuse_files(talk, form(TO_BEN, over, half), status=413, code=TOO_LARGE)


async def test_a_form_has_a_limit(talk: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes before, between and behind the parts are limited, too."""
    monkeypatch.setattr(attachments, "LARGEST_FORM", 100_000)
    body = form(TO_BEN, HELLO)
    chunked = {**TYPE, "content-length": ""}

    for padded in (bytes(100_000) + b"\r\n" + body, body + bytes(100_000)):
        await refuse_files(talk, padded, status=413, code=TOO_LARGE)
        await refuse_files(talk, padded, headers=chunked, status=413, code=TOO_LARGE)


async def test_an_upload_has_an_end(talk: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """An upload that takes longer than unused files are kept is refused."""
    monkeypatch.setattr(attachments, "UPLOAD_SECONDS", 0)

    await refuse_files(talk, form(TO_BEN, HELLO), status=400, code=BAD_REQUEST)


class HeldDatabase:
    """A database whose writes begin when they are released."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.is_asked = asyncio.Event()
        self.is_released = asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    async def write(self, app_id: str, operation: Operation[Any]) -> Any:
        self.is_asked.set()
        await self.is_released.wait()
        return await self._database.write(app_id, operation)


async def test_a_cancelled_upload_leaves_no_row(node: Node, talk: World) -> None:
    """An upload that is cancelled while its row is written waits for the row, and removes it."""

    async def pieces() -> AsyncIterator[bytes]:
        yield b"Hello"

    held = HeldDatabase(node.runtime.database)
    cancelled = upload.Upload(replace(node.runtime, database=cast("Database", held)), talk.app_id)
    adding = asyncio.create_task(cancelled.add("a.txt", pieces()))
    await held.is_asked.wait()
    adding.cancel()
    await asyncio.wait([adding], timeout=0)
    await asyncio.sleep(0)
    is_waiting = not adding.done()
    held.is_released.set()
    await asyncio.wait([adding])
    await cancelled.discard()

    assert is_waiting
    assert adding.cancelled()
    assert await count_leftovers(node, talk.app_id) == 0


@pytest.mark.parametrize(("width", "height"), [(100_000, 100_000), (2**31 - 1, 2**31 - 1)])
async def test_a_picture_has_a_limit(talk: World, width: int, height: int) -> None:
    """A picture with too many pixels is refused, however small its file is."""
    details = await refuse_files(
        talk,
        form({**TO_BEN, "type": "image"}, File("a.png", bomb(width, height))),
        status=400,
        code=BAD_MEDIA,
    )

    assert f"{width:,} x {height:,}" in details["file"][0]


# File storage that is not reachable


async def test_without_a_store_nothing_is_sent(node: Node, talk: World) -> None:
    """While files can't be stored, a message with one is answered 503 and not sent."""
    url = "s3://bucket/?region=us-east-1&endpoint=http://127.0.0.1:1&access_key_id=a"
    away = open_store(url + "&secret_access_key=b", node.runtime.settings.data)
    sender = InProcess(make_app(replace(node.runtime, files=away), OPERATIONS))
    world = World(sender, talk.app_id, talk.key, talk.auth_key)

    answer = await world.ask("POST", "/messages", form(TO_BEN, HELLO), as_="anna", headers=TYPE)

    assert (answer.status, answer.headers["retry-after"]) == (503, "5")
    assert await talk.get("/messages") == []
    away.close()
    await node.runtime.database.write(talk.app_id, forget_leftovers)
