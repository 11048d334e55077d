"""On whose behalf a call is made."""

from dataclasses import dataclass

from hubbub.kernel.text import SYSTEM_UID


@dataclass(frozen=True, slots=True)
class Actor:
    """A user, or the app itself, which may do everything in its own realm."""

    uid: str | None = None

    @property
    def is_app(self) -> bool:
        """Whether the app's own server acts, not a user."""
        return self.uid is None

    @property
    def name(self) -> str:
        """The uid under which what it does is recorded."""
        return self.uid or SYSTEM_UID


APP = Actor()
