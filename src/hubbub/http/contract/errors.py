"""The answers to errors: one for each status, with the codes that an operation can answer."""

from collections.abc import Iterator
from typing import Any

from hubbub.http.contract.schemas import REF
from hubbub.http.errors import MEANING, status_of
from hubbub.http.operation import Operation, RequiredKey
from hubbub.kernel.errors import Refusal
from hubbub.records.groups.model import GuidNotFound
from hubbub.records.idempotency.model import IdempotencyKeyReused
from hubbub.records.messages.model import MessageIdNotFound
from hubbub.records.users.model import UidNotFound

ALWAYS = (400, 401, 403, 413, 429, 431, 503)


def error_answers(operation: Operation) -> dict[str, Any]:
    """Return the answers to errors of an operation by status."""
    codes: dict[int, list[str]] = {status: [] for status in ALWAYS}
    for error in (*operation.errors, *_retry_errors(operation)):
        codes.setdefault(status_of(error), []).append(error.code)
    if operation.body is None:
        del codes[413]
    if operation.key is RequiredKey.MANAGEMENT:
        del codes[429]
    return {
        str(status): {
            "description": " ".join([MEANING[status], *(f"`{code}`" for code in names)]),
            "content": {
                "application/json": {"schema": {"$ref": REF.format(name="ErrorBody")}},
            },
        }
        for status, names in sorted(codes.items())
    }


def _retry_errors(operation: Operation) -> Iterator[type[Refusal]]:
    """Yield the errors that only a retry with an `Idempotency-Key` can meet."""
    if not operation.is_write:
        return
    yield IdempotencyKeyReused
    if operation.key is not RequiredKey.MANAGEMENT:
        deleted = (UidNotFound, GuidNotFound, MessageIdNotFound)
        yield from (each for each in deleted if each not in operation.errors)
