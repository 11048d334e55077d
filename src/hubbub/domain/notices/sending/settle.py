"""What follows from the answers of a provider to a bundle: pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import msgspec

from hubbub.domain.notices.sending.contents import Content, Part
from hubbub.providers.interface import Outcome, Result
from hubbub.records.notices.model import Bundle
from hubbub.records.notifications.logs import LogEntry

_encode = msgspec.json.Encoder().encode
MOST_TRIES = 100
"""After so many tries that fail for a defect, a bundle is given up."""
_FINAL = {Outcome.SENT, Outcome.GONE, Outcome.REFUSED}


@dataclass(frozen=True, slots=True)
class Answered:
    """A bundle that its provider was asked to send, with an answer for each part."""

    bundle: Bundle
    content: Content | None
    """None if a defect was in the way: nothing was asked for."""
    results: Sequence[Result] = ()
    """For each part that the provider was asked to send."""
    began_ms: int = 0


@dataclass(frozen=True, slots=True)
class Settled:
    """What is stored of a bundle."""

    rest: Bundle | None
    """What is to be tried again; None if the bundle is done."""
    entries: list[LogEntry]
    gone: list[Part] = field(default_factory=list)
    """The devices whose tokens the provider does not know any more."""
    has_reached: bool = True
    """Whether the provider has accepted or refused anything."""
    is_too_fast: bool = False
    """Whether the provider's quota is used up."""


def settle(answered: Answered, now_ms: int, pauses: Sequence[float]) -> Settled:
    """Return what follows from the answers to a bundle."""
    if answered.content is None:
        return Settled(_after_defect(answered.bundle, now_ms, pauses), [])
    content = answered.content
    entries = list(content.dropped)
    gone: list[Part] = []
    left: list[Part] = []
    asked_to_wait = 0.0
    is_too_fast = False
    for part, result in zip(content.parts, answered.results, strict=True):
        if result.outcome in _FINAL:
            entries.append(part.entry(result, answered.began_ms, now_ms))
            if result.outcome is Outcome.GONE:
                gone.append(part)
            continue
        left.append(part)
        asked_to_wait = max(asked_to_wait, result.retry_after or 0.0)
        is_too_fast = is_too_fast or result.outcome is Outcome.SLOWER
    pause = max(asked_to_wait, find_pause(pauses, answered.bundle.tries))
    due_at = now_ms + round(1000 * pause)
    return Settled(
        rest=_rest(answered, left, due_at),
        entries=entries,
        gone=gone,
        has_reached=len(left) < len(content.parts) or not left,
        is_too_fast=is_too_fast,
    )


def find_pause(pauses: Sequence[float], tries: int) -> float:
    """Return the pause in seconds after so many earlier tries; the last one is repeated."""
    return pauses[min(tries, len(pauses) - 1)] if pauses else 0.0


def _after_defect(bundle: Bundle, now_ms: int, pauses: Sequence[float]) -> Bundle | None:
    """Return a bundle that is tried again after a defect, which a new version may not have."""
    if bundle.tries >= MOST_TRIES:
        return None
    pause = find_pause(pauses, bundle.tries)
    return replace(bundle, due_at=now_ms + round(1000 * pause), tries=bundle.tries + 1)


def _rest(answered: Answered, left: Sequence[Part], due_at: int) -> Bundle | None:
    if not left:
        return None
    bundle = answered.bundle
    content = bundle.content
    if answered.content is not None:
        content = _encode(answered.content.narrow(left)).decode()
    return replace(bundle, due_at=due_at, tries=bundle.tries + 1, content=content)
