"""The OpenAPI 3.1 document, made of the declared operations."""

from collections.abc import Sequence
from typing import Any

import msgspec

import hubbub
from hubbub.http.errors import MEANING, ErrorBody, status_of
from hubbub.http.forms import FILE, parts_of
from hubbub.http.operation import Operation, RequiredKey
from hubbub.kernel.errors import Refusal
from hubbub.records.attachments.model import LARGEST_FILES, MOST_FILES
from hubbub.records.groups.model import GuidNotFound
from hubbub.records.idempotency.model import LONGEST_KEY, IdempotencyKeyReused
from hubbub.records.messages.model import MessageIdNotFound
from hubbub.records.users.model import UidNotFound

REF = "#/components/schemas/{name}"
ALWAYS = (400, 401, 403, 413, 429, 431, 503)
DESCRIPTION = """\
The interface of Hubbub, a self-hosted chat backend.

Every call needs an API key in the header `apikey`, or a user's auth token in `authToken`. The app
is identified by the host name `<app_id>.api-<region>.<host>`, by the header `appId`, or by the key.
Answers are `{"data": …}`, lists add `meta`; errors are `{"error": {"code", "message", …}}`.

A write that got no answer can be retried safely if it has the header `Idempotency-Key` with a
random text of your choice: for 24 hours, the same request with the same key is carried out once.
Each retry gets the answer of the first call, with the header `Idempotent-Replayed: true`. Only
successful answers are kept; after an error the key can be used again. If a user, group or message
in the answer has been deleted permanently since, a retry is answered 404. A message can have a
`muid` instead.

Unknown fields and query parameters are ignored and named in the answer's header `Hubbub-Ignored`;
operations that only Hubbub has refuse them. `limit` and `perPage` are taken for one another.
"""


def make_document(operations: Sequence[Operation]) -> bytes:
    """Return the document as JSON."""
    return msgspec.json.encode(build_document(operations))


def build_document(operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the document."""
    types = [ErrorBody, *(type_ for operation in operations for type_ in _types(operation))]
    schemas, components = msgspec.json.schema_components(types, ref_template=REF)
    by_type = dict(zip(map(repr, types), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(
            operation, by_type, components
        )
    document: dict[str, Any] = _without_null(
        {
            "openapi": "3.1.0",
            "info": {
                "title": "Hubbub",
                "version": hubbub.__version__,
                "description": DESCRIPTION,
                "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            },
            "servers": [{"url": "/v3"}],
            "tags": [{"name": tag} for tag in dict.fromkeys(entry.tag for entry in operations)],
            "paths": paths,
            "components": {"schemas": components, "securitySchemes": SECURITY},
        }
    )
    return document


SECURITY = {
    "apikey": {"type": "apiKey", "in": "header", "name": "apikey"},
    "authToken": {"type": "apiKey", "in": "header", "name": "authToken"},
    "key": {"type": "apiKey", "in": "header", "name": "key"},
    "secret": {"type": "apiKey", "in": "header", "name": "secret"},
}


def _types(operation: Operation) -> list[Any]:
    inputs = [type_ for type_ in (operation.body, operation.query) if type_ is not None]
    return [*inputs, *operation.extra_shapes, operation.answer]


def _operation(
    operation: Operation, by_type: dict[str, Any], components: dict[str, Any]
) -> dict[str, Any]:
    answer = by_type[repr(operation.answer)]
    if not operation.is_enveloped:
        answer = {"type": "object", "properties": {"data": answer}, "required": ["data"]}
    described: dict[str, Any] = {
        "operationId": operation.name,
        "tags": [operation.tag],
        "summary": operation.summary,
        "parameters": [
            *_path_parameters(operation),
            *_header_parameters(operation),
            *_query_parameters(operation, components),
        ],
        "responses": {
            "200": {
                "description": "Done.",
                "content": _json(answer),
                "headers": _answer_headers(operation),
            },
            **_errors(operation),
        },
        "security": _security(operation),
    }
    if operation.description:
        described["description"] = operation.description
    if operation.body is not None:
        is_required = any(field.required for field in msgspec.structs.fields(operation.body))
        content = _json(by_type[repr(operation.body)])
        if operation.takes_files:
            content |= _form(operation.body, components)
        described["requestBody"] = {"content": content, "required": is_required}
    return described


def _form(body: type, components: dict[str, Any]) -> dict[str, Any]:
    """Return a body as a form with files; each field is a part, as JSON unless it is text."""
    shape = components[body.__name__]
    name = f"{body.__name__}Form"
    components[name] = {
        **shape,
        "title": name,
        "description": f"{shape['description']} Each field is a part of its own, with its files.",
        "properties": {**shape["properties"], FILE: _FILES},
    }
    encoding = {
        part: {"contentType": "text/plain" if is_text else "application/json"}
        for part, is_text in parts_of(body)
    }
    form = {
        "schema": {"$ref": REF.format(name=name)},
        "encoding": {**encoding, FILE: {"contentType": "*/*"}},
    }
    return {"multipart/form-data": form}


_FILES = {
    "type": "array",
    "items": {"type": "string", "format": "binary"},
    "maxItems": MOST_FILES,
    "description": f"The files, each in its own part, of at most {LARGEST_FILES:,} bytes together.",
}


_HEADERS = {
    "X-Request-Id": {
        "schema": {"type": "string"},
        "description": "The id of the request, which is also in the log.",
    }
}
_IGNORED = {
    "Hubbub-Ignored": {
        "schema": {"type": "string"},
        "description": "The fields and parameters that were ignored, as the operation has none of"
        " these names: at most 10, percent-encoded.",
    }
}
_REPLAYED = {
    "Idempotent-Replayed": {
        "schema": {"const": "true"},
        "description": "The answer is that of the first call; nothing was done again.",
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


def _answer_headers(operation: Operation) -> dict[str, Any]:
    is_limited = operation.key is not RequiredKey.MANAGEMENT
    headers = {
        **_HEADERS,
        **({} if operation.is_own else _IGNORED),
        **(_RATE_HEADERS if is_limited else {}),
    }
    return {**headers, **_REPLAYED} if operation.is_write else headers


def _json(schema: Any) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _path_parameters(operation: Operation) -> list[dict[str, Any]]:
    return [
        {
            "name": parameter.name,
            "in": "path",
            "required": True,
            "description": parameter.description,
            "schema": {"type": "string"},
        }
        for parameter in operation.path_parameters.values()
    ]


def _header_parameters(operation: Operation) -> list[dict[str, Any]]:
    acting = [_ON_BEHALF_OF] if operation.is_for_users else []
    return [*acting, _IDEMPOTENCY_KEY] if operation.is_write else acting


_ON_BEHALF_OF = {
    "name": "onBehalfOf",
    "in": "header",
    "required": False,  # a token names the acting user, too
    "description": "The uid of the acting user.",
    "schema": {"type": "string"},
}
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Calls with the same key are carried out once.",
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY},
}


def _query_parameters(operation: Operation, components: dict[str, Any]) -> list[dict[str, Any]]:
    if operation.query is None:
        return []
    shape = components[operation.query.__name__]
    required = shape.get("required", [])
    return [
        {
            "name": name,
            "in": "query",
            "required": name in required,
            "schema": schema,
            **({"style": "form", "explode": False} if _is_list(schema) else {}),
        }
        for name, schema in shape["properties"].items()
    ]


def _is_list(schema: dict[str, Any]) -> bool:
    return schema.get("type") == "array"


def _retry_errors(operation: Operation) -> list[type[Refusal]]:
    """Return the errors that only a retry with an `Idempotency-Key` can meet."""
    if not operation.is_write:
        return []
    deleted = (
        []
        if operation.key is RequiredKey.MANAGEMENT
        else [UidNotFound, GuidNotFound, MessageIdNotFound]
    )
    return [IdempotencyKeyReused, *(each for each in deleted if each not in operation.errors)]


def _errors(operation: Operation) -> dict[str, Any]:
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
            "content": _json({"$ref": REF.format(name="ErrorBody")}),
        }
        for status, names in sorted(codes.items())
    }


def _security(operation: Operation) -> list[dict[str, Any]]:
    if operation.key is RequiredKey.MANAGEMENT:
        return [{"key": [], "secret": []}]
    ways: list[dict[str, Any]] = [{"apikey": []}]
    return [*ways, {"authToken": []}] if operation.is_for_users else ways


def _without_null(value: Any) -> Any:
    """Return schemas without `null`: an absent field is left out of answers.

    In requests null means absent, which the document does not mention.
    """
    if isinstance(value, list):
        return [_without_null(item) for item in value]
    if not isinstance(value, dict):
        return value
    value = {name: _without_null(item) for name, item in value.items()}
    if "anyOf" in value:
        options = [option for option in value["anyOf"] if option != {"type": "null"}]
        if len(options) == 1:
            rest = {name: item for name, item in value.items() if name != "anyOf"}
            value = {**options[0], **rest}
    if value.get("default", 0) is None:
        del value["default"]
    return value
