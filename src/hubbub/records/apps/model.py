"""What an app is, and what can be wrong about one."""

from dataclasses import dataclass

from hubbub.kernel.errors import BadInput, Conflict, NotAuthenticated, NotFound

REGIONS = {
    "us": ("United States", "The servers are in the United States."),
    "eu": ("Europe", "The servers are in Europe."),
    "in": ("India", "The servers are in India."),
}
ARCHIVED_SECONDS = 30 * 24 * 3600


class AppNotFound(NotFound):
    """There is no such app."""

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
    """The app that the request names is not known here."""

    code = "AUTH_ERR_INVALID_APPID"

    def __init__(self, app_id: str) -> None:
        super().__init__(f"The app {app_id} does not exist, or is not in that region.")


class BadAppId(BadInput):
    """The id is no DNS label."""

    def __init__(self, app_id: str) -> None:
        super().__init__(
            f"{app_id!r} can't be an app id.",
            details={"id": ["The id must be 1 to 63 of a-z, 0-9 and -, with no - at the ends."]},
        )


@dataclass(frozen=True, slots=True)
class App:
    """One realm: its users, groups and messages are nobody else's."""

    id: str
    name: str
    region: str
    version: str
    owner: str
    created_at: int
    archived_at: int | None

    @property
    def is_archived(self) -> bool:
        """Whether it was deleted and waits for its erasure."""
        return self.archived_at is not None
