"""The store of an app that a node has open, as an import of the command line uses it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from hubbub.admin.imports import STEP, SentRow
from hubbub.admin.socket import ask_node
from hubbub.moving.apply.files import Paths
from hubbub.moving.apply.outcome import Conflicts
from hubbub.moving.lines import AnyLine, Line
from hubbub.moving.staging import StagedRow
from hubbub.moving.target import ImportBeginning
from hubbub.records.conversations.model import ConversationKey
from hubbub.records.imports.model import Counts, ImportRun, RefusedRow

LARGEST_PART = 512 * 1024
"""So many bytes of rows go into one command, or one row."""


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
        for some in _parts_of(rows):
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
        for some in (lines[at : at + STEP] for at in range(0, len(lines), STEP)):
            given = [msgspec.to_builtins(line) for line in some]
            found |= await self._ask("find", dict[str, AnyLine], kind=kind, lines=given)
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
            self._folder, f"import {command}", {"app": self._app_id, **arguments}
        )
        return msgspec.convert(answer["result"], type_)


def _sent(row: StagedRow) -> SentRow:
    body = row.body.decode("utf-8", "replace")
    return SentRow(row.place, row.kind, row.source, row.number, body, row.error)


def _parts_of(rows: Sequence[StagedRow]) -> Sequence[Sequence[StagedRow]]:
    """Return rows in parts that fit into a command."""
    parts: list[list[StagedRow]] = [[]]
    size = 0
    for row in rows:
        size += len(row.body)
        if size > LARGEST_PART and parts[-1]:
            parts.append([])
            size = len(row.body)
        parts[-1].append(row)
    return parts
