"""A store with messages and files, and a backup that was made of it while a node served it."""

import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.cli.command import Done, hubbub
from tests.files.uploads import File, picture, send_files
from tests.live import LiveNode
from tests.world import World

from hubbub.backup.manifest import BackupRefused
from hubbub.backup.restore import FolderSource, RestoreOrder
from hubbub.backup.restore import restore as restore_backup
from hubbub.config import Settings

TEXT = b"The plan for Sunday"
PUBLIC = {"HUBBUB_PUBLIC_URL": "https://chat.example"}
"""So that links are the same at the original and at a restored node."""


@dataclass(frozen=True, slots=True)
class Original:
    """A running node, its app with a conversation, and a backup."""

    live: LiveNode
    world: World
    backup: Path
    done: Done

    @property
    def data(self) -> Path:
        return self.live.data

    @property
    def key(self) -> Path:
        """Return the file with the master key."""
        return self.data / "secret.key"

    def world_at(self, live: LiveNode) -> World:
        """Return the same app at another node."""
        return World(live, self.world.app_id, self.world.key, self.world.auth_key)


@pytest.fixture(scope="session")
async def _made(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Original]:
    folder = tmp_path_factory.mktemp("backup")
    with LiveNode(Settings(data=folder / "data"), **PUBLIC) as live:
        world = await live.world()
        await world.users("anna", "ben")
        for number in range(20):
            await say(world, f"Message {number}")
        await send_files(world, File("plan.txt", TEXT))
        await send_files(world, File("hill.png", picture(900, 600)), type="image")
        done = hubbub("backup", str(folder / "backup"), "--data", str(live.data))
        yield Original(live, world, folder / "backup", done)


@pytest.fixture
def original(_made: Original) -> Original:
    """The store and its backup; tests must not change them."""
    return _made


@pytest.fixture
def backup(original: Original, tmp_path: Path) -> Path:
    """A copy of the backup, which a test may damage."""
    return Path(shutil.copytree(original.backup, tmp_path / "copy"))


def restore(backup: Path, data: Path, *options: str, **settings: str) -> Done:
    """Restore a backup into a data folder."""
    return hubbub("restore", str(backup), "--data", str(data), *options, **settings)


def why_refused(backup: Path, data: Path, key: Path) -> str:
    """Restore in this process; return why it is refused."""
    with pytest.raises(BackupRefused) as refused:
        _restore_here(backup, data, key)
    return str(refused.value)


def _restore_here(backup: Path, data: Path, key: Path) -> None:
    source = FolderSource(backup)
    restore_backup(RestoreOrder(source, Settings(data=data), lambda *_: None, key))


async def say(world: World, text: str) -> None:
    """Send a message from Anna to Ben."""
    body = {"receiver": "ben", "receiverType": "user", "data": {"text": text}}
    await world.post("/messages", body, as_="anna")
