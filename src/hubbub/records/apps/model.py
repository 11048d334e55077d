"""Apps and their errors."""

from dataclasses import dataclass

from hubbub.kernel.errors import BadInput, Conflict, NotAuthenticated, NotFound

REGIONS = {
    "us": ("United States", "The servers are in the United States."),
    "eu": ("Europe", "The servers are in Europe."),
    "in": ("India", "The servers are in India."),
}
ARCHIVED_SECONDS = 30 * 24 * 3600


class AppNotFound(NotFound):
    """The app does not exist."""

    code = "ERR_APP_NOT_FOUND"

    def __init__(self, app_id: str) -> None:
        super().__init__(f"The app {app_id} does not exist.")


class AppAlreadyExists(Conflict):
    """The id is taken."""

    code = "ERR_BAD_REQUEST"

    def __init__(self, app_id: str) -> None:
        super().__init__(
            f"An app with the id {app_id} exists already.",
            details={"id": ["The id is taken."]},
        )


class InvalidApp(NotAuthenticated):
    """The request names an app that does not exist here."""

    code = "AUTH_ERR_INVALID_APPID"

    def __init__(self, app_id: str) -> None:
        super().__init__(f"The app {app_id} does not exist, or is not in that region.")


class BadAppId(BadInput):
    """The id is not a DNS label."""

    def __init__(self, app_id: str) -> None:
        super().__init__(
            f"{app_id!r} can't be an app id.",
            details={"id": ["The id must be 1 to 63 of a-z, 0-9 and -, with no - at the ends."]},
        )


@dataclass(frozen=True, slots=True)
class App:
    """A tenant: its users, groups and messages are separate from those of other apps."""

    id: str
    name: str
    region: str
    version: str
    owner: str
    created_at: int
    archived_at: int | None

    @property
    def is_archived(self) -> bool:
        """Return whether the app was deleted and waits for its erasure."""
        return self.archived_at is not None
