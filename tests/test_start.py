"""Checks at a node's start: its store, and the master key of its secrets."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import NewSettings

from hubbub.bootstrap import make_first_keys, open_runtime
from hubbub.config import Settings
from hubbub.kernel.sealing import MasterKeyMissing, NotOurSecret
from hubbub.storage.errors import StoreUnusable


async def test_another_master_key_is_refused(empty_settings: NewSettings) -> None:
    """A node does not start with a master key that cannot open the secrets of its store."""
    settings = empty_settings(secret_key="1" * 64)
    async with open_runtime(settings):
        pass

    with pytest.raises(NotOurSecret, match=r"secret\.key"):
        async with open_runtime(replace(settings, secret_key="2" * 64)):
            pass


async def test_a_lost_key_file_is_noticed(empty_settings: NewSettings) -> None:
    """A node does not make a master key beside a store that was made with another one."""
    settings = empty_settings()
    async with open_runtime(settings):
        pass
    (settings.data / "secret.key").unlink()
    before = contents(settings.data)

    for _ in range(2):  # the first refusal must not leave a key that the second one finds
        with pytest.raises(MasterKeyMissing, match=r"secret\.key.*HUBBUB_SECRET_KEY"):
            async with open_runtime(settings):
                pass
        assert contents(settings.data) == before


async def test_a_key_is_not_made_for_the_store_of_others(empty_settings: NewSettings) -> None:
    """A second node on a database without a key of its own writes nothing, not even a folder."""
    settings = empty_settings()
    if not settings.database_url:
        pytest.skip("A store on SQLite is in its data folder.")
    async with open_runtime(settings):
        pass
    other = replace(settings, data=settings.data / "other")

    with pytest.raises(MasterKeyMissing):
        async with open_runtime(other):
            pass
    assert not other.data.exists()


def contents(folder: Path) -> set[str]:
    """Return the names of what is in a folder, without the log that opening a database makes."""
    return {path.name for path in folder.iterdir() if not path.name.startswith("hubbub.db-")}


async def test_first_keys_are_made_once(empty_settings: NewSettings) -> None:
    """The second start of an installation creates no app and no credentials."""
    settings = empty_settings()
    async with open_runtime(settings) as runtime:
        path = await make_first_keys(runtime)
        assert path is not None
        made = path.read_text()

        assert await make_first_keys(runtime) is None
        assert path.read_text() == made


async def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    """The error about a broken database file names the file and the remedy."""
    (tmp_path / "hubbub.db").write_bytes(b"This is no database." * 100)

    with pytest.raises(StoreUnusable, match=r"hubbub\.db"):
        async with open_runtime(Settings(data=tmp_path)):
            pass
