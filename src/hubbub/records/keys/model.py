"""API keys and their errors."""

from dataclasses import dataclass

from hubbub.kernel.errors import Forbidden, LimitReached, NotFound

FULL_ACCESS = "fullAccess"
AUTH_ONLY = "authOnly"
KEY_LENGTH = 40


class ApiKeyNotFound(NotFound):
    """The app does not have the key."""

    code = "ERR_APIKEY_NOT_FOUND"

    def __init__(self, api_key: str) -> None:
        super().__init__(f"The API key {api_key} does not exist.")


class NoSelfAction(Forbidden):
    """A key must not change or delete itself."""

    code = "ERR_APIKEY_NO_SELF_ACTION"

    def __init__(self) -> None:
        super().__init__(
            "An API key can't change or delete itself.",
            dev_message="Make the call with another key of full access.",
        )


class TooManyKeys(LimitReached):
    """The app is at its limit of keys."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"The app has {most} API keys already, not counting the built-in ones.",
            details={"apikeys": [f"The limit is {most} API keys per app."]},
        )


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key in plaintext."""

    api_key: str
    name: str
    scope: str
    created_by: str
    created_at: int
    is_built_in: bool
