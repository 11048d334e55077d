"""What follows from the answers of a provider to a bundle: pure functions."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import msgspec

from hubbub.domain.notifications.sending.contents import Content, Part
from hubbub.outbound.answer import find_pause
from hubbub.providers.interface import Result, SendOutcome
from hubbub.records.notifications.logs import NotificationEntry, make_log_id
from hubbub.records.notifications.sending.model import Bundle

_encode = msgspec.json.Encoder().encode
MOST_TRIES = 100
"""After so many tries that fail for a defect, a bundle is given up."""
_UNDECIDED: dict[str, Any] = {
    "is_triggered": True,
    "reason": None,
    "is_success": None,
    "payload": None,
}
"""The fields of an entry that are not known, or may change, while it waits."""
_replace = msgspec.structs.replace
_FINAL = (SendOutcome.SENT, SendOutcome.GONE, SendOutcome.REFUSED)


@dataclass(frozen=True, slots=True)
class Answered:
    """A bundle that its provider was asked to send, with an answer for each part."""

    bundle: Bundle
    content: Content | None
    """None if it could not be read, or for a defect: nothing was asked for."""
    results: Sequence[Result] = ()
    """For each part that the provider was asked to send."""
    began_ms: int = 0
    is_undecided: bool = False
    """Whether the database was not available for it: this counts as no try."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What is stored of a bundle."""

    bundle_id: str
    rests: Sequence[Bundle]
    """What is to be tried again, by the time; the first one has the id of the bundle."""
    entries: list[NotificationEntry]
    waiting: Mapping[str, NotificationEntry] = field(default_factory=dict)
    """The log's entries of what waits, by their ids."""
    waited: Set[str] = frozenset()
    """The ids of the entries of what has waited."""
    gone: list[Part] = field(default_factory=list)
    """The devices whose tokens the provider does not know any more."""
    has_reached: bool = True
    """Whether the provider has accepted or refused anything."""
    failure: str | None = None
    """What the provider, not the server of a recipient, has failed with: for the operator."""
    is_too_fast: bool = False
    """Whether the provider's quota is used up."""

    @property
    def rows(self) -> int:
        """Return how many entries of the log are written."""
        return len(self.entries) + len(self.waiting)


def settle(
    answered: Answered, now_ms: int, pauses: Sequence[float], new_id: Callable[[], str]
) -> Settled:
    """Return what follows from the answers to a bundle.

    A part that a recipient's own server has put off waits by itself.
    """
    bundle, content = answered.bundle, answered.content
    if answered.is_undecided:
        pause_ms = round(1000 * find_pause(pauses, 0))
        return Settled(bundle.id, [replace(bundle, due_at=now_ms + pause_ms)], [])
    if content is None:
        return Settled(bundle.id, _after_defect(bundle, now_ms, pauses), [])
    entries = list(content.dropped)
    gone: list[Part] = []
    waiting: dict[str, NotificationEntry] = {}
    left: dict[int, list[Part]] = {}
    find = partial(find_pause, pauses, bundle.tries)
    failures = [each for each in answered.results if _is_failure(each)]
    asked = max((each.retry_after or 0.0 for each in failures), default=0.0)
    together = now_ms + round(1000 * find(asked=asked))
    for part, result in zip(content.parts, answered.results, strict=True):
        entry = part.entry(result, answered.began_ms, now_ms)
        if result.outcome not in _FINAL:
            own = now_ms + round(1000 * find(asked=result.retry_after or 0.0))
            due_at = own if result.is_recipients else together
            log_id = part.log_id or make_log_id(now_ms, new_id())
            left.setdefault(due_at, []).append(part.waiting(log_id))
            waiting[log_id] = _replace(entry, next_attempt_ms=due_at, **_UNDECIDED)
            continue
        entries.append(entry)
        if result.outcome is SendOutcome.GONE:
            gone.append(part)
    return Settled(
        bundle_id=bundle.id,
        rests=_rests(bundle, content, left, new_id),
        entries=entries,
        waiting=waiting,
        waited=content.log_ids,
        gone=gone,
        has_reached=any(each.outcome in _FINAL for each in answered.results) or not content.parts,
        failure=(failures[0].detail or failures[0].reason) if failures else None,
        is_too_fast=any(each.outcome is SendOutcome.SLOWER for each in failures),
    )


def _is_failure(result: Result) -> bool:
    """Return whether the provider itself has failed."""
    return result.outcome not in _FINAL and not result.is_recipients


def _after_defect(bundle: Bundle, now_ms: int, pauses: Sequence[float]) -> list[Bundle]:
    """Return a bundle that is tried again after a defect, which a new version may not have."""
    if bundle.tries >= MOST_TRIES:
        return []
    pause = find_pause(pauses, bundle.tries)
    return [replace(bundle, due_at=now_ms + round(1000 * pause), tries=bundle.tries + 1)]


def _rests(
    bundle: Bundle,
    content: Content,
    left: Mapping[int, Sequence[Part]],
    new_id: Callable[[], str],
) -> list[Bundle]:
    """Return bundles of what is to be tried again, by the time at which it is due."""
    return [
        replace(
            bundle,
            id=new_id() if place else bundle.id,
            due_at=due_at,
            tries=bundle.tries + 1,
            content=_encode(content.narrow(parts)).decode(),
        )
        for place, (due_at, parts) in enumerate(left.items())
    ]
