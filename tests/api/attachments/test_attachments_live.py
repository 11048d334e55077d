"""Large files over real sockets: memory use, and what remains after an aborted upload."""

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import httpx2
import pytest
from tests.api.http.connections import connection, head_of
from tests.files.uploads import (
    BOUNDARY,
    CHUNK,
    END,
    TO_BEN,
    TYPE,
    File,
    field_part,
    file_part,
    files_in,
    form,
    picture,
    pieces_of_form,
)
from tests.live import LiveNode
from tests.soon import until
from tests.world import World

from hubbub.records.attachments.model import LARGEST_FILES

MEGABYTE = 1024 * 1024
MOST_MEMORY = 20 * MEGABYTE
FORM = f"Content-Type: {TYPE['content-type']}"


@pytest.fixture
async def talk(live: LiveNode) -> World:
    """Anna and Ben; a first file was sent, to exclude the costs of the first time."""
    world = await live.world()
    await world.users("anna", "ben")
    await upload(live, world, [b"x"])
    return world


async def upload(live: LiveNode, world: World, pieces: Iterable[bytes]) -> httpx2.Response:
    """Send a file in pieces, without a Content-Length."""

    async def body() -> AsyncIterator[bytes]:
        for piece in pieces_of_form(TO_BEN, pieces):
            yield piece

    async with httpx2.AsyncClient(base_url=live.address, trust_env=False, timeout=60) as client:
        headers = {"apikey": world.key, "onBehalfOf": "anna", **TYPE}
        return await client.post("/v3/messages", content=body(), headers=headers)


def peak_of(live: LiveNode) -> int:
    """Return the process's peak memory since the last reset, in bytes."""
    assert live.process is not None
    status = Path(f"/proc/{live.process.pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def forget_peak(live: LiveNode) -> int:
    """Reset the peak to the process's current memory, and return it."""
    assert live.process is not None
    Path(f"/proc/{live.process.pid}/clear_refs").write_text("5")
    return peak_of(live)


def stored_files(live: LiveNode) -> set[str]:
    """Return everything stored in the folder of files."""
    return files_in(live.data / "files")


async def test_a_hundred_megabytes_take_little_memory(live: LiveNode, talk: World) -> None:
    """The largest upload is stored and read back in less than 20 MB of memory."""
    before = forget_peak(live)
    answer = await upload(live, talk, itertools.repeat(os.urandom(CHUNK), LARGEST_FILES // CHUNK))

    assert answer.status_code == 200, answer.text
    file = answer.json()["data"]["data"]["attachments"][0]
    assert file["size"] == LARGEST_FILES
    size = 0
    async with (
        httpx2.AsyncClient(trust_env=False, timeout=60) as client,
        client.stream("GET", file["url"]) as download,
    ):
        async for piece in download.aiter_raw():
            size += len(piece)
    assert size == LARGEST_FILES
    assert peak_of(live) - before < MOST_MEMORY


async def test_one_byte_more_is_too_much(live: LiveNode, talk: World) -> None:
    """A byte over the limit is refused while it arrives, and nothing is left of the rest."""
    before = stored_files(live)
    whole = itertools.repeat(bytes(CHUNK), LARGEST_FILES // CHUNK)
    answer = await upload(live, talk, itertools.chain(whole, [b"x"]))

    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "ERR_PAYLOAD_TOO_LARGE"
    assert stored_files(live) == before


async def test_a_large_picture_takes_little_memory(live: LiveNode, talk: World) -> None:
    """A picture that takes 50 MB in memory is opened in another process."""
    large = picture(4000, 4000, compress_level=0)
    before = forget_peak(live)
    fields = {**TO_BEN, "type": "image"}
    answer = await talk.post(
        "/messages", form(fields, File("a.png", large)), as_="anna", headers=TYPE
    )

    file = answer["data"]["attachments"][0]
    assert (file["width"], file["thumbnail"]["width"]) == (4000, 400)
    assert peak_of(live) - before < MOST_MEMORY


async def test_a_length_that_is_too_much_is_refused_at_once(live: LiveNode, talk: World) -> None:
    """A body whose declared length is too large is refused when it begins."""
    head = head_of(talk, "POST", "/messages", FORM, f"Content-Length: {2 * LARGEST_FILES}")
    async with connection(live.port) as peer:
        peer.writer.write(head + b"x")
        answer = await peer.reader.readuntil(b"\r\n\r\n")

    assert answer.startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize("length", ["Content-Length: 99999999", "Transfer-Encoding: chunked"])
async def test_an_aborted_upload_leaves_nothing(live: LiveNode, talk: World, length: str) -> None:
    """When the connection ends in the middle of a file, nothing of it is left."""
    before = stored_files(live)
    beginning = form(TO_BEN, File("a.bin", bytes(3 * MEGABYTE)))[: -len(END) - 2]
    if "chunked" in length:
        beginning = b"%x\r\n%b\r\n" % (len(beginning), beginning)
    async with connection(live.port) as peer:
        peer.writer.write(head_of(talk, "POST", "/messages", "onBehalfOf: anna", FORM, length))
        peer.writer.write(beginning)
        await peer.writer.drain()
        await until(lambda: stored_files(live) != before)

    await until(lambda: stored_files(live) == before)
    assert len(await talk.get("/messages")) == 1


@pytest.mark.parametrize(
    ("beginning", "status"),
    [
        (field_part(("x", ""))[:-2], 413),
        (f"--{BOUNDARY}\r\nX: ".encode(), 400),
    ],
    ids=["field", "head"],
)
async def test_a_form_without_end(
    live: LiveNode, talk: World, beginning: bytes, status: int
) -> None:
    """A part that never ends is refused long before it fills the memory."""
    before, peak = stored_files(live), forget_peak(live)
    head = head_of(talk, "POST", "/messages", FORM, "Transfer-Encoding: chunked")
    async with connection(live.port) as peer:
        peer.writer.write(head + b"%x\r\n%b\r\n" % (len(beginning), beginning))
        answer = asyncio.ensure_future(peer.reader.readuntil(b"\r\n\r\n"))
        while not answer.done():
            peer.writer.write(b"10000\r\n%b\r\n" % bytes(0x10000))
            await peer.writer.drain()

    assert answer.result().startswith(b"HTTP/1.1 %d " % status)
    assert peak_of(live) - peak < MOST_MEMORY
    assert stored_files(live) == before


async def test_many_small_files_at_once(live: LiveNode, talk: World) -> None:
    """Concurrent uploads are all stored, each as it was sent."""

    async def send(number: int) -> None:
        content = str(number).encode() * 10_000
        body = file_part(File("a.bin", content)) + form(TO_BEN)
        own = World(live, talk.app_id, talk.key, talk.auth_key)
        sent = await own.post("/messages", body, as_="anna", headers=TYPE)
        url = sent["data"]["attachments"][0]["url"]
        async with httpx2.AsyncClient(trust_env=False, timeout=60) as client:
            assert (await client.get(url)).content == content

    await asyncio.gather(*(send(number) for number in range(20)))
