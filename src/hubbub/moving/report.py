"""The report of an import: what became of its rows, and what of the source the store has."""

import msgspec

from hubbub.records.imports.model import Counts


class Checksums(msgspec.Struct):
    """The sums over the content of what was imported, in hexadecimal digits."""

    source: str
    store: str


class Compared(msgspec.Struct):
    """A number of rows in the source and of those that are stored alike."""

    source: int = 0
    store: int = 0


class Comparison(msgspec.Struct, rename="camel"):
    """What the source has, and what of it is stored alike."""

    checksum: Checksums
    kinds: dict[str, Compared]
    conversations: dict[str, Compared]
    """Messages by conversation."""
    days: dict[str, Compared]
    """Messages by day, in UTC."""
    differences: list[str]
    """The first rows that are missing or stored otherwise."""
    different: int
    """The number of all of them."""


class Report(msgspec.Struct, rename="camel"):
    """What an import did, as it is handed on."""

    source: str
    origin: str
    id: str
    kinds: Counts
    dropped: dict[str, int]
    checksum: Checksums
    conversations: int
    from_: str | None = msgspec.field(name="from")
    """The day of the first message."""
    until: str | None
    seconds: float
    comparison: Comparison

    @property
    def refused(self) -> int:
        """Return the number of rows that were refused."""
        return sum(kind.refused for kind in self.kinds.values())

    @property
    def is_clean(self) -> bool:
        """Return whether no row was refused, and the store has all that the source has."""
        return not self.refused and not self.comparison.different
