"""The tree of refusals: every way in which Hubbub refuses a request, free of HTTP.

    Refusal
    ├── BadInput            the request itself is wrong
    ├── NotAuthenticated    no key or token, or an unknown one
    ├── Forbidden           the caller is known and may not do this
    ├── NotFound            it does not exist, or the caller may not see it
    ├── Conflict            it contradicts what is stored
    ├── TooLarge            a body or a file exceeds its limit
    ├── TooMany             a rate limit is exceeded
    └── Unavailable         the database can't be reached, or too much is waiting

A situation that clients must distinguish has its own class in the `model.py` of its area. One
table, in `http/errors.py`, maps each branch to its HTTP status.
"""

from collections.abc import Mapping, Sequence

Details = Mapping[str, Sequence[str]]


class Refusal(Exception):
    """A request that was understood and is refused.

    `code` is the error code of the API. `message` is a sentence for people that names the offending
    id or field. `details` maps a field (dotted path) to sentences. `dev_message` says what to do.
    """

    code = "ERR_EXCEPTION"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        details: Details | None = None,
        dev_message: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.details = details
        self.dev_message = dev_message
        if code is not None:
            self.code = code


class BadInput(Refusal):
    """The request is wrong; `details` names the fields."""

    code = "ERR_BAD_REQUEST"

    @classmethod
    def fields(cls, details: Details, *, code: str | None = None) -> "BadInput":
        """Return a refusal with sentences about each wrong field."""
        return cls("Failed to validate the data sent with the request.", code=code, details=details)

    @classmethod
    def field(cls, name: str, sentence: str, *, code: str | None = None) -> "BadInput":
        """Return a refusal with a sentence about one wrong field."""
        return cls.fields({name: [sentence]}, code=code)


class LimitReached(BadInput):
    """A fixed limit, such as 25 keys in an app, is reached."""

    code = "ERR_LIMIT_EXCEEDED"


class NotAuthenticated(Refusal):
    """The caller is not known."""

    code = "AUTH_ERR_APIKEY_NOT_FOUND"


class Forbidden(Refusal):
    """The caller is known and may not do this."""

    code = "AUTH_ERR_NO_ACCESS"


class NotFound(Refusal):
    """It does not exist, or the caller may not see it."""

    code = "ERR_API_NOT_FOUND"


class Conflict(Refusal):
    """The request contradicts what is stored."""

    code = "ERR_BAD_REQUEST"


class TooLarge(Refusal):
    """A body or file exceeds its limit."""

    code = "ERR_PAYLOAD_TOO_LARGE"


class TooMany(Refusal):
    """A rate limit is exceeded; the call may be retried after `retry_after_seconds`.

    `resets_at` is that time, in seconds since 1970.
    """

    code = "ERR_TOO_MANY_REQUESTS"

    def __init__(self, message: str, *, retry_after_seconds: int, resets_at: int) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds
        self.resets_at = resets_at


class Unavailable(Refusal):
    """Nothing was done; the call may be retried after `retry_after_seconds`."""

    code = "ERR_OPERATION_FAILED"

    def __init__(
        self, message: str, *, dev_message: str | None = None, retry_after_seconds: int = 1
    ) -> None:
        super().__init__(message, dev_message=dev_message)
        self.retry_after_seconds = retry_after_seconds


class OutcomeUnknown(Unavailable):
    """The connection to the database broke during the commit, which may have succeeded or not."""

    def __init__(self) -> None:
        super().__init__(
            "The connection to the database broke while the change was being committed.",
            dev_message=(
                "The change may or may not be stored. "
                "Repeat the request with the same muid or Idempotency-Key."
            ),
        )
