"""The counters of an app: the row that every transaction which writes locks first."""

from dataclasses import dataclass


@dataclass(slots=True)
class Counters:
    """The counters of an app, as a transaction that has locked their row advances them."""

    epoch: int = 0
    message: int = 0
    event: int = 0
    conversation: int = 0
    sent_at: int = 0
    users: int = 0
    groups: int = 0
    settings: str | None = None
    """The settings of the app as JSON: a column of the same row, which is only read here."""
    version: int = 0
    """Raised by each transaction that writes in the app."""
    changed: int = 0
    """The version that last changed a record that nodes cache (`storage/cached.py`)."""
    presence: int = 0
    """The version that last changed the presence of a user, which nodes cache, too."""
