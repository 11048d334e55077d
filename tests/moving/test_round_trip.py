"""What was exported is imported into an empty app, and exported again: it is the same."""

import asyncio
import itertools
from pathlib import Path

import pytest
from tests.moving.everything import PICTURE, fill
from tests.moving.moves import contents_of, export, import_, make_app, without_file_ids
from tests.postgres import PostgresServer

from hubbub.bootstrap import open_runtime
from hubbub.config import Settings

_numbers = itertools.count(1)


async def _store(engine: str, folder: Path, server: PostgresServer) -> Settings:
    url = ""
    if engine == "postgresql":
        name = f"round_trip_{next(_numbers)}"
        server.create_database(name)
        url = server.url(name)
    settings = Settings(data=folder, database_url=url)
    async with open_runtime(settings):
        pass
    return settings


@pytest.mark.parametrize(
    "engines",
    [("sqlite", "postgresql", "sqlite"), ("postgresql", "sqlite", "postgresql")],
    ids="-".join,
)
async def test_everything_comes_back(
    engines: tuple[str, ...], tmp_path: Path, postgres_server: PostgresServer
) -> None:
    """From one engine to the other and back, lines and files are the same.

    But for the ids of files. Nothing is refused, and the import finds all that the export has.
    """
    settings = await _store(engines[0], tmp_path / "0", postgres_server)
    app = await fill(settings)
    done = await asyncio.to_thread(export, settings, app, tmp_path / "export0")
    assert done.code == 0, done
    first = without_file_ids(tmp_path / "export0")
    for number, engine in enumerate(engines[1:], start=1):
        source = tmp_path / f"export{number - 1}"
        settings = await _store(engine, tmp_path / str(number), postgres_server)
        await asyncio.to_thread(make_app, settings, "moved")
        made = await asyncio.to_thread(import_, settings, "moved", source)
        assert made.code == 0, made
        assert made.json["comparison"]["differences"] == []
        target = tmp_path / f"export{number}"
        again = await asyncio.to_thread(export, settings, "moved", target)
        assert again.code == 0, again

        assert without_file_ids(target) == first
        assert contents_of(target) == contents_of(tmp_path / "export0")
    assert ("a hill.png", PICTURE) in contents_of(tmp_path / "export0")
