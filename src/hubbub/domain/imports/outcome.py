"""The outcome of one imported row."""

import enum
from typing import Generic, TypeVar

import msgspec

from hubbub.kernel.errors import Refusal

Item = TypeVar("Item")

LARGEST_IMPORT = 50


class OnConflict(enum.Enum):
    """What to do with a row whose item is stored already."""

    REFUSE = "refuse"
    SKIP = "skip"
    UPDATE = "update"


class ImportOutcome(msgspec.Struct, Generic[Item], frozen=True):
    """The stored item of a row, or the refusal of the row."""

    item: Item | None = None
    refusal: Refusal | None = None
    is_skipped: bool = False

    @classmethod
    def of(cls, outcome: Item | Refusal) -> "ImportOutcome[Item]":
        """Return the outcome of a row whose verb returned `outcome`."""
        if isinstance(outcome, Refusal):
            return cls(refusal=outcome)
        return cls(outcome)
