"""The one table from a refusal to its HTTP status, and the body of an error."""

from typing import Any

import msgspec

from hubbub.kernel import errors

STATUS: dict[type[errors.Refusal], int] = {
    errors.BadInput: 400,
    errors.NotAuthenticated: 401,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.TooLarge: 413,
    errors.TooMany: 429,
    errors.Unavailable: 503,
}

MEANING = {
    400: "The request is wrong; `details` names the fields.",
    401: "No key or token, or one that is not known.",
    403: "The caller may not do this.",
    404: "There is no such thing, or none that the caller may see.",
    405: "The path exists, the method does not; see the header `Allow`.",
    409: "What is stored already stands against it.",
    413: "The body is too large.",
    429: "Too many calls; `Retry-After` says when to come again.",
    431: "The headers are too large.",
    500: "A defect of the server.",
    503: "Nothing was done: the store is away or too much is waiting. See `Retry-After`.",
}


class Problem(msgspec.Struct, omit_defaults=True, rename="camel"):
    """What went wrong."""

    code: str
    message: str
    dev_message: str | None = None
    details: dict[str, list[str]] | None = None


class ErrorBody(msgspec.Struct):
    """The body of every answer that is not 200."""

    error: Problem


def status_of(refusal: type[errors.Refusal]) -> int:
    """The HTTP status of a kind of refusal."""
    return next(STATUS[kind] for kind in refusal.__mro__ if kind in STATUS)


def body_of(refusal: errors.Refusal) -> ErrorBody:
    """The error body that tells `refusal`."""
    details = refusal.details
    return ErrorBody(
        Problem(
            refusal.code,
            refusal.message,
            refusal.dev_message,
            {field: list(said) for field, said in details.items()} if details else None,
        )
    )


def headers_of(refusal: errors.Refusal) -> dict[str, Any]:
    """Further headers of the answer."""
    if isinstance(refusal, errors.TooMany):
        return {
            "Retry-After": str(refusal.retry_after_seconds),
            "X-Rate-Limit-Reset": str(refusal.resets_at),
        }
    if isinstance(refusal, errors.Unavailable):
        return {"Retry-After": str(refusal.retry_after_seconds)}
    return {}
