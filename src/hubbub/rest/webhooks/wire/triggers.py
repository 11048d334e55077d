"""The shapes of triggers."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta

from hubbub.kernel.errors import Refusal
from hubbub.records.webhooks.triggers import Trigger
from hubbub.rest.wire.shapes import ItemOutcome, Shape, item_outcome

TriggerId = Annotated[str, Meta(min_length=1, max_length=100)]
ATTACHED = "Triggers has been added successfully."


class TriggerShape(Shape):
    """A trigger."""

    id: str
    category: str
    description: str


class AttachedTriggerShape(Shape):
    """A trigger that a webhook is attached to."""

    id: str
    description: str


class NamedTriggers(Shape):
    """Triggers by their ids."""

    trigger_ids: Annotated[list[TriggerId], Meta(min_length=1, max_length=100)]


def trigger_shape(trigger: Trigger) -> TriggerShape:
    """Return a trigger on the wire."""
    return TriggerShape(id=trigger.id, category=trigger.category, description=trigger.description)


def attached_shape(trigger: Trigger) -> AttachedTriggerShape:
    """Return an attached trigger on the wire."""
    return AttachedTriggerShape(id=trigger.id, description=trigger.description)


def outcomes(refusals: Mapping[str, Refusal | None]) -> dict[str, ItemOutcome]:
    """Return the outcome for each trigger."""
    return {id_: item_outcome(refusal, ATTACHED) for id_, refusal in refusals.items()}
