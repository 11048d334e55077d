"""The OpenAPI 3.1 document, made of the declared operations."""

from collections.abc import Sequence
from typing import Any

import msgspec

import hubbub
from hubbub.config import Settings
from hubbub.http.contract.errors import ErrorAnswers
from hubbub.http.contract.operations import SECURITY, describe, types_of
from hubbub.http.contract.schemas import Schemas
from hubbub.http.contract.webhooks import describe_events, describe_webhooks
from hubbub.http.documented import EVENT_DATA, SENT_CALLS
from hubbub.http.errors import ErrorBody
from hubbub.http.operation import Operation

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


PORT = Settings().port


def make_document(operations: Sequence[Operation], port: int) -> bytes:
    """Return the document of a server at a port, as JSON."""
    return msgspec.json.encode(build_document(operations, port))


def build_document(operations: Sequence[Operation], port: int = PORT) -> dict[str, Any]:
    """Return the document of a server at a port."""
    types = [type_ for operation in operations for type_ in types_of(operation)]
    sent = [*EVENT_DATA.values(), *(call.data for call in SENT_CALLS.values())]
    schemas = Schemas([*types, *sent, ErrorBody])
    errors = ErrorAnswers(schemas)
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        described = describe(operation, schemas, errors)
        paths.setdefault(operation.path, {})[operation.method.lower()] = described
    answers = errors.shared()
    webhooks = describe_webhooks(schemas)
    events = describe_events(schemas)
    schemas.prune([paths, webhooks, events, answers])
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Hubbub",
            "version": hubbub.__version__,
            "description": DESCRIPTION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": _servers(port),
        "tags": [
            {"name": tag.name, "description": tag.description}
            for tag in dict.fromkeys(operation.tag for operation in operations)
        ],
        "paths": paths,
        "webhooks": webhooks,
        "x-events": events,
        "components": {
            "schemas": schemas.components,
            "responses": answers,
            "examples": dict(sorted(errors.examples.items())),
            "securitySchemes": SECURITY,
        },
    }


def _servers(port: int) -> list[dict[str, Any]]:
    host = {"default": f"localhost:{port}", "description": "Host and port."}
    about = "A server on this machine, or under another name; https if it has TLS."
    return [
        {"url": "http://{host}/v3", "description": about, "variables": {"host": host}},
        {"url": "/v3", "description": "The server that served this document."},
    ]
