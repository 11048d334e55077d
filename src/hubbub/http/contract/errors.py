"""The answers to errors: by status, with the codes that an operation can answer."""

from collections.abc import Iterable, Iterator
from typing import Any

from hubbub.domain.access.credentials import (
    ApiKeyUnknown,
    AuthTokenUnknown,
    EmptyApiKey,
    EmptyAppId,
)
from hubbub.files.store import FileNotStored
from hubbub.http.authenticate import ManagementRefused, NoAccess
from hubbub.http.contract.schemas import REF, Schema, Schemas
from hubbub.http.errors import MEANING, status_of
from hubbub.http.operation import Operation, RequiredKey
from hubbub.http.rules import HttpsRequired
from hubbub.kernel.errors import BadInput, Refusal, TooLarge, TooMany, Unavailable
from hubbub.records.apps.model import InvalidApp
from hubbub.records.attachments.model import TooManyFiles
from hubbub.records.groups.model import GuidNotFound
from hubbub.records.idempotency.model import IdempotencyKeyReused
from hubbub.records.messages.model import MessageIdNotFound
from hubbub.records.roles.features import FeatureRestricted
from hubbub.records.users.model import UidNotFound

Codes = dict[int, list[str]]

_OF_CREDENTIALS = (
    EmptyAppId,
    InvalidApp,
    EmptyApiKey,
    ApiKeyUnknown,
    AuthTokenUnknown,
    ManagementRefused,
)
SHARED: dict[int, tuple[str, list[str]]] = {
    401: ("NotAuthenticated", [error.code for error in _OF_CREDENTIALS]),
    413: ("BodyTooLarge", [TooLarge.code]),
    429: ("TooManyCalls", [TooMany.code]),
    431: ("HeadersTooLarge", [BadInput.code]),
    503: ("Unavailable", [Unavailable.code]),
}
"""The answers that are the same for all operations: the name, and the codes."""

_DETAILS = {
    "type": "object",
    "description": "What is wrong, by field.",
    "additionalProperties": {"type": "array", "items": {"type": "string"}},
}


def shared_answers(schemas: Schemas) -> dict[str, Any]:
    """Return the answers to errors that operations share, by name."""
    return {
        name: _answer(status, codes, add_error(schemas, name, codes))
        for status, (name, codes) in SHARED.items()
    }


def error_answers(operation: Operation, schemas: Schemas) -> dict[str, Any]:
    """Return the answers to errors of an operation by status."""
    shared = [401, 431, 503]
    if operation.body is not None:
        shared.append(413)
    if operation.key is not RequiredKey.MANAGEMENT:
        shared.append(429)
    answers: dict[int, Any] = {
        status: {"$ref": f"#/components/responses/{SHARED[status][0]}"} for status in shared
    }
    codes = codes_of(operation)
    name = "".join(part.capitalize() for part in operation.name.split("_"))
    every = dict.fromkeys(code for listed in codes.values() for code in listed)
    schema = add_error(schemas, name, every)
    answers |= {status: _answer(status, listed, schema) for status, listed in codes.items()}
    return {str(status): answer for status, answer in sorted(answers.items())}


def add_error(schemas: Schemas, name: str, codes: Iterable[str]) -> Schema:
    """Add the schemas of errors with one of the codes, and return the reference to them."""
    schemas.add("ErrorDetails", _DETAILS)
    code = schemas.add(f"{name}ErrorCode", {"type": "string", "enum": sorted(codes)})
    problem = schemas.add(
        f"{name}Problem",
        {
            "type": "object",
            "properties": {
                "code": code,
                "message": {"type": "string", "description": "The reason, in words."},
                "devMessage": {"type": "string", "description": "What to do about it."},
                "details": {"$ref": REF.format(name="ErrorDetails")},
            },
            "required": ["code", "message"],
        },
    )
    properties = {"error": problem}
    return schemas.add(
        f"{name}Error", {"type": "object", "properties": properties, "required": ["error"]}
    )


def _answer(status: int, codes: Iterable[str], schema: Schema) -> dict[str, Any]:
    return {
        "description": " ".join([MEANING[status], *(f"`{code}`" for code in codes)]),
        "content": {"application/json": {"schema": schema}},
    }


def codes_of(operation: Operation) -> Codes:
    """Return the codes of the errors that an operation does not share, by status."""
    codes: Codes = {400: [BadInput.code, *operation.codes], 403: []}
    for error in (*operation.errors, *_implied_errors(operation)):
        listed = codes.setdefault(status_of(error), [])
        if error.code not in listed:
            listed.append(error.code)
    return codes


def _implied_errors(operation: Operation) -> Iterator[type[Refusal]]:
    """Yield the errors that follow from the rest of the declaration."""
    yield HttpsRequired
    if operation.key is not RequiredKey.MANAGEMENT:
        yield NoAccess
    if operation.is_for_users:
        yield from (UidNotFound, FeatureRestricted)
    if operation.takes_files:
        yield from (FileNotStored, TooManyFiles)
    if operation.is_write:
        yield IdempotencyKeyReused
    if operation.is_write and operation.key is not RequiredKey.MANAGEMENT:
        # A retry with an `Idempotency-Key`, after what the answer named has been deleted.
        yield from (UidNotFound, GuidNotFound, MessageIdNotFound)
