"""Carry out some rows of an import, and store their outcomes in the same transaction."""

from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from itertools import groupby
from typing import Any

import structlog

from hubbub.domain.users.deactivate import forget_credentials
from hubbub.kernel.errors import Refusal, Unavailable
from hubbub.kernel.passwords import hash_password
from hubbub.moving.apply.files import Files, Paths, upload_files
from hubbub.moving.apply.groups import apply_groups, apply_members
from hubbub.moving.apply.messages import apply_messages, apply_reactions, apply_receipts
from hubbub.moving.apply.outcome import SKIPPED, Conflicts, LineOutcome, LineResult, refused
from hubbub.moving.apply.people import apply_roles, apply_users
from hubbub.moving.apply.relations import apply_blocks, apply_contacts, apply_friends
from hubbub.moving.compare import key_of
from hubbub.moving.lines import FileLine, GroupLine, Line, MessageLine, PlainLine, UserLine
from hubbub.moving.pace import SharedPace
from hubbub.moving.staging import StagedRow
from hubbub.outbox import lock_counters
from hubbub.records.imports.model import Counts, ImportMoved, KindCounts, RefusedRow
from hubbub.records.imports.store import advance_run, find_run, insert_refusals
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

log = structlog.get_logger()
Apply = Callable[[Transaction, Any, Conflicts, int], Coroutine[Any, Any, list[LineOutcome]]]
APPLY: dict[str, Apply] = {
    "role": apply_roles,
    "user": apply_users,
    "block": apply_blocks,
    "friend": apply_friends,
    "contact": apply_contacts,
    "group": apply_groups,
    "member": apply_members,
    "reaction": apply_reactions,
    "receipt": apply_receipts,
}
LONGEST_FIELDS = 64 * 1024
"""So many bytes are kept of a refused row; a longer one can't be fed in again."""


class Prepared:
    """Rows whose passwords are hashed and whose files are stored."""

    def __init__(self, rows: Sequence[StagedRow], conflicts: Conflicts) -> None:
        self.rows = rows
        self.conflicts = conflicts
        self.lines = [_line_of(row) for row in rows]
        self.files = Files()


def _line_of(row: StagedRow) -> Line | PlainLine | None:
    if row.plain is not None:
        return row.plain_line()
    return row.line() if row.error is None else None


async def apply_rows(
    runtime: Runtime,
    app_id: str,
    import_id: str,
    rows: Sequence[StagedRow],
    conflicts: Conflicts,
    paths: Paths,
    pace: SharedPace | None = None,
) -> Counts:
    """Carry out rows that follow those that had their outcomes; return what became of all so far.

    If they can't be carried out together, they are one by one: one bad row is set aside, and no
    other with it.

    Raises:
        ImportMoved: the import is elsewhere, or has ended.
        Unavailable: the store can't be reached; nothing was stored.
    """
    prepared = Prepared(rows, conflicts)
    try:
        await _prepare(runtime, app_id, prepared, paths)
        return await _write(runtime, app_id, import_id, prepared, pace)
    except (Unavailable, ImportMoved):
        raise
    except Exception as defect:  # of one row, most likely: the others must not wait for it
        if len(rows) == 1:
            log.exception("import_row_failed", app=app_id, source=rows[0].source)
            return await _set_aside(runtime, app_id, import_id, rows[0], defect)
        log.warning("import_rows_divided", app=app_id, rows=len(rows), reason=repr(defect))
    finally:
        for upload in prepared.files.uploads.values():
            await upload.discard()
    counts: Counts = {}
    for row in rows:
        counts = await apply_rows(runtime, app_id, import_id, [row], conflicts, paths, pace)
    return counts


async def _prepare(runtime: Runtime, app_id: str, prepared: Prepared, paths: Paths) -> None:
    for line in prepared.lines:
        if isinstance(line, GroupLine) and line.password:
            hash_ = await runtime.threads.run(app_id, partial(hash_password, line.password))
            line.password_hash, line.password = hash_, None
    messages = [line for line in prepared.lines if isinstance(line, MessageLine)]
    prepared.files = await upload_files(runtime, app_id, messages, paths)


async def _write(
    runtime: Runtime, app_id: str, import_id: str, prepared: Prepared, pace: SharedPace | None
) -> Counts:
    now = runtime.clock.now()

    async def within(tx: Transaction) -> Counts:
        counters = await lock_counters(tx)
        if pace is not None:
            pace.begin(counters.version)
        outcomes = await _carry_out(tx, prepared, now)
        return await store_outcomes(tx, import_id, prepared.rows, outcomes, now)

    try:
        counts = await runtime.database.write(app_id, within)
    finally:
        users = [line for line in prepared.lines if isinstance(line, UserLine)]
        forget_credentials(runtime, app_id, [user.uid for user in users if user.deactivated_at])
    if pace is not None:
        await pace.end(len(prepared.rows))
    return counts


async def _carry_out(tx: Transaction, prepared: Prepared, now: int) -> list[LineOutcome]:
    outcomes: dict[int, LineOutcome] = {}
    faults = prepared.files.faults
    good: list[tuple[int, Line | PlainLine]] = []
    for place, (row, line) in enumerate(zip(prepared.rows, prepared.lines, strict=True)):
        if line is None:
            outcomes[place] = LineOutcome(LineResult.REFUSED, row.error or "")
        elif faults and key_of(line) in faults:
            outcomes[place] = refused(faults[key_of(line)])
        else:
            good.append((place, line))
    found = await apply_lines(
        tx, [line for _, line in good], prepared.conflicts, now, prepared.files
    )
    outcomes.update(zip((place for place, _ in good), found, strict=True))
    return [outcomes[place] for place in range(len(prepared.rows))]


async def apply_lines(
    tx: Transaction,
    lines: Sequence[Line | PlainLine],
    conflicts: Conflicts,
    now: int,
    files: Files,
) -> list[LineOutcome]:
    """Store lines, of which each kind stands together; return an outcome for each."""
    outcomes: list[LineOutcome] = []
    for kind, some in groupby(lines, key=_kind_of):
        outcomes += await _apply_kind(tx, kind, list(some), conflicts, now, files)
    return outcomes


def _kind_of(line: Line | PlainLine) -> type[Line]:
    return MessageLine if isinstance(line, PlainLine) else type(line)


async def _apply_kind(
    tx: Transaction,
    kind: type[Line],
    lines: Sequence[Any],
    conflicts: Conflicts,
    now: int,
    files: Files,
) -> list[LineOutcome]:
    if kind is MessageLine:
        return await apply_messages(tx, lines, conflicts, now, files)
    if kind is FileLine:  # the messages that name it bring it along
        return [SKIPPED] * len(lines)
    return await APPLY[str(kind.__struct_config__.tag)](tx, lines, conflicts, now)


async def store_outcomes(
    tx: Transaction,
    import_id: str,
    rows: Sequence[StagedRow],
    outcomes: Sequence[LineOutcome],
    now: int,
) -> Counts:
    """Store what became of rows, and that the import has come so far; return the counts so far."""
    run = await find_run(tx, import_id)
    if run is None:
        raise ImportMoved(import_id)
    counts = run.counted()
    for row, outcome in zip(rows, outcomes, strict=True):
        of_kind = counts.setdefault(row.kind, KindCounts())
        of_kind.read += 1
        name = outcome.result.value
        setattr(of_kind, name, getattr(of_kind, name) + 1)
    after = rows[0].place - 1
    await advance_run(tx, import_id, after=after, upto=rows[-1].place, counts=counts, now=now)
    refusals = [
        RefusedRow(
            row.place,
            row.source,
            row.number,
            outcome.error,
            row.body[:LONGEST_FIELDS].decode("utf-8", "replace").replace("\0", "�"),
        )
        for row, outcome in zip(rows, outcomes, strict=True)
        if outcome.result is LineResult.REFUSED
    ]
    if refusals:
        await insert_refusals(tx, import_id, refusals)
    return counts


async def _set_aside(
    runtime: Runtime, app_id: str, import_id: str, row: StagedRow, defect: Exception
) -> Counts:
    """Store that a row can't be stored: a refusal says why, else the log of the node does."""
    now = runtime.clock.now()
    unknown = LineOutcome(LineResult.REFUSED, "ERR_EXCEPTION: It could not be stored; see the log.")
    outcome = refused(defect) if isinstance(defect, Refusal) else unknown
    return await runtime.database.write(
        app_id, lambda tx: store_outcomes(tx, import_id, [row], [outcome], now)
    )
