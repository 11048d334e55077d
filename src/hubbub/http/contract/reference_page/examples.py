"""A complete request for each operation, as an example: values that fit the shapes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hubbub.http.contract.reference_page.shapes import Schema, Shapes
from hubbub.http.operation import Acting, Operation

ADDRESS = "http://127.0.0.1:8080"
"""The server in examples; the script of the page replaces it with the one that served it."""
ONE_LINE = 40
"""The longest body that is written on one line."""

_PEM = "-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n"
_ANNA = {"uid": "anna", "name": "Anna Keller", "createdAt": 1710000000}
_HIKERS = {
    "guid": "hikers",
    "name": "Hikers",
    "type": "public",
    "owner": "anna",
    "createdAt": 1710000000,
}
_MEMBER = {
    "memberId": "hikers_member_ben",
    "guid": "hikers",
    "uid": "ben",
    "joinedAt": 1710000060,
}
_MESSAGE = {
    "muid": "old-1",
    "sender": "anna",
    "receiverType": "user",
    "receiver": "ben",
    "sentAt": 1710000000,
    "data": {"text": "Hello, Ben!"},
}

VALUES: dict[str, Any] = {
    "accepted": ["ben"],
    "blockedUids": ["ben"],
    "bundleId": "com.example.chat",
    "client_email": "push@my-project.iam.gserviceaccount.com",
    "data": {"text": "Hello, Ben!"},
    "email": "anna@example.com",
    "featuresToAllow": ["u.createGroup"],
    "featuresToRestrict": ["u.createGroup"],
    "force": True,
    "friends": ["ben"],
    "formData": {"name": "Anna", "color": "red"},
    "groups": {"hikers": _HIKERS},
    "guid": "hikers",
    "interactions": ["agree"],
    "keyId": "ABC123DEFG",
    "limit": 20,
    "members": {"hikers_member_ben": _MEMBER},
    "messages": {"old-1": _MESSAGE},
    "muid": "greeting-1",
    "name": "Anna Keller",
    "p8Key": _PEM,
    "permissions": {"sendMessage": "deny"},
    "perPage": 20,
    "permanent": True,
    "participants": ["ben"],
    "phno": "+14155552671",
    "platform": "android",
    "private_key": _PEM,
    "private_key_id": "1a2b3c",
    "productionMode": True,
    "project_id": "my-project",
    "providerId": "my-push",
    "receiver": "ben",
    "receiverType": "user",
    "role": "default",
    "scope": "moderator",
    "serviceAccountCreds": ...,
    "statusMessage": "Out hiking",
    "teamId": "ABCDE12345",
    "uid": "anna",
    "uidsToActivate": ["anna"],
    "uidsToDeactivate": ["anna"],
    "userAgent": "Chat/1.0",
    "users": {"anna": _ANNA},
}
"""The example for each field of that name; an optional field is shown only if it is listed here.

`...` means the example that the fields of its shape make.
"""

SPECIAL: dict[tuple[str, str], Any] = {
    ("CreateApp", "id"): "my-app",
    ("CreateApp", "name"): "My app",
    ("CreateKey", "name"): "Sign-in on the web",
    ("UpdateKey", "name"): "Sign-in on the web",
    ("CreateKey", "scope"): "authOnly",
    ("UpdateKey", "scope"): "authOnly",
    ("CreateRole", "role"): "guide",
    ("CreateRole", "name"): "Guide",
    ("UpdateRole", "name"): "Guide",
    ("CreateGroup", "name"): "Hikers",
    ("CreateGroup", "members"): {"moderators": ["ben"]},
    ("UpdateGroup", "name"): "Hikers of the north",
    ("CreateUser", "role"): None,
    ("UpdateUser", "role"): None,
}
"""Exceptions for a field of one shape; None leaves it out."""

IN_QUERY = frozenset({"limit", "perPage"})
"""The parameters of the query that are shown."""


@dataclass(frozen=True, slots=True)
class Example:
    """A request; `body` is None if it has none."""

    method: str
    path: str
    query: Mapping[str, Any]
    headers: Mapping[str, str]
    body: Any

    @property
    def target(self) -> str:
        """The path with the query."""
        query = "&".join(f"{name}={value}" for name, value in self.query.items())
        return f"{self.path}?{query}" if query else self.path

    @property
    def body_text(self) -> str:
        """The body as JSON, on one line if it is short."""
        short = json.dumps(self.body, ensure_ascii=False)
        return (
            short if len(short) <= ONE_LINE else json.dumps(self.body, indent=2, ensure_ascii=False)
        )


def make_example(
    declared: Operation, described: Mapping[str, Any], shapes: Shapes, prefix: str
) -> Example:
    """Return an example for an operation of the document."""
    parameters = described.get("parameters", ())
    headers = _credentials(described)
    names = {each.name: each.example for each in declared.path_parameters.values()}
    if declared.acting is not Acting.IGNORED:
        headers["onBehalfOf"] = "anna"
        names["uid"] = "ben"
    query = {
        parameter["name"]: _value(parameter["name"], parameter["schema"], shapes, "")
        for parameter in parameters
        if parameter["in"] == "query" and (parameter["required"] or parameter["name"] in IN_QUERY)
    }
    path = prefix + declared.path.format_map(names)
    return Example(declared.method, path, query, headers, _body(described, shapes))


def _credentials(described: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers of the first credentials that the operation accepts."""
    return {name: SHELL_NAMES[name] for name in described["security"][0]}


SHELL_NAMES = {
    "apikey": "$KEY",
    "authToken": "$TOKEN",
    "key": "$MANAGEMENT_KEY",
    "secret": "$MANAGEMENT_SECRET",
}
"""The shell variables for the credentials, by header."""


def _body(described: Mapping[str, Any], shapes: Shapes) -> Any:
    if "requestBody" not in described:
        return None
    return _object(described["requestBody"]["content"]["application/json"]["schema"], shapes)


def _object(schema: Schema, shapes: Shapes) -> dict[str, Any]:
    """Return an object with the required fields, and those that have an example."""
    shape = shapes.resolve(schema)
    if "oneOf" in shape:
        return _object(shape["oneOf"][0], shapes)
    title = str(shape.get("title", ""))
    example = {}
    for field in shapes.fields(shape):
        if (
            field.is_required
            or SPECIAL.get((title, field.name), VALUES.get(field.name)) is not None
        ):
            example[field.name] = _value(field.name, field.schema, shapes, title)
    return example


def _value(name: str, schema: Schema, shapes: Shapes, title: str) -> Any:
    value = SPECIAL.get((title, name), VALUES.get(name))
    if value is not None and value is not ...:
        return value
    schema = shapes.resolve(schema)
    if "properties" in schema:
        return _object(schema, shapes)
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "array":
        return [_value(name, schema.get("items", {}), shapes, title)]
    return {"string": "…", "integer": 1, "number": 1, "boolean": True}.get(
        str(schema.get("type")), {}
    )


def curl_lines(example: Example) -> list[str]:
    """Return the lines of the curl command that follow the address."""
    lines = [f'-H "{name}: {value}"' for name, value in example.headers.items()]
    if example.body is not None:
        quoted = example.body_text.replace("'", "'\\''")
        lines += ['-H "Content-Type: application/json"', f"-d '{quoted}'"]
    return lines
