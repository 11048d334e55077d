"""The table from refusals to HTTP statuses, and the answers to errors."""

import msgspec

from hubbub.http.answer import Answer
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


def error_answer(status: int, code: str, message: str) -> Answer:
    """Return the answer to an error that is no refusal."""
    return _answer(status, Problem(code, message))


def refusal_answer(refusal: errors.Refusal) -> Answer:
    """Return the answer to a refused request."""
    answer = _answer(status_of(type(refusal)), body_of(refusal).error)
    if isinstance(refusal, errors.TooMany | errors.Unavailable):
        answer.set_header("Retry-After", str(refusal.retry_after_seconds))
    if isinstance(refusal, errors.TooMany):
        answer.set_header("X-Rate-Limit-Reset", str(refusal.resets_at))
    return answer


def _answer(status: int, problem: Problem) -> Answer:
    return Answer(_encode(ErrorBody(problem)), status=status, error=problem.code)


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
