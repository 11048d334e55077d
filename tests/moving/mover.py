"""Imports in this process, into the app of a test's world."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.clock import START
from tests.world import Json, Node, World

from hubbub.moving.apply.outcome import Conflicts
from hubbub.moving.report import Report
from hubbub.moving.run import ImportOrder, compare_only, run_import
from hubbub.moving.sources.known import SOURCES, detect
from hubbub.moving.target import OwnStore
from hubbub.moving.tree import open_tree
from hubbub.records.imports.model import RefusedRow

AT = START - 100_000
"""A time in the past of the tests."""


def ignore(step: str, done: int, total: int) -> None:
    """Show nothing of the progress."""


@dataclass(slots=True)
class Mover:
    """Imports lines into the app of a world."""

    node: Node
    world: World
    folder: Path
    step: int = 3
    conflicts: Conflicts = Conflicts.COMPARE
    refused: tuple[RefusedRow, ...] = ()
    """The rows that the latest import refused."""

    @property
    def target(self) -> OwnStore:
        return OwnStore(self.node.runtime, self.world.app_id, step=self.step)

    def write(self, lines: Iterable[Json | str], name: str = "lines.jsonl") -> Path:
        """Write lines into a file; text is written as it is."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        texts = (each if isinstance(each, str) else json.dumps(each) for each in lines)
        path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        return path

    def order(self, path: Path, kind: str | None = None) -> ImportOrder:
        source = SOURCES[kind] if kind else detect(open_tree(path))
        staged = self.folder / "staged"
        staged.mkdir(exist_ok=True)
        return ImportOrder(path, source, staged, self.conflicts)

    async def move(self, path: Path, kind: str | None = None) -> Report:
        """Import a file, and keep what was refused."""
        run, report = await run_import(self.order(path, kind), self.target, ignore)
        refused: list[RefusedRow] = []
        while some := await self.target.list_refusals(run.id, refused[-1].place if refused else 0):
            refused += some
        self.refused = tuple(refused)
        return report

    async def move_lines(self, *lines: Json | str) -> Report:
        """Import lines."""
        return await self.move(self.write(lines))

    async def verify(self, path: Path) -> Report:
        """Compare a file with the store."""
        return await compare_only(self.order(path), self.target, ignore)

    def with_conflicts(self, conflicts: Conflicts) -> "Mover":
        """Return a mover that treats stored rows otherwise."""
        return replace(self, conflicts=conflicts)


def user(uid: str, **fields: Any) -> Json:
    """Return the line of a user."""
    return {"type": "user", "uid": uid, "name": uid.capitalize(), "createdAt": AT, **fields}


def group(guid: str, owner: str, **fields: Any) -> Json:
    """Return the line of a public group."""
    named = {"guid": guid, "name": guid.capitalize(), "groupType": "public", "owner": owner}
    return {"type": "group", **named, "createdAt": AT, **fields}


def member(guid: str, uid: str, **fields: Any) -> Json:
    """Return the line of a member."""
    return {"type": "member", "guid": guid, "uid": uid, "joinedAt": AT, **fields}


def message(muid: str, sender: str, receiver: str, **fields: Any) -> Json:
    """Return the line of a text message to a user, or with `receiverType` to a group."""
    addressed = {"muid": muid, "sender": sender, "receiver": receiver, "receiverType": "user"}
    told = {"sentAt": AT + 10, "data": {"text": f"This is {muid}"}}
    return {"type": "message", **addressed, **told, **fields}


def to_group(muid: str, sender: str, guid: str, **fields: Any) -> Json:
    """Return the line of a text message to a group."""
    return message(muid, sender, guid, receiverType="group", **fields)
