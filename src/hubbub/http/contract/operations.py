"""The description of an operation: its body, its answers, and the credentials that it needs."""

from typing import Any

from hubbub.http.contract.errors import ErrorAnswers
from hubbub.http.contract.examples import examples_of
from hubbub.http.contract.parameters import parameters_of
from hubbub.http.contract.schemas import Schema, Schemas, component_name, name_of
from hubbub.http.decoding.forms import FILE, parts_of
from hubbub.http.documented import VARIANTS
from hubbub.http.operation import Operation, RequiredKey
from hubbub.records.attachments.model import LARGEST_FILES, MOST_FILES

SECURITY = {
    "apikey": {
        "type": "apiKey",
        "in": "header",
        "name": "apikey",
        "description": "An API key of the app.",
    },
    "authToken": {
        "type": "apiKey",
        "in": "header",
        "name": "authToken",
        "description": "An auth token of a user, who acts.",
    },
    "key": {
        "type": "apiKey",
        "in": "header",
        "name": "key",
        "description": "The management key of the installation, together with `secret`.",
    },
    "secret": {
        "type": "apiKey",
        "in": "header",
        "name": "secret",
        "description": "The management secret of the installation, together with `key`.",
    },
}
_FILES = {
    "type": "array",
    "items": {"type": "string", "format": "binary"},
    "maxItems": MOST_FILES,
    "description": f"The files, each in its own part, of at most {LARGEST_FILES:,} bytes together.",
}
_FORM = "Each field is a part of its own, with its files."

_HEADERS = {
    "X-Request-Id": {
        "schema": {"type": "string"},
        "description": "The id of the request, which is also in the log.",
    }
}
_REPLAYED = {
    "Idempotent-Replayed": {
        "schema": {"type": "string", "enum": ["true"]},
        "description": "The answer is that of the first call; nothing was done again.",
    }
}
_IGNORED = {
    "Hubbub-Ignored": {
        "schema": {"type": "string"},
        "description": "The fields and parameters that were ignored, as the operation has none of"
        " these names: at most 10, percent-encoded.",
    }
}
_RATE_HEADERS = {
    "X-Rate-Limit": {
        "schema": {"type": "string"},
        "description": "The limit of such calls per minute, where calls are limited.",
    },
    "X-Rate-Limit-Remaining": {
        "schema": {"type": "string"},
        "description": "The number of calls that are left in the current minute.",
    },
}


def types_of(operation: Operation) -> list[Any]:
    """Return the types of the request and the answer of an operation."""
    inputs = [type_ for type_ in (operation.body, operation.query) if type_ is not None]
    return [*inputs, operation.answer]


def describe(operation: Operation, schemas: Schemas, errors: ErrorAnswers) -> dict[str, Any]:
    """Return the description of an operation."""
    described: dict[str, Any] = {
        "operationId": operation.name,
        "tags": [operation.tag.name],
        "summary": operation.summary,
        "parameters": parameters_of(operation, schemas),
        "responses": {"200": _answer(operation, schemas), **errors.of(operation)},
        "security": _security(operation),
    }
    if operation.description:
        described["description"] = operation.description
    if operation.body is not None:
        described["requestBody"] = _body(operation, operation.body, schemas)
    if operation.is_deprecated:
        described["deprecated"] = True
    return described


def _answer(operation: Operation, schemas: Schemas) -> dict[str, Any]:
    schema = schemas.of(operation.answer)
    if not operation.is_enveloped:
        held = schema if "$ref" in schema else {**schema, "description": "The outcomes, by id."}
        schema = schemas.add(
            f"{_held_by(schema)}Answer",
            {"type": "object", "properties": {"data": held}, "required": ["data"]},
        )
    is_limited = operation.key is not RequiredKey.MANAGEMENT
    headers = {
        **_HEADERS,
        **({} if operation.is_own else _IGNORED),
        **(_RATE_HEADERS if is_limited else {}),
    }
    return {
        "description": "Done.",
        "content": _json(schema, examples_of(operation.name, "answer")),
        "headers": {**headers, **_REPLAYED} if operation.is_write else headers,
    }


def _held_by(schema: Schema) -> str:
    """Return the name of what an answer holds; of an object by ids, the plural of its values."""
    if "$ref" in schema:
        return name_of(schema)
    return f"{name_of(schema['additionalProperties'])}s"


def _body(operation: Operation, body: type, schemas: Schemas) -> dict[str, Any]:
    content = _json(schemas.of(body), examples_of(operation.name, "body"))
    if operation.takes_files:
        content |= _form(body, schemas)
    return {"content": content, "required": not operation.is_body_optional}


def _form(body: type, schemas: Schemas) -> dict[str, Any]:
    """Return a body as a form with files; each field is a part, as JSON unless it is text."""
    variants = VARIANTS.get(body)
    shown = (variants.form or variants.types[0]) if variants is not None else body
    name = component_name(shown.__name__)
    shape = schemas.components[name]
    form = schemas.add(
        f"{name}Form",
        {
            **shape,
            "description": f"{shape['description']} {_FORM}",
            "properties": {**shape["properties"], FILE: _FILES},
            "required": [field for field in shape.get("required", ()) if field != "data"],
        },
    )
    encoding = {
        part: {"contentType": "text/plain" if is_text else "application/json"}
        for part, is_text in parts_of(body)
        if part in shape["properties"]
    }
    encoding[FILE] = {"contentType": "*/*"}
    return {"multipart/form-data": {"schema": form, "encoding": encoding}}


def _json(schema: Schema, examples: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema, **examples}}


def _security(operation: Operation) -> list[dict[str, Any]]:
    if operation.key is RequiredKey.MANAGEMENT:
        return [{"key": [], "secret": []}]
    ways: list[dict[str, Any]] = [{"apikey": []}]
    if operation.is_for_managers:
        ways.append({"key": [], "secret": []})
    return [*ways, {"authToken": []}] if operation.is_for_users else ways
