"""Which triggers occur with an event of the log."""

from collections.abc import Iterator
from dataclasses import dataclass

from hubbub.outbox.log import LogEntry
from hubbub.outbox.registry import NAMES
from hubbub.records import EVENT_KINDS
from hubbub.records.growing.events import MessageGrown
from hubbub.records.messages.events import MessageSent
from hubbub.records.webhooks.events import WebhookPaused, WebhookTested
from hubbub.records.webhooks.triggers import ENGINE_APPROVED, USER_MENTIONED
from hubbub.storage.interface import Event

EVENTS: tuple[type[Event], ...] = (
    *(kind.struct for kind in EVENT_KINDS.values() if kind.trigger),
    WebhookTested,
)
"""The events with which triggers occur; but for a test's, a trigger has the event's name."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A trigger that occurred with an event."""

    entry: LogEntry
    part: int
    """Tells the triggers of an event from each other."""
    trigger_id: str
    webhook: int | None = None
    """The only webhook to be told, whatever it is attached to; None: all that are attached."""

    @property
    def id(self) -> str:
        """Return the id of what is sent."""
        return f"{self.entry.id}-{self.part}" if self.part else self.entry.id

    @property
    def conversation(self) -> int:
        """Return the conversation that the event belongs to; 0 if none."""
        return getattr(self.entry.event, "conversation", 0)

    @property
    def is_sample(self) -> bool:
        """Return whether a test was asked for."""
        return self.webhook is not None

    def concerns(self, webhook_id: str) -> bool:
        """Return whether the webhook with that id may be told: not of its own pause."""
        event = self.entry.event
        return not isinstance(event, WebhookPaused) or event.webhook != webhook_id


def list_occurrences(entry: LogEntry) -> Iterator[Occurrence]:
    """Yield the triggers that occur with an event; whether a message mentions is not known yet."""
    event = entry.event
    if isinstance(event, WebhookTested):
        for part, trigger_id in enumerate(event.triggers):
            yield Occurrence(entry, part, trigger_id, event.webhook)
        return
    if isinstance(event, MessageSent):
        if not event.quiet:
            yield Occurrence(entry, 0, NAMES[MessageSent])
        if not event.growing:
            yield Occurrence(entry, 1, USER_MENTIONED)
        if event.passed:
            yield Occurrence(entry, 2, ENGINE_APPROVED)
        return
    yield Occurrence(entry, 0, NAMES[type(event)])
    if isinstance(event, MessageGrown):  # only now its text is known
        if event.notifies:
            yield Occurrence(entry, 1, NAMES[MessageSent])
        yield Occurrence(entry, 2, USER_MENTIONED)
