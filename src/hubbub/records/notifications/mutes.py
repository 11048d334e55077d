"""Muted conversations: a user is not notified of them until a time, in milliseconds."""

from dataclasses import dataclass

from hubbub.kernel.errors import LimitReached

ONE_ON_ONE, GROUP = "oneOnOne", "group"
MOST_MUTES = 5_000
MOST_MUTES_AT_ONCE = 100


class TooManyMutes(LimitReached):
    """The user is at the limit of muted conversations."""

    def __init__(self) -> None:
        super().__init__(
            f"A user has at most {MOST_MUTES:,} muted conversations.",
            details={"conversations": [f"The limit is {MOST_MUTES:,}."]},
        )


@dataclass(frozen=True, slots=True)
class Mute:
    """A muted conversation of a user: the uid of the other user, or the guid of the group."""

    id: str
    type: str
    until: int = 0
