"""A node that stores its files in S3."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from tests.files.s3 import S3
from tests.files.uploads import (
    TO_BEN,
    File,
    fetch,
    form,
    picture,
    refuse_files,
    send_files,
)
from tests.files.videos import MP4
from tests.wire import InProcess
from tests.world import Node, World

from hubbub.domain.attachments.remove import remove_leftovers
from hubbub.files.store import open_store
from hubbub.http.app import make_app
from hubbub.rest.operations import OPERATIONS

LARGE = bytes(range(256)) * 4096 * 12


@pytest.fixture(scope="module")
def s3() -> Iterator[S3]:
    """A running S3."""
    with S3() as server:
        yield server


@asynccontextmanager
async def on_s3(node: Node, s3: S3) -> AsyncIterator[tuple[Node, World]]:
    """A node with its files in S3, and an app with Anna and Ben."""
    files = open_store(s3.address, node.runtime.settings.data)
    runtime = replace(node.runtime, files=files)
    moved = replace(node, runtime=runtime, sender=InProcess(make_app(runtime, OPERATIONS)))
    world = await moved.world()
    await world.users("anna", "ben")
    yield moved, world
    files.close()


async def test_a_message_and_its_files(node: Node, s3: S3) -> None:
    """Files of all sizes are stored in S3 and read from there, pictures with their thumbnails."""
    async with on_s3(node, s3) as (moved, world):
        files = [File("a.bin", LARGE), File("b.png", picture(500, 100)), File("c.mp4", MP4)]
        sent = await send_files(world, *files)
        large, small, film = sent["data"]["attachments"]

        assert (await fetch(moved.sender, large["url"])).body == LARGE
        part = await fetch(moved.sender, large["url"], {"range": "bytes=256-511"})
        assert part.body == LARGE[256:512]
        assert (small["width"], small["thumbnail"]["width"]) == (500, 400)
        assert (await fetch(moved.sender, small["thumbnail"]["url"])).status == 200
        assert (film["width"], film["height"]) == (64, 48)
        assert sum(f"chat/{world.app_id}/" in key for key in s3.objects()) == 4

        await world.delete(f"/messages/{sent['id']}", {"permanent": True})
        await remove_leftovers(moved.runtime)
        assert not [key for key in s3.objects() if world.app_id in key]


async def test_refused_files_are_not_kept(node: Node, s3: S3) -> None:
    """A refusal after the upload leaves nothing in S3, no parts either."""
    async with on_s3(node, s3) as (_, world):
        body = form(TO_BEN | {"receiver": "nobody"}, File("a.bin", LARGE))
        await refuse_files(world, body, status=404, code="ERR_UID_NOT_FOUND")

    assert not [key for key in s3.objects() if world.app_id in key]
    assert s3.unfinished() == set()
