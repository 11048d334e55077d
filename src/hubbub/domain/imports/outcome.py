"""What becomes of one imported row."""

import enum
from dataclasses import dataclass
from typing import Generic, TypeVar

from hubbub.kernel.errors import Refusal

Entity = TypeVar("Entity")

LARGEST_IMPORT = 50


class OnConflict(enum.Enum):
    """What is done with a row whose entity exists already."""

    REFUSE = "refuse"
    SKIP = "skip"
    UPDATE = "update"


@dataclass(frozen=True, slots=True)
class Row(Generic[Entity]):
    """The stored entity of a row, or why there is none."""

    entity: Entity | None = None
    refusal: Refusal | None = None
    is_skipped: bool = False


def row_of(outcome: Entity | Refusal) -> Row[Entity]:
    """The row for a verb's outcome."""
    if isinstance(outcome, Refusal):
        return Row(refusal=outcome)
    return Row(outcome)
