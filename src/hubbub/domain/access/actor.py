"""The actor of a call: a user or the app itself, and the features that the call needs."""

import msgspec

from hubbub.kernel.text import SYSTEM_UID


class Actor(msgspec.Struct, frozen=True):
    """A user, or the app itself, which may do everything with its own data."""

    uid: str | None = None
    features: tuple[str, ...] = ()
    """The feature keys that must not be restricted for the user's role."""
    token: str | None = None
    """The keyed hash of the auth token of the call; None if it came with an API key, or a JWT."""
    jwt: str | None = None
    """The keyed hash of the JWT of the call, which is stored nowhere."""

    @property
    def is_app(self) -> bool:
        """Return whether the app itself acts, not a user."""
        return self.uid is None

    @property
    def name(self) -> str:
        """Return the uid under which changes are recorded."""
        return self.uid or SYSTEM_UID

    def using(self, *features: str) -> "Actor":
        """Return the same actor, for a call that needs these features."""
        return msgspec.structs.replace(self, features=features)


APP = Actor()
