"""The answers of the data import: one outcome for each row, by its key."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Annotated, Generic, TypeVar

import msgspec

from hubbub.domain.imports.outcome import ImportOutcome
from hubbub.domain.members.enter import Entrant
from hubbub.http.documented import documented_as
from hubbub.http.errors import Problem, body_of
from hubbub.kernel.errors import Refusal
from hubbub.records.messages.model import MessageView
from hubbub.rest.messages.wire.message import MessageShape
from hubbub.rest.messages.wire.page import render_sent
from hubbub.rest.wire.enums import Scope
from hubbub.rest.wire.shapes import Shape

Item = TypeVar("Item")
Stored = TypeVar("Stored")

_encode = msgspec.json.Encoder().encode


class Outcome(Shape, Generic[Item]):
    """The outcome of one row."""

    success: bool
    skipped: bool = False
    data: Item | None = None
    error: Problem | None = None


class ImportedMemberShape(Shape):
    """A membership."""

    guid: str
    uid: str
    scope: Annotated[str, documented_as(Scope)]
    joined_at: int


def imported_member_shape(entrant: Entrant) -> ImportedMemberShape:
    """Return the shape of an imported membership."""
    return ImportedMemberShape(
        guid=entrant.guid, uid=entrant.uid, scope=entrant.scope, joined_at=entrant.joined_at or 0
    )


def outcomes(
    keys: Iterable[str],
    done: Mapping[str, ImportOutcome[Stored]],
    bad: Mapping[str, Refusal],
    shape: Callable[[Stored], Item],
) -> dict[str, Outcome[Item]]:
    """Return the answer: one outcome for every key of the request, in order."""
    answer: dict[str, Outcome[Item]] = {}
    for key in keys:
        row: ImportOutcome[Stored] = done.get(key) or ImportOutcome(refusal=bad[key])
        if row.refusal is not None:
            answer[key] = Outcome(success=False, error=body_of(row.refusal).error)
        elif row.item is not None:
            answer[key] = Outcome(success=True, skipped=row.is_skipped, data=shape(row.item))
    return answer


MessageOutcomes = Annotated[
    msgspec.Raw,
    documented_as(dict[str, Outcome[MessageShape]]),
]
"""The outcomes of messages, by muid."""


def message_outcomes(
    app_id: str,
    keys: Iterable[str],
    *,
    done: Mapping[str, ImportOutcome[MessageView]],
    bad: Mapping[str, Refusal],
) -> msgspec.Raw:
    """Return the answer of an import of messages, as JSON."""
    return msgspec.Raw(_encode(outcomes(keys, done, bad, partial(_rendered_message, app_id))))


def _rendered_message(app_id: str, view: MessageView) -> msgspec.Raw:
    return msgspec.Raw(render_sent(app_id, view, is_app=True))
