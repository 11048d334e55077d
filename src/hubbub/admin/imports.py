"""The commands by which an import uses the store that a node has open.

The command line reads and checks the source; the node stores some rows with each command, among
the other work that it has.
"""

import time
from asyncio import sleep
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from hubbub.moving.apply.outcome import Conflicts
from hubbub.moving.lines import AnyLine, Line
from hubbub.moving.staging import Plain, StagedRow
from hubbub.moving.target import ImportBeginning, OwnStore
from hubbub.runtime import Runtime

Answer = dict[str, Any]
STEP = 100
"""So many rows a node stores at a time: some milliseconds, for which others wait."""
THE_IMPORT = ""
"""An import rests like an app of its own, also while only its own app asks for something."""


class SentRow(msgspec.Struct):
    """A staged row, whose body is text: a command is one line of JSON."""

    place: int
    kind: str
    source: str
    number: int
    body: str
    error: str | None
    plain: Plain | None = None


async def begin(runtime: Runtime, arguments: Mapping[str, Any]) -> Answer:
    """Begin an import into the app `app`, or go on with it: `beginning`."""
    beginning = msgspec.convert(arguments["beginning"], ImportBeginning)
    return _answer(await _store(runtime, arguments).begin(beginning))


async def set_total(runtime: Runtime, arguments: Mapping[str, Any]) -> Answer:
    """Store how many rows the import `id` has: `total`, `dropped`."""
    store = _store(runtime, arguments)
    await store.set_total(arguments["id"], arguments["total"], arguments["dropped"])
    return _answer(None)


async def apply(runtime: Runtime, arguments: Mapping[str, Any]) -> Answer:
    """Carry out some rows of the import `id`: `rows`, `conflicts`, `paths`."""
    conflicts = Conflicts(arguments["conflicts"])
    store = _store(runtime, arguments)
    async with _resting(runtime):
        rows = _rows_of(arguments)
        counts = await store.apply(arguments["id"], rows, conflicts, arguments["paths"])
    return _answer(counts)


async def find(runtime: Runtime, arguments: Mapping[str, Any]) -> Answer:
    """Find what is stored under the keys of `lines` of a `kind`."""
    lines: list[Line] = msgspec.convert(arguments["lines"], list[AnyLine])
    async with _resting(runtime):
        found = await _store(runtime, arguments).find(arguments["kind"], lines)
    return _answer(found)


async def find_other(runtime: Runtime, arguments: Mapping[str, Any]) -> Answer:
    """Find what is stored under the keys of `rows` of a `kind`, unless it is what they say."""
    async with _resting(runtime):
        store = _store(runtime, arguments)
        found = await store.find_other(arguments["kind"], _rows_of(arguments))
    return _answer({str(place): line for place, line in found.items()})


async def tell(runtime: Runtime, arguments: Mapping[str, Any]) -> Answer:
    """Tell connected clients that the conversations with `keys` have changed."""
    keys = msgspec.convert(arguments["keys"], list[tuple[str, str, str]])
    await _store(runtime, arguments).tell(keys)
    return _answer(None)


async def end(runtime: Runtime, arguments: Mapping[str, Any]) -> Answer:
    """End the import `id`: `state`, `report`."""
    store = _store(runtime, arguments)
    await store.end(arguments["id"], arguments["state"], arguments["report"])
    return _answer(None)


async def list_refusals(runtime: Runtime, arguments: Mapping[str, Any]) -> Answer:
    """List refused rows of the import `id` after the place `after`."""
    store = _store(runtime, arguments)
    return _answer(await store.list_refusals(arguments["id"], arguments["after"]))


async def list_runs(runtime: Runtime, arguments: Mapping[str, Any]) -> Answer:
    """List the latest imports into the app `app`."""
    return _answer(await _store(runtime, arguments).list_runs())


async def find_run(runtime: Runtime, arguments: Mapping[str, Any]) -> Answer:
    """Find the import `id`."""
    return _answer(await _store(runtime, arguments).find_run(arguments["id"]))


@asynccontextmanager
async def _resting(runtime: Runtime) -> AsyncIterator[None]:
    """Rest after the work in the block as long as it took, while clients ask for something."""
    began = time.perf_counter()
    yield
    await sleep(runtime.rests.after(THE_IMPORT, time.perf_counter() - began))


def _rows_of(arguments: Mapping[str, Any]) -> list[StagedRow]:
    """Return the rows that were sent, as they were staged: the command has checked them."""
    return [
        StagedRow(
            place=row.place,
            kind=row.kind,
            source=row.source,
            number=row.number,
            body=row.body.encode(),
            error=row.error,
            plain=row.plain,
        )
        for row in msgspec.convert(arguments["rows"], list[SentRow])
    ]


def _store(runtime: Runtime, arguments: Mapping[str, Any]) -> OwnStore:
    return OwnStore(runtime, arguments["app"], step=STEP)


def _answer(result: object) -> Answer:
    return {"result": msgspec.to_builtins(result)}


IMPORT_COMMANDS = {
    "import begin": begin,
    "import total": set_total,
    "import apply": apply,
    "import find": find,
    "import other": find_other,
    "import tell": tell,
    "import end": end,
    "import refusals": list_refusals,
    "import runs": list_runs,
    "import run": find_run,
}
