"""The audit log: who did what and when, to be searched and saved."""

import csv
import io
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, Literal

import msgspec

from hubbub.console import page
from hubbub.console.page import ADMINS, FileToSave, PageForm, PageShown, show
from hubbub.console.visit import Visit
from hubbub.domain.audit.find import list_audit, list_latest
from hubbub.kernel.errors import BadInput
from hubbub.records.audit.model import AuditEntry, AuditFilter, AuditPosition
from hubbub.records.operators.model import ALL_APPS

PER_PAGE = 50
MOST_SAVED = 100_000
AT_ONCE = 1_000
FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would take for the beginning of a formula."""
COLUMNS = ("at", "operator", "app", "action", "subject", "before", "after", "address", "events")
Text = Annotated[str, msgspec.Meta(max_length=200)]


class AuditQuery(PageForm):
    """Which entries are wanted; empty fields are no condition."""

    app: Text = ""
    operator: Text = ""
    action: Text = ""
    subject: Text = ""
    since: Text = ""
    before: Text = ""
    """The position of the last entry of the page before."""


class SaveQuery(AuditQuery):
    """The same, and as what they are saved."""

    format: Literal["csv", "json"] = "csv"


@page.get("/audit", title="Audit log", roles=ADMINS)
async def show_audit(visit: Visit, query: AuditQuery) -> PageShown:
    """Show entries of the audit log, the newest first."""
    shown, onward = await list_latest(visit.runtime, _filter(visit, query), limit=PER_PAGE)
    older = f"{onward.at}-{onward.id}" if onward is not None else ""
    given = {name: text for name, text in msgspec.to_builtins(query).items() if text}
    given.pop("before", None)
    return show("audit.html", entries=shown, query=query, given=given, older=older)


@page.get("/audit/save", title="Save the audit log", roles=ADMINS)
async def save_audit(visit: Visit, query: SaveQuery) -> FileToSave:
    """Save the entries that a filter finds, the oldest first: the newest 100,000 at most."""
    await visit.look("audit.save", query.format)
    is_json = query.format == "json"
    write = _json_lines if is_json else _csv_lines
    threads = visit.runtime.threads
    parts = [
        await threads.run(visit.app, partial(write, some), user=visit.operator.name)
        async for some in _all(visit, _filter(visit, query))
    ][::-1]
    if is_json:
        listed = b",\n".join(parts)
        return FileToSave("audit.json", "application/json", (b"[", listed, b"]"))
    heads = _csv_line(COLUMNS)
    return FileToSave("audit.csv", "text/csv; charset=utf-8", (heads, *parts))


async def _all(visit: Visit, wanted: AuditFilter) -> AsyncIterator[Sequence[AuditEntry]]:
    """Yield the entries in parts, the newest part first, each from its oldest entry on."""
    count = 0
    while count < MOST_SAVED:
        found = await list_audit(visit.runtime, wanted, limit=AT_ONCE)
        if found:
            yield found[::-1]
        if len(found) < AT_ONCE:
            return
        count += len(found)
        wanted = replace(wanted, before=found[-1].position)


def _filter(visit: Visit, query: AuditQuery) -> AuditFilter:
    """Return the conditions of a query: who may see one app finds nothing else.

    Raises:
        BadInput: a field has no valid form.
    """
    own = visit.operator.app
    return AuditFilter(
        app=own if own != ALL_APPS else query.app or None,
        operator=query.operator or None,
        action=query.action or None,
        subject=query.subject or None,
        since=_parse_since(query.since),
        before=_parse_position(query.before),
    )


def _parse_since(text: str) -> int | None:
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise BadInput.field(
            "since", f"The time must be like 2026-11-22 or 2026-11-22T04:00, not {text!r}."
        ) from None
    return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * 1000)


def _parse_position(text: str) -> AuditPosition | None:
    at, _, id_ = text.partition("-")
    return AuditPosition(int(at), id_) if at.isascii() and at.isdecimal() and len(at) < 16 else None


def _row(entry: AuditEntry) -> dict[str, Any]:
    at = datetime.fromtimestamp(entry.at / 1000, UTC).isoformat(timespec="milliseconds")
    row = {name: getattr(entry, name) for name in COLUMNS} | {"at": at}
    for name in ("before", "after"):
        row[name] = msgspec.json.decode(row[name]) if row[name] else None
    return row


def _json_lines(entries: Sequence[AuditEntry]) -> bytes:
    return b",\n".join(msgspec.json.encode(_row(each)) for each in entries)


def _csv_lines(entries: Sequence[AuditEntry]) -> bytes:
    rows = map(_row, entries)
    return b"".join(_csv_line([_cell(row[name]) for name in COLUMNS]) for row in rows)


def _csv_line(cells: Sequence[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue().encode()


def _cell(value: Any) -> str:
    """Return a value as text that a spreadsheet does not compute."""
    text = "" if value is None else value
    text = text if isinstance(text, str) else msgspec.json.encode(text).decode()
    return f"'{text}" if text.startswith(FORMULAS) else text
