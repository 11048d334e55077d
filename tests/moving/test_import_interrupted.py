"""An import that was interrupted goes on, and ends as if it had not been."""

import fcntl
import resource
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest
from tests.moving.mover import Mover, ignore, message, user
from tests.moving.town import history
from tests.world import Node

from hubbub.kernel.errors import Refusal, Unavailable
from hubbub.moving.apply.outcome import Conflicts
from hubbub.moving.report import Report
from hubbub.moving.run import run_import, stage
from hubbub.moving.staging import StagedRow
from hubbub.moving.target import OwnStore
from hubbub.moving.tree import open_tree
from hubbub.records.imports.model import Counts, ImportMoved


class Cut(Exception):
    """The import ends here, as if it was killed."""


@dataclass
class CutTarget:
    """The store of an app, until an import has stored so many parts."""

    store: OwnStore
    parts: int
    is_before: bool
    """Whether it ends before the last part is stored, or after it."""
    step: int = field(init=False)

    def __post_init__(self) -> None:
        self.step = self.store.step

    async def apply(
        self, import_id: str, rows: Sequence[StagedRow], conflicts: Conflicts, paths: Any
    ) -> Counts:
        self.parts -= 1
        if self.parts <= 0 and self.is_before:
            raise Cut
        counts = await self.store.apply(import_id, rows, conflicts, paths)
        if self.parts <= 0:
            raise Cut
        return counts

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


def told(report: Report) -> object:
    """Return what a report says, but for what differs from run to run."""
    fields = msgspec.to_builtins(report)
    return {name: fields[name] for name in fields.keys() - {"id", "seconds", "source"}}


@pytest.mark.parametrize("is_before", [True, False])
async def test_the_same_import_goes_on(mover: Mover, node: Node, is_before: bool) -> None:
    """Cut before or after any part is stored, the next run has the report of an undisturbed one."""
    mover.step = 20
    lines = [*history(60), message("x", "nobody", "u1")]
    path = mover.write(lines)
    order = mover.order(path)
    target: Any = CutTarget(mover.target, 1, is_before)
    with pytest.raises(Cut):
        await run_import(order, target, ignore)
    for _ in range(len(lines) // mover.step - 1):
        target = CutTarget(mover.target, 2 if is_before else 1, is_before)
        with pytest.raises(Cut):
            await run_import(order, target, ignore)
    report = await mover.move(path)

    other = Mover(node, await node.world(), mover.folder, step=20)
    undisturbed = await other.move(path)
    assert told(report) == told(undisturbed)
    assert [row.place for row in mover.refused] == [row.place for row in other.refused]
    assert len(mover.refused) == 1
    [run] = await mover.target.list_runs()
    assert (run.state, run.position) == ("done", run.total)


async def test_rows_are_staged_anew_if_they_are_lost(mover: Mover) -> None:
    """Without the staged rows, such as on another machine, an import goes on where it was."""
    mover.step = 20
    path = mover.write(history(60))
    target: Any = CutTarget(mover.target, 3, is_before=False)
    with pytest.raises(Cut):
        await run_import(mover.order(path), target, ignore)
    [staged] = (mover.folder / "staged").iterdir()
    staged.unlink()

    report = await mover.move(path)

    assert report.is_clean
    assert all(counts.read == counts.imported for counts in report.kinds.values())


async def test_a_source_that_has_changed_is_imported_from_its_beginning(mover: Mover) -> None:
    """Of a source that has changed, rows that are stored already are skipped."""
    mover.step = 2
    target: Any = CutTarget(mover.target, 1, is_before=False)
    path = mover.write([user("anna"), user("ben"), user("cora")])
    with pytest.raises(Cut):
        await run_import(mover.order(path), target, ignore)

    report = await mover.move(mover.write([user("anna"), user("ben"), user("cora"), user("dora")]))

    assert (report.kinds["user"].skipped, report.kinds["user"].imported) == (2, 2)
    assert report.is_clean


async def test_only_one_process_goes_on(mover: Mover) -> None:
    """Of two processes that go on with the same import one is refused, and nothing is twice."""
    mover.step = 2
    path = mover.write([user(f"u{number}") for number in range(6)])
    target: Any = CutTarget(mover.target, 1, is_before=False)
    with pytest.raises(Cut):
        await run_import(mover.order(path), target, ignore)
    [run] = await mover.target.list_runs()
    rows = [StagedRow(1, "user", "lines.jsonl", 1, b'{"type":"user","uid":"u0","name":"U0"}', None)]

    with pytest.raises(ImportMoved):
        await mover.target.apply(run.id, rows, Conflicts.COMPARE, {})

    assert (await mover.move(path)).kinds["user"].imported == 6


async def test_rows_are_staged_by_one_process(mover: Mover) -> None:
    """A second process does not take the rows that the first one is still writing."""
    mover.step = 2
    path = mover.write([user(f"u{number}") for number in range(6)])
    order = mover.order(path)
    target: Any = CutTarget(mover.target, 1, is_before=True)
    with pytest.raises(Cut):
        await run_import(order, target, ignore)
    [run] = await mover.target.list_runs()

    with (order.folder / f"{run.id}.lock").open("a") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(ImportMoved):
            await mover.move(path)

    assert (await mover.move(path)).is_clean
    assert list(order.folder.iterdir()) == []


class Away(OwnStore):
    """A store that can't be reached."""

    async def apply(self, *_: Any) -> Counts:
        raise Unavailable("The database can't be reached.")


async def test_a_store_that_is_away_ends_the_import(mover: Mover) -> None:
    """The import ends with the refusal, and goes on later."""
    path = mover.write([user("anna")])
    away = Away(mover.node.runtime, mover.world.app_id, step=1)
    with pytest.raises(Refusal):
        await run_import(mover.order(path), away, ignore)

    assert (await mover.move(path)).is_clean


async def test_a_row_that_breaks_the_code_is_set_aside(
    mover: Mover, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A defect that one row meets refuses this row alone."""
    from hubbub.moving.apply import messages
    from hubbub.moving.plain import draft_of_plain

    def defective(line: Any, now: int) -> Any:
        if line.muid == "m2":
            raise ZeroDivisionError
        return draft_of_plain(line, now)

    monkeypatch.setattr(messages, "draft_of_plain", defective)
    report = await mover.move(
        mover.write(
            [user("anna"), user("ben"), *(message(f"m{n}", "anna", "ben") for n in range(5))]
        )
    )

    assert (report.kinds["message"].imported, report.kinds["message"].refused) == (4, 1)
    assert "could not be stored" in mover.refused[0].error


async def test_a_full_disk_is_said(mover: Mover) -> None:
    """Rows that can't be kept while the source is read end the import with the reason."""
    path = mover.write([user(f"u{number}") for number in range(20_000)])
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    order = mover.order(path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limits[1]))
    try:
        with pytest.raises(OSError, match="The rows can't be kept in"):
            stage(order, open_tree(path), order.folder / "rows.db", ignore)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
