"""A backup while a node sends and removes files: what was answered before it is in it, whole."""

import asyncio
import itertools
import random
import threading
from pathlib import Path

from tests.backup.conftest import Original
from tests.cli.command import hubbub
from tests.clock import ManualClock
from tests.crash.stores import SqliteStore, check
from tests.crash.test_kill import CONNECTIONS, PEOPLE, WORK_SECONDS, Ledger, Sender
from tests.files.uploads import File, files_in, picture, send_files
from tests.wire import InProcess
from tests.world import Node

from hubbub.backup.make import back_up
from hubbub.backup.snapshot import BackupOrder
from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.domain.attachments.remove import remove_leftovers
from hubbub.http.app import make_app
from hubbub.rest.operations import OPERATIONS


async def test_sends_go_on(original: Original, tmp_path: Path) -> None:
    """A backup under load has each message answered before it, and sends are answered meanwhile."""
    world = await original.live.world()
    await world.users(*PEOPLE)
    ledger, serial = Ledger(), itertools.count(1)
    senders = [
        asyncio.create_task(
            Sender(original.live.port, world.key, ledger, random.Random(number), serial).run()
        )
        for number in range(CONNECTIONS)
    ]
    async with asyncio.timeout(WORK_SECONDS):
        await ledger.wait_for(500)
        before = dict(ledger.answered)
        command = ("backup", str(tmp_path / "b"), "--data", str(original.data))
        done = await asyncio.to_thread(hubbub, *command)
        meanwhile = len(ledger.answered) - len(before)
    for sender in senders:
        sender.cancel()
    await asyncio.gather(*senders, return_exceptions=True)

    assert done.code == 0, done
    assert meanwhile > 0
    stored = await SqliteStore(tmp_path / "b" / "hubbub.db").read(world.app_id)
    check(stored)
    ids = {muid: str(id_) for id_, _, _, muid, _, _ in stored.messages}
    assert before.items() <= ids.items()


async def test_files_that_are_removed_meanwhile(tmp_path: Path) -> None:
    """A file whose message is deleted while a backup runs is in the backup, as is its message."""
    settings = Settings(data=tmp_path / "data")
    is_copied, is_deleted = threading.Event(), threading.Event()

    def progress(step: str, done: int, total: int) -> None:
        if step == "database" and done == total:
            is_copied.set()
            assert is_deleted.wait(WORK_SECONDS)

    async with open_runtime(settings, clock := ManualClock()) as runtime:
        node = Node(runtime, clock, InProcess(make_app(runtime, OPERATIONS)), {})
        world = await node.world()
        await world.users("anna", "ben")
        sent = await send_files(world, File("a.png", picture(2, 2)), type="image")
        order = BackupOrder(settings, clock, progress)
        making = asyncio.create_task(asyncio.to_thread(back_up, order, tmp_path / "b"))
        assert await asyncio.to_thread(is_copied.wait, WORK_SECONDS)
        await world.delete(f"/messages/{sent['id']}", {"permanent": True}, as_="anna")
        await remove_leftovers(runtime)
        is_deleted.set()
        manifest = await making
        await remove_leftovers(runtime)

    assert (manifest.counts.messages, manifest.counts.files) == (1, 1)
    assert len(files_in(tmp_path / "b" / "files")) == 2
    assert not files_in(tmp_path / "data" / "files")
