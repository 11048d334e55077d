"""Importing messages with `fetchAttachments`: their files are fetched and stored here."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.api.messages.talk import past
from tests.elsewhere import Elsewhere, serve_elsewhere
from tests.files.uploads import fetch, picture, stored_files
from tests.wire import InProcess
from tests.world import Json, Node, World

from hubbub.http.app import make_app
from hubbub.outbound.addresses import parse_rule
from hubbub.outbound.client import OutboundClient
from hubbub.rest.operations import OPERATIONS

NOT_FETCHED = "ERR_ATTACHMENT_NOT_FETCHED"
SENT = 1_500_000_000
NOTES = b"Notes of the meeting\n"


@pytest.fixture
async def elsewhere(tmp_path: Path) -> AsyncIterator[Elsewhere]:
    """A server with a text and a picture."""
    async with serve_elsewhere(tmp_path) as served:
        served.files = {"notes.txt": NOTES, "hill.png": picture(40, 30)}
        yield served


@pytest.fixture
async def fetching(node: Node, elsewhere: Elsewhere) -> AsyncIterator[Node]:
    """A node that may call the server."""
    client = OutboundClient(parse_rule("127.0.0.0/8"), str(elsewhere.certificate.cert))
    yield replace(node, sender=in_process(node, client))
    await client.close()


@pytest.fixture
async def town(fetching: Node) -> World:
    """Anna and Ben may talk."""
    world = await fetching.world()
    await world.users("anna", "ben")
    return world


def in_process(node: Node, client: OutboundClient) -> InProcess:
    """Return a sender to the node, which calls others by this client."""
    return InProcess(make_app(replace(node.runtime, outbound=client), OPERATIONS))


def row(type_: str, *attachments: Json, **data: Any) -> Json:
    """Return a row with attachments."""
    to_ben = {"receiver": "ben", "receiverType": "user", "category": "message", "type": type_}
    return past("anna", {**to_ben, "data": {**data, "attachments": attachments}}, SENT)


async def import_fetched(world: World, query: str = "", **rows: Json) -> Json:
    """Import messages by muid, with their files; return the outcomes."""
    messages = {muid: {"muid": muid, **each} for muid, each in rows.items()}
    path = f"/data_import/messages?fetchAttachments=true{query}"
    outcomes: Json = await world.post(path, {"messages": messages})
    return outcomes


async def test_files_are_stored(fetching: Node, town: World, elsewhere: Elsewhere) -> None:
    """The messages hold the files themselves, and their links lead here."""
    base = f"https://localhost:{elsewhere.encrypted}/files"
    made = await import_fetched(
        town,
        notes=row("file", {"url": f"{base}/notes.txt", "name": "Notes.txt", "caption": "Ours"}),
        hill=row("image", {"url": f"{base}/hill.png"}, {"url": f"{base}/hill.png"}, text="Look"),
    )

    [notes] = made["notes"]["data"]["data"]["attachments"]
    link = notes.pop("url")
    assert notes == {
        "name": "Notes.txt",
        "mimeType": "text/plain",
        "extension": "txt",
        "size": len(NOTES),
        "caption": "Ours",
    }
    assert (await fetch(fetching.sender, link)).body == NOTES
    hills = (await town.get(f"/messages/{made['hill']['data']['id']}", as_="ben"))["data"]
    assert hills["text"] == "Look"
    assert [(each["name"], each["width"]) for each in hills["attachments"]] == [
        ("hill.png", 40)
    ] * 2
    assert all("thumbnail" in each for each in hills["attachments"])


async def test_urls_stay_without_it(node: Node, town: World, elsewhere: Elsewhere) -> None:
    """Nothing is fetched unless the import asks for it."""
    url = f"https://localhost:{elsewhere.encrypted}/files/notes.txt"
    before = stored_files(node)
    body = {"messages": {"m": {"muid": "m", **row("file", {"url": url})}}}
    made = await town.post("/data_import/messages", body)
    assert made["m"]["data"]["data"]["attachments"] == [{"url": url}]
    assert not elsewhere.asked
    assert stored_files(node) == before


async def test_a_file_that_is_not_fetched(node: Node, town: World, elsewhere: Elsewhere) -> None:
    """A row fails alone if one of its files can't be fetched, and leaves no file."""
    base = f"https://localhost:{elsewhere.encrypted}"
    before = stored_files(node)
    made = await import_fetched(
        town,
        gone=row("file", {"url": f"{base}/files/notes.txt"}, {"url": f"{base}/status/404"}),
        untrue=row("image", {"url": f"{base}/files/notes.txt", "name": "hill.png"}),
        plain={**row("file"), "type": "text", "data": {"text": "No file"}},
    )

    assert made["gone"]["error"]["code"] == NOT_FETCHED
    assert made["gone"]["error"]["details"] == {
        "data.attachments.1.url": ["The server answered with the status 404."]
    }
    assert made["untrue"]["error"]["code"] == "ERR_INVALID_MEDIA_MESSAGE"
    assert made["plain"]["success"]
    assert stored_files(node) == before


@pytest.mark.parametrize(
    "url",
    ["https://127.0.0.1:{port}/files/notes.txt", "http://127.0.0.1:{plain}/files/notes.txt",
     "https://localhost:{port}/redirect/302?to=http://localhost:{plain}/files/notes.txt"],
)  # fmt: skip
async def test_addresses_that_are_not_public(node: Node, elsewhere: Elsewhere, url: str) -> None:
    """Nothing of this machine is fetched, unless the operator allows it."""
    world = await node.world()
    await world.users("anna", "ben")
    named = url.format(port=elsewhere.encrypted, plain=elsewhere.plain)
    made = await import_fetched(world, m=row("file", {"url": named}))
    assert made["m"]["error"]["code"] == NOT_FETCHED
    assert not elsewhere.asked


async def test_what_is_no_attachment(node: Node, town: World, elsewhere: Elsewhere) -> None:
    """Rows whose attachments can't be fetched fail alone, with the field named."""
    url = f"https://localhost:{elsewhere.encrypted}/files/notes.txt"
    wrong: list[Any] = [5, None, [], {}, {"url": 7}]
    rows: Json = {f"m{at}": row("text", each, text="x") for at, each in enumerate(wrong)}
    many: Json = {"many": row("file", *[{"url": url}] * 21)}
    made = await import_fetched(town, "", **rows, **many)

    assert {made[key]["error"]["code"] for key in rows} == {NOT_FETCHED}
    assert all(list(made[key]["error"]["details"]) == ["data.attachments.0.url"] for key in rows)
    assert list(made["many"]["error"]["details"]) == ["data.attachments"]
    assert await town.get("/messages") == []


async def test_a_repeated_import(node: Node, town: World, elsewhere: Elsewhere) -> None:
    """A row that is stored already is skipped, and keeps the files that it has."""
    url = f"https://localhost:{elsewhere.encrypted}/files/notes.txt"
    first = await import_fetched(town, m=row("file", {"url": url}))
    before = stored_files(node)
    again = await import_fetched(town, "&onConflict=skip", m=row("file", {"url": url}))
    assert again["m"]["skipped"]
    assert again["m"]["data"]["id"] == first["m"]["data"]["id"]
    assert stored_files(node) == before


async def test_an_idempotency_key(node: Node, town: World, elsewhere: Elsewhere) -> None:
    """A retry gets the first answer, and fetches nothing again."""
    url = f"https://localhost:{elsewhere.encrypted}/files/notes.txt"
    body = {"messages": {"m": {"muid": "m", **row("file", {"url": url})}}}
    path, headers = "/data_import/messages?fetchAttachments=true", {"Idempotency-Key": "once"}
    first = await town.post(path, body, headers=headers)
    before = stored_files(node)
    again = await town.post(path, body, headers=headers)
    assert again["m"]["data"]["id"] == first["m"]["data"]["id"]
    assert len(elsewhere.asked) == 1
    assert stored_files(node) == before
