"""The table from refusals to HTTP statuses, and the body of an error."""

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
    400: "The request is malformed or invalid; `details` names the fields.",
    401: "The key or token is missing or unknown.",
    403: "The caller may not do this.",
    404: "The object does not exist, or the caller may not see it.",
    405: "The path has no such method; the header `Allow` lists those it has.",
    409: "The request conflicts with what is stored.",
    413: "The body is too large.",
    429: "Too many calls; the header `Retry-After` says in how many seconds to try again.",
    431: "The headers are too large.",
    500: "A defect of the server.",
    503: "The database is not available, or too many calls are waiting. See `Retry-After`.",
}


class Problem(msgspec.Struct, omit_defaults=True, rename="camel"):
    """The reason of an error."""

    code: str
    message: str
    dev_message: str | None = None
    details: dict[str, list[str]] | None = None


class ErrorBody(msgspec.Struct):
    """The body of every answer that is not 200."""

    error: Problem


_encode = msgspec.json.Encoder().encode


def error_body(code: str, message: str) -> ErrorBody:
    """Return the body of an error that is no refusal."""
    return ErrorBody(Problem(code, message))


def write_error(resp: Any, body: ErrorBody) -> None:
    """Write `body` into an answer, which has its status already."""
    resp.content_type = "application/json"
    resp.data = _encode(body)


def status_of(refusal: type[errors.Refusal]) -> int:
    """Return the HTTP status of a kind of refusal."""
    return next(STATUS[kind] for kind in refusal.__mro__ if kind in STATUS)


def body_of(refusal: errors.Refusal) -> ErrorBody:
    """Return the error body for `refusal`."""
    details = refusal.details
    return ErrorBody(
        Problem(
            refusal.code,
            refusal.message,
            refusal.dev_message,
            {field: list(texts) for field, texts in details.items()} if details else None,
        )
    )


def headers_of(refusal: errors.Refusal) -> dict[str, Any]:
    """Return the headers that the answer has besides."""
    if isinstance(refusal, errors.TooMany):
        return {
            "Retry-After": str(refusal.retry_after_seconds),
            "X-Rate-Limit-Reset": str(refusal.resets_at),
        }
    if isinstance(refusal, errors.Unavailable):
        return {"Retry-After": str(refusal.retry_after_seconds)}
    return {}
