"""An import beside a node leaves time to the node's clients."""

from dataclasses import replace

import msgspec
import pytest
from tests.moving.mover import user
from tests.world import Node, World

from hubbub.admin.socket import run_command
from hubbub.kernel.rests import LONGEST_SECONDS, Rests
from hubbub.moving.apply.outcome import Conflicts
from hubbub.moving.target import ImportBeginning
from hubbub.runtime import Runtime

ROWS = 100


async def store_rows(runtime: Runtime, app_id: str) -> None:
    """Have a node store some rows of a new import, as the command asks for it."""
    beginning = msgspec.to_builtins(ImportBeginning("rows", "lines", Conflicts.COMPARE, "f"))
    begun = await run_command(runtime, "import begin", {"app": app_id, "beginning": beginning})
    lines = [user(f"u{number}") for number in range(1, ROWS + 1)]
    rows = [
        {
            "place": place,
            "kind": "user",
            "source": "rows",
            "number": place,
            "body": msgspec.json.encode(line).decode(),
            "error": None,
        }
        for place, line in enumerate(lines, start=1)
    ]
    given = {"app": app_id, "id": begun["result"]["id"], "conflicts": "compare", "paths": {}}
    done = await run_command(runtime, "import apply", {**given, "rows": rows})
    assert done["result"]["user"]["imported"] == ROWS


@pytest.fixture
def rested(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that an import was made to rest, each time; it does not."""
    seconds: list[float] = []

    async def note(each: float) -> None:
        seconds.append(each)

    monkeypatch.setattr("hubbub.admin.imports.sleep", note)
    return seconds


async def test_an_import_rests_while_clients_ask(
    node: Node, world: World, rested: list[float]
) -> None:
    """After rows were stored it rests, also if only clients of its own app ask for something."""
    runtime = replace(node.runtime, rests=Rests())
    runtime.rests.note_call(world.app_id)

    await store_rows(runtime, world.app_id)

    [seconds] = rested
    assert 0 < seconds <= LONGEST_SECONDS


async def test_an_import_does_not_rest_while_nobody_asks(
    node: Node, world: World, rested: list[float]
) -> None:
    """Without clients it goes on at once."""
    await store_rows(replace(node.runtime, rests=Rests()), world.app_id)

    assert rested == [0.0]
