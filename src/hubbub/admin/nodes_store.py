"""The store of an app that a node has open, as an import of the command line uses it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from hubbub.admin.client import ask_node
from hubbub.admin.imports import STEP, SentRow
from hubbub.moving.apply.files import Paths
from hubbub.moving.apply.outcome import Conflicts
from hubbub.moving.apply.rows import LONGEST_FIELDS
from hubbub.moving.lines import AnyLine, Line
from hubbub.moving.staging import StagedRow
from hubbub.moving.target import ImportBeginning
from hubbub.records.conversations.model import ConversationKey
from hubbub.records.imports.model import Counts, ImportRun, RefusedRow

LARGEST_PART = 512 * 1024
"""So many bytes of rows go into one command, or one row."""
LONGEST_SECONDS = 600.0
"""A command may have to store the files of a hundred messages at a service far away."""
Item = TypeVar("Item")
_encode = msgspec.json.Encoder().encode


class NodesStore:
    """The store of an app that the node on a data folder has open."""

    step = STEP

    def __init__(self, folder: Path, app_id: str) -> None:
        self._folder = folder
        self._app_id = app_id

    async def begin(self, beginning: ImportBeginning) -> ImportRun:
        run: ImportRun = await self._ask(
            "begin", ImportRun, beginning=msgspec.to_builtins(beginning)
        )
        return run

    async def set_total(self, import_id: str, total: int, dropped: Mapping[str, int]) -> None:
        await self._ask("total", None, id=import_id, total=total, dropped=dict(dropped))

    async def apply(
        self, import_id: str, rows: Sequence[StagedRow], conflicts: Conflicts, paths: Paths
    ) -> Counts:
        counts: Counts = {}
        for some in _parts_of(rows, lambda row: len(row.body)):
            counts = await self._ask(
                "apply",
                Counts,
                id=import_id,
                rows=[msgspec.to_builtins(_sent(row)) for row in some],
                conflicts=conflicts.value,
                paths=dict(paths),
            )
        return counts

    async def find(self, kind: str, lines: Sequence[Line]) -> Mapping[str, Line]:
        found: dict[str, Line] = {}
        for some in _parts_of(lines, lambda line: len(_encode(line))):
            given = [msgspec.to_builtins(line) for line in some]
            found |= await self._ask("find", dict[str, AnyLine], kind=kind, lines=given)
        return found

    async def find_other(self, kind: str, rows: Sequence[StagedRow]) -> Mapping[int, Line | None]:
        found: dict[int, Line | None] = {}
        for some in _parts_of(rows, lambda row: len(row.body)):
            given = [msgspec.to_builtins(_sent(row)) for row in some]
            other = await self._ask("other", dict[str, AnyLine | None], kind=kind, rows=given)
            found |= {int(place): line for place, line in other.items()}
        return found

    async def tell(self, keys: Sequence[ConversationKey]) -> None:
        await self._ask("tell", None, keys=list(keys))

    async def end(self, import_id: str, state: str, report: str | None) -> None:
        await self._ask("end", None, id=import_id, state=state, report=report)

    async def list_refusals(self, import_id: str, after: int) -> Sequence[RefusedRow]:
        rows: list[RefusedRow] = await self._ask(
            "refusals", list[RefusedRow], id=import_id, after=after
        )
        return rows

    async def list_runs(self) -> Sequence[ImportRun]:
        runs: list[ImportRun] = await self._ask("runs", list[ImportRun])
        return runs

    async def find_run(self, import_id: str) -> ImportRun:
        run: ImportRun = await self._ask("run", ImportRun, id=import_id)
        return run

    async def _ask(self, command: str, type_: Any, **arguments: Any) -> Any:
        answer = await ask_node(
            self._folder,
            f"import {command}",
            {"app": self._app_id, **arguments},
            seconds=LONGEST_SECONDS,
        )
        return msgspec.convert(answer["result"], type_)


def _sent(row: StagedRow) -> SentRow:
    """Return a row as it is sent; of a refused one as much as is kept."""
    body = row.body if row.error is None else row.body[:LONGEST_FIELDS]
    text = body.decode("utf-8", "replace")
    return SentRow(row.place, row.kind, row.source, row.number, text, row.error, row.plain)


def _parts_of(items: Sequence[Item], size_of: Callable[[Item], int]) -> Sequence[Sequence[Item]]:
    """Return items in parts that fit into a command."""
    parts: list[list[Item]] = [[]]
    size = 0
    for item in items:
        size += size_of(item)
        if parts[-1] and (size > LARGEST_PART or len(parts[-1]) == STEP):
            parts.append([])
            size = size_of(item)
        parts[-1].append(item)
    return parts
