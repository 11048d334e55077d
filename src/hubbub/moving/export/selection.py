"""What of an app is exported."""

from dataclasses import dataclass

LATEST = 2**53
"""Later than any time of a message."""


@dataclass(frozen=True, slots=True)
class Selection:
    """All of an app, or what concerns one user, or a group with its people.

    Of messages those are taken that were sent within the times, and the reactions to them.
    """

    user: str | None = None
    group: str | None = None
    since: int = 0
    until: int = LATEST
    """Not included."""

    @property
    def is_whole(self) -> bool:
        """Return whether it is of the whole app."""
        return self.user is None and self.group is None

    @property
    def is_timed(self) -> bool:
        """Return whether messages are left out for their times."""
        return self.since > 0 or self.until < LATEST
