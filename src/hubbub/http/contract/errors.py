"""The answers to errors: by status, with the codes that an operation can answer and examples.

And all codes with their meanings, read from the classes of refusals.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hubbub.domain.access.credentials import (
    ApiKeyUnknown,
    AuthTokenUnknown,
    EmptyApiKey,
    EmptyAppId,
)
from hubbub.files.store import FileNotStored
from hubbub.http.authenticate import ManagementRefused, NoAccess
from hubbub.http.contract.error_examples import example_of
from hubbub.http.contract.schemas import Schema, Schemas
from hubbub.http.errors import MEANING, ErrorBody, status_of
from hubbub.http.operation import Operation, RequiredKey
from hubbub.http.rules import HttpsRequired
from hubbub.kernel.errors import BadInput, Refusal, TooLarge, TooMany, Unavailable
from hubbub.records.apps.model import InvalidApp
from hubbub.records.attachments.model import TooManyFiles
from hubbub.records.groups.model import GuidNotFound
from hubbub.records.idempotency.model import GROUP, MESSAGE, USER, IdempotencyKeyReused
from hubbub.records.messages.model import MessageIdNotFound
from hubbub.records.roles.features import FeatureRestricted
from hubbub.records.users.model import UidNotFound

Kinds = dict[str, type[Refusal] | None]
"""The codes of an answer with the refusal of each; None if the code has no class of its own."""

_OF_CREDENTIALS = (EmptyAppId, InvalidApp, EmptyApiKey, ApiKeyUnknown, AuthTokenUnknown)
SHARED: dict[str, tuple[int, tuple[type[Refusal], ...]]] = {
    "NotAuthenticated": (401, _OF_CREDENTIALS),
    "NotManager": (401, (ManagementRefused,)),
    "NeitherAppNorManager": (401, (*_OF_CREDENTIALS, ManagementRefused)),
    "BodyTooLarge": (413, (TooLarge,)),
    "TooManyCalls": (429, (TooMany,)),
    "HeadersTooLarge": (431, (BadInput,)),
    "Unavailable": (503, (Unavailable,)),
}
"""The answers that operations share: the status, and the refusals."""
_DELETED: Mapping[str, type[Refusal]] = {
    USER: UidNotFound,
    GROUP: GuidNotFound,
    MESSAGE: MessageIdNotFound,
}
"""The refusals of a retry with an `Idempotency-Key` after what the answer names was deleted."""
_NAMED_BY = {USER: {"uid"}, GROUP: {"guid"}, MESSAGE: {"id", "conversationId"}}
"""The fields of an object in an answer that names one, as replays look for them."""


class ErrorAnswers:
    """Describes the answers to errors, and collects their examples for the components."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._schema = schemas.of(ErrorBody)
        self.examples: dict[str, Any] = {}

    def shared(self) -> dict[str, Any]:
        """Return the answers that operations share, by name."""
        return {
            name: self._answer(status, {kind.code: kind for kind in kinds})
            for name, (status, kinds) in SHARED.items()
        }

    def of(self, operation: Operation) -> dict[str, Any]:
        """Return the answers of an operation by status."""
        own = errors_of(operation)
        if operation.is_write:
            _add(own, (IdempotencyKeyReused, *self._deleted(operation)))
        answers: dict[int, Any] = {
            SHARED[name][0]: {"$ref": f"#/components/responses/{name}"}
            for name in _shared_by(operation)
        }
        answers |= {status: self._answer(status, kinds) for status, kinds in own.items()}
        return {str(status): answer for status, answer in sorted(answers.items())}

    def _deleted(self, operation: Operation) -> Iterator[type[Refusal]]:
        """Yield the refusals of a retry whose first answer names what was deleted since."""
        if operation.key is RequiredKey.MANAGEMENT:
            return
        named = {each.kind for each in operation.path_parameters.values()}
        used = self._schemas.used_by(self._schemas.of(operation.answer))
        shapes = [self._schemas.components[name].get("properties", {}).keys() for name in used]
        for kind, error in _DELETED.items():
            if kind in named or any(fields >= _NAMED_BY[kind] for fields in shapes):
                yield error

    def _answer(self, status: int, kinds: Kinds) -> dict[str, Any]:
        examples = {code: self._example(code, kind) for code, kind in kinds.items()}
        return {
            "description": " ".join([MEANING[status], *(f"`{code}`" for code in kinds)]),
            "content": {"application/json": {"schema": self._schema, "examples": examples}},
        }

    def _example(self, code: str, kind: type[Refusal] | None) -> Schema:
        name = code if kind is None else f"{code}.{kind.__name__}"
        self.examples.setdefault(name, {"value": example_of(code, kind)})
        return {"$ref": f"#/components/examples/{name}"}


def add_error(schemas: Schemas, name: str, codes: Iterable[str]) -> Schema:
    """Add the schema of problems with one of the codes, and return the reference to it."""
    text = "The code of the error, by which programs go."
    enumeration = {"type": "string", "enum": sorted(codes), "description": text}
    code = schemas.add(f"{name}ErrorCode", enumeration)
    problem = schemas.components["Problem"]
    return schemas.add(
        f"{name}Problem", {**problem, "properties": {**problem["properties"], "code": code}}
    )


def errors_of(operation: Operation) -> dict[int, Kinds]:
    """Return the errors that an operation does not share, by status and code."""
    found: dict[int, Kinds] = {400: {BadInput.code: BadInput}}
    for code in operation.codes:
        found[400].setdefault(code, None)
    _add(found, (*operation.errors, *_implied_errors(operation)))
    return found


def _add(found: dict[int, Kinds], errors: Iterable[type[Refusal]]) -> None:
    for error in errors:
        found.setdefault(status_of(error), {}).setdefault(error.code, error)


def _shared_by(operation: Operation) -> Iterator[str]:
    """Yield the names of the shared answers that an operation has."""
    if operation.key is RequiredKey.MANAGEMENT:
        yield "NotManager"
    else:
        yield "NeitherAppNorManager" if operation.is_for_managers else "NotAuthenticated"
        yield "TooManyCalls"
    if operation.body is not None:
        yield "BodyTooLarge"
    yield from ("HeadersTooLarge", "Unavailable")


def _implied_errors(operation: Operation) -> Iterator[type[Refusal]]:
    """Yield the errors that follow from the rest of the declaration."""
    yield HttpsRequired
    if operation.key is not RequiredKey.MANAGEMENT and not _is_for_all(operation):
        yield NoAccess
    if operation.is_for_users:
        yield UidNotFound
    if operation.features:
        yield FeatureRestricted
    if operation.takes_files:
        yield from (FileNotStored, TooManyFiles)


def _is_for_all(operation: Operation) -> bool:
    """Return whether every key and every token suffices."""
    return operation.key is RequiredKey.AUTH_ONLY and operation.is_for_users


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """A code, the statuses of the answers that have it, and what it can mean."""

    code: str
    statuses: tuple[int, ...]
    meanings: tuple[str, ...]


def list_error_codes() -> list[ErrorCode]:
    """Return every code in alphabetical order."""
    kinds = sorted(_kinds(Refusal), key=lambda kind: (kind.code, status_of(kind)))
    return [
        ErrorCode(
            code,
            tuple(sorted({status_of(kind) for kind in kinds if kind.code == code})),
            tuple(dict.fromkeys(_meaning(kind) for kind in kinds if kind.code == code)),
        )
        for code in dict.fromkeys(kind.code for kind in kinds)
    ]


def _kinds(above: type[Refusal]) -> Iterator[type[Refusal]]:
    for kind in above.__subclasses__():
        if kind.__module__.startswith("hubbub."):
            yield kind
            yield from _kinds(kind)


def _meaning(kind: type[Refusal]) -> str:
    """Return the first sentence of a refusal's docstring."""
    return (kind.__doc__ or "").strip().partition("\n")[0]
