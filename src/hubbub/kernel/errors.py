"""Every way in which Hubbub says no, free of HTTP.

    Refusal
    ├── BadInput            the request itself is wrong
    ├── NotAuthenticated    no key or token, or one that is not known
    ├── Forbidden           known, and may not
    ├── NotFound            no such thing, or none that the caller may see
    ├── Conflict            it is there already, or it is too late
    ├── TooLarge            a body or a file over its limit
    ├── TooMany             a rate limit
    └── Unavailable         the store can't be reached, or too much is waiting

A situation that callers tell apart has a class of its own in the `model.py` of its area; the HTTP
status of each branch is decided in one table, `http/errors.py`.
"""

from collections.abc import Mapping, Sequence

Details = Mapping[str, Sequence[str]]


class Refusal(Exception):
    """A request that was understood and is not carried out.

    `code` is the word of the interface, `message` a sentence for people that names the offending
    id or field, `details` maps a field (dotted path) to sentences, `dev_message` says what to do.
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
        """A refusal that names each wrong field with what is wrong about it."""
        return cls("Failed to validate the data sent with the request.", code=code, details=details)

    @classmethod
    def field(cls, name: str, sentence: str, *, code: str | None = None) -> "BadInput":
        """A refusal for one wrong field."""
        return cls.fields({name: [sentence]}, code=code)


class LimitReached(BadInput):
    """A standing limit, such as 25 keys in an app, is used up."""

    code = "ERR_LIMIT_EXCEEDED"


class NotAuthenticated(Refusal):
    """Nobody that is known is calling."""

    code = "AUTH_ERR_APIKEY_NOT_FOUND"


class Forbidden(Refusal):
    """The caller is known and may not do this."""

    code = "AUTH_ERR_NO_ACCESS"


class NotFound(Refusal):
    """There is no such thing, or none that the caller may see."""

    code = "ERR_API_NOT_FOUND"


class Conflict(Refusal):
    """What is stored already stands against it."""

    code = "ERR_BAD_REQUEST"


class TooLarge(Refusal):
    """A body or file over its limit."""

    code = "ERR_PAYLOAD_TOO_LARGE"


class TooMany(Refusal):
    """Too many calls in too short a time; `retry_after_seconds` says when to come again.

    `resets_at` is when that is, in seconds since 1970.
    """

    code = "ERR_TOO_MANY_REQUESTS"

    def __init__(self, message: str, *, retry_after_seconds: int, resets_at: int) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds
        self.resets_at = resets_at


class Unavailable(Refusal):
    """The work was not done, and may be asked for again in `retry_after_seconds`."""

    code = "ERR_OPERATION_FAILED"

    def __init__(
        self, message: str, *, dev_message: str | None = None, retry_after_seconds: int = 1
    ) -> None:
        super().__init__(message, dev_message=dev_message)
        self.retry_after_seconds = retry_after_seconds


class OutcomeUnknown(Unavailable):
    """The connection to the store broke during the commit: it may have been done, or not."""

    def __init__(self) -> None:
        super().__init__(
            "The connection to the store broke while the change was being committed.",
            dev_message=(
                "It is not known whether this was done; "
                "repeat it with the same muid or Idempotency-Key."
            ),
        )
