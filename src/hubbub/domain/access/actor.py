"""On whose behalf a call is made, and under which features."""

from dataclasses import dataclass, replace

from hubbub.kernel.text import SYSTEM_UID


@dataclass(frozen=True, slots=True)
class Actor:
    """A user, or the app itself, which may do everything in its own realm."""

    uid: str | None = None
    features: tuple[str, ...] = ()
    """The feature keys that the user's role must not be kept from."""
    token: str | None = None
    """The keyed hash of the auth token that was shown; None: the app's server calls."""

    @property
    def is_app(self) -> bool:
        """Whether the app's own server acts, not a user."""
        return self.uid is None

    @property
    def name(self) -> str:
        """The uid under which what it does is recorded."""
        return self.uid or SYSTEM_UID

    def using(self, *features: str) -> "Actor":
        """The same actor, who does only what these features name."""
        return replace(self, features=features)


APP = Actor()
