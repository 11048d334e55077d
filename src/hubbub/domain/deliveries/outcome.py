"""What follows from an attempt to make a delivery: whether and when it is retried.

Pure functions of the delivery's record.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from hubbub.outbound.answer import find_pause
from hubbub.records.webhooks.model import Delivery, State

STEPS_ASIDE_AFTER = 3
"""After so many failures of a delivery, the others of its conversation wait no longer."""
FIRST_WITH_JITTER = 3
"""The failure after which pauses differ: the first ones are short, and few fail so often."""
MOST_ATTEMPTS = 50
"""Of so many attempts, the last ones, a delivery keeps a record."""

_encode = msgspec.json.Encoder().encode


class Attempt(msgspec.Struct, frozen=True, omit_defaults=True):
    """An attempt to make a delivery: an answer with a status, or an error."""

    at: int
    duration: int
    """In milliseconds."""
    status: int | None = None
    answer: str | None = None
    """The beginning of the answer's body."""
    error: str | None = None

    @property
    def has_succeeded(self) -> bool:
        """Return whether the receiver has accepted the delivery."""
        return self.status is not None and 200 <= self.status < 300


_decode_attempts = msgspec.json.Decoder(list[Attempt]).decode


def read_attempts(text: str) -> list[Attempt]:
    """Return attempts from their stored JSON."""
    return _decode_attempts(text)


@dataclass(frozen=True, slots=True)
class DeliveryOutcome:
    """A delivery after an attempt, and the pause until its next one."""

    delivery: Delivery
    has_succeeded: bool
    left_partition: int
    """The partition in which it was attempted."""
    pause: float | None
    """In seconds; None if there is no next attempt."""

    @property
    def holds_up(self) -> bool:
        """Return whether the rest of the partition waits for the next attempt."""
        return self.pause is not None and self.delivery.partition == self.left_partition


def decide(
    delivery: Delivery,
    attempt: Attempt,
    pauses: Sequence[float],
    *,
    retry_after: float = 0.0,
    lost: Attempt | None = None,
) -> DeliveryOutcome:
    """Return what follows from an attempt; `pauses` is empty if the webhook does not retry.

    An attempt that was `lost` right before it is recorded, and counts for nothing else.
    """
    made = [attempt] if lost is None else [lost, attempt]
    attempts = [*read_attempts(delivery.attempts), *made][-MOST_ATTEMPTS:]
    tried = replace(delivery, tries=delivery.tries + 1, attempts=_encode(attempts).decode())
    partition = delivery.partition
    if attempt.has_succeeded:
        return DeliveryOutcome(replace(tried, state=State.DELIVERED), True, partition, None)
    if tried.tries > len(pauses):
        return DeliveryOutcome(replace(tried, state=State.FAILED), False, partition, None)
    if tried.tries >= STEPS_ASIDE_AFTER:
        tried = replace(tried, partition=tried.own_partition)
    pause = find_pause(pauses, delivery.tries, asked=retry_after, jitter=_jitter(tried))
    return DeliveryOutcome(tried, False, partition, pause)


def give_up(delivery: Delivery, at: int) -> DeliveryOutcome:
    """Return what follows from a defect: the delivery has failed, whatever was noted of it."""
    attempt = Attempt(at, 0, error="The server could not process this delivery.")
    failed = replace(
        delivery,
        state=State.FAILED,
        tries=delivery.tries + 1,
        attempts=_encode([attempt]).decode(),
    )
    return DeliveryOutcome(failed, False, delivery.partition, None)


def _jitter(delivery: Delivery) -> float:
    """Return the jitter after the delivery's last attempt, from 0 to 1; each one has its own."""
    if delivery.tries < FIRST_WITH_JITTER:
        return 0.0
    return zlib.crc32(b"%d.%d.%d" % (delivery.event, delivery.part, delivery.tries)) / 2**32
