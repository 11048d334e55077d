"""Redaction: what erased users wrote is taken out of the events of the log; the events stay."""

from collections.abc import Mapping
from typing import Any

import msgspec

from hubbub.outbox.log import MOST_IN_ROW, SQL
from hubbub.outbox.registry import KINDS, EventKind
from hubbub.storage.interface import Row, Transaction

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


async def redact_events(tx: Transaction, after: int, upto: int, erased: Mapping[str, int]) -> None:
    """Take the texts of erased users out of the events from number `after` + 1 to `upto`.

    `erased` has their uids, and the last event of each: later ones are of another user. Who reads
    the log meanwhile finds an event with its texts or without.
    """
    names = [kind.name for kind in KINDS.values() if kind.redacted]
    rows = await tx.fetch(
        SQL.list_events_named, after=after, upto=upto + MOST_IN_ROW - 1, names=names
    )
    changed = [
        {"number": row[0], "body": body}
        for row in rows
        if (body := _redact(row, erased)) is not None
    ]
    await tx.run_many(SQL.replace_body, changed)


async def has_events(tx: Transaction, upto: int) -> bool:
    """Return whether the log has events up to a number."""
    return await tx.fetch_one(SQL.find_event_upto, upto=upto) is not None


def _redact(row: Row, erased: Mapping[str, int]) -> str | None:
    """Return the body of a row without the texts of erased users; None if it has none.

    Fields that only a newer version knows stay. What can't be decoded says nothing of its author.
    """
    last, _, name, _, body = row
    try:
        kind, content = KINDS[name], _decode(body)
    except msgspec.DecodeError:
        return None
    events: list[Any] = content if isinstance(content, list) else [content]
    is_changed = False
    for number, each in enumerate(events, last - len(events) + 1):
        if not isinstance(each, dict):
            continue
        if _is_by_erased(kind, each, number, erased) and not kind.redacted.items() <= each.items():
            each.update(kind.redacted)
            is_changed = True
    return _encode(content).decode() if is_changed else None


def _is_by_erased(
    kind: EventKind, event: Mapping[str, Any], number: int, erased: Mapping[str, int]
) -> bool:
    return any(number <= erased.get(event.get(author, ""), 0) for author in kind.authors)
