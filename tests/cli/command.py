"""Commands as separate processes, and stores for them."""

import asyncio
import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.live import HUBBUB, environment

from hubbub.bootstrap import open_runtime
from hubbub.config import Settings

LONGEST_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a command."""

    code: int
    printed: str
    complained: str

    @property
    def json(self) -> Any:
        return json.loads(self.printed)

    @property
    def sentence(self) -> str:
        """The single line of an expected failure."""
        assert self.code == 1, self
        assert self.printed == "", self
        assert self.complained.startswith("hubbub: "), self
        assert self.complained.count("\n") == 1, self
        return self.complained.removeprefix("hubbub: ").rstrip("\n")


def hubbub(*arguments: str | bytes, **settings: str) -> Done:
    """Run a command to its end."""
    done = subprocess.run(
        [*HUBBUB, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment(**{"COLUMNS": "200", **settings}),
        timeout=LONGEST_SECONDS,
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def new_folder(path: Path) -> tuple[str, ...]:
    """Make an empty store in a folder, and return the option that names it."""
    settings = Settings(data=path)
    make_store(settings)
    return options_of(settings)


def make_store(settings: Settings) -> None:
    """Make an empty store, as a node does before its first start is complete."""

    async def make() -> None:
        async with open_runtime(settings):
            pass

    asyncio.run(make())


def options_of(settings: Settings) -> tuple[str, ...]:
    """Return the options that name a store."""
    options = ("--data", str(settings.data))
    return (*options, "--database", settings.database_url) if settings.database_url else options


def making(app_id: str = "hikers") -> tuple[str, ...]:
    """Return the command that creates an app."""
    return ("app", "create", "--id", app_id, "--name", "Hiking club", "--region", "eu", "--json")


def check_made(done: Done, app_id: str = "hikers") -> str:
    """Check that an app was created; return its key of full access."""
    assert done.code == 0, done
    assert done.json.keys() == {"id", "region", "apiKeys"}
    assert (done.json["id"], done.json["region"]) == (app_id, "eu")
    assert [(key["name"], key["scope"]) for key in done.json["apiKeys"]] == [
        ("Rest API Key", "fullAccess"),
        ("Auth Key", "authOnly"),
    ]
    assert all(key.keys() == {"apiKey", "name", "scope"} for key in done.json["apiKeys"])
    assert all(re.fullmatch("[0-9a-f]{40}", key["apiKey"]) for key in done.json["apiKeys"])
    return str(done.json["apiKeys"][0]["apiKey"])
