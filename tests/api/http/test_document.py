"""The OpenAPI document is one that generators of clients understand completely."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from tests.contract import load_contract

from hubbub.domain.messages import compose
from hubbub.http.operation import MANAGEMENT, Operation
from hubbub.rest.messages.messages import SEND_CODES
from hubbub.rest.operations import OPERATIONS

DOCUMENT = load_contract().document
SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]
NAME = re.compile(r"[A-Z][A-Za-z0-9]*")
LOOKAHEAD = re.compile(r"\(\?[!=<]")


def described(entry: Operation) -> dict[str, Any]:
    """Return an operation of the document."""
    return load_contract().operation(entry.path, entry.method)


def schemas_in(value: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield all schemas, also those within others, with their places."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from schemas_in(item, f"{path}/{number}")
    if isinstance(value, dict):
        if path.rpartition("/")[2] not in {"properties", "mapping", "example", "examples"}:
            yield path, value
        for name, item in value.items():
            if name not in {"example", "examples"} or path.endswith("/properties"):
                yield from schemas_in(item, f"{path}/{name}")


ALL = [(path, schema) for path, schema in schemas_in(SCHEMAS, "schemas") if path != "schemas"]
OBJECTS = [(path, schema) for path, schema in ALL if schema.get("type") == "object"]


def test_objects_say_what_they_hold() -> None:
    """No object is bare: generators take one without fields for one that must be empty."""
    bare = [
        path
        for path, schema in OBJECTS
        if not schema.get("properties") and "additionalProperties" not in schema
    ]

    assert len(OBJECTS) > 100, "there must be objects for this test to mean anything"
    assert bare == []


def test_lists_say_what_they_hold() -> None:
    """Every list has a schema for its items."""
    lists = [(path, schema) for path, schema in ALL if schema.get("type") == "array"]

    assert lists
    assert [path for path, schema in lists if "items" not in schema] == []


def test_components_have_plain_names() -> None:
    """Names are words, which become names of classes; no two differ in case only."""
    assert [name for name in SCHEMAS if not NAME.fullmatch(name)] == []
    assert len({name.lower() for name in SCHEMAS}) == len(SCHEMAS)


def test_what_has_a_title_is_a_component() -> None:
    """Generators name classes for titles, which would not be unique: components have none."""
    assert [path for path, schema in ALL if isinstance(schema.get("title"), str)] == []


def test_components_have_other_names_than_their_fields() -> None:
    """No component has the name of a list or object in it: in Python, one would hide the other."""
    hidden = [
        name
        for name, schema in SCHEMAS.items()
        for field, inner in schema.get("properties", {}).items()
        if field.lower() == name.lower() and inner.get("type") not in {"string", "boolean"}
    ]

    assert hidden == []


def test_every_component_is_used() -> None:
    """An operation, a webhook or an event refers to each component, or a component that is used."""
    described = (DOCUMENT[each] for each in ("paths", "webhooks", "x-events"))
    roots = (*described, DOCUMENT["components"]["responses"])
    waiting, used = list(roots), set()
    while waiting:
        for _, part in schemas_in(waiting.pop()):
            name = str(part.get("$ref", "")).removeprefix("#/components/schemas/")
            if name in SCHEMAS and name not in used:
                used.add(name)
                waiting.append(SCHEMAS[name])

    assert SCHEMAS.keys() - used == set()


def test_bodies_have_no_defaults() -> None:
    """No field of an object has a default: generated code would require such a field."""
    assert [path for path, schema in ALL if "default" in schema] == []


def test_patterns_are_plain() -> None:
    """Patterns have no lookahead, which not every language knows."""
    patterns = [schema["pattern"] for _, schema in ALL if isinstance(schema.get("pattern"), str)]

    assert patterns
    assert [pattern for pattern in patterns if LOOKAHEAD.search(pattern)] == []


def test_enumerations_have_a_type() -> None:
    """Every enumeration is one of texts, and not empty."""
    found = [schema for _, schema in ALL if isinstance(schema.get("enum"), list)]

    assert found
    assert all(schema["type"] == "string" and schema["enum"] for schema in found)


def test_unions_can_be_told_apart() -> None:
    """A discriminator is a required field of each shape, whose values lead to that shape."""
    unions = [schema for _, schema in ALL if isinstance(schema.get("discriminator"), dict)]

    assert unions
    for union in unions:
        field, mapping = union["discriminator"].values()
        assert {option["$ref"] for option in union["oneOf"]} == set(mapping.values())
        for value, target in mapping.items():
            shape = SCHEMAS[target.rpartition("/")[2]]
            assert field in shape["required"]
            assert value in shape["properties"][field]["enum"]


def test_messages_differ_by_category_and_type() -> None:
    """No two shapes of a message have the same category and an equal type."""
    kinds: Counter[tuple[str, str]] = Counter()
    for option in SCHEMAS["Message"]["oneOf"]:
        fields = SCHEMAS[option["$ref"].rpartition("/")[2]]["properties"]
        for category in fields["category"]["enum"]:
            kinds.update((category, type_) for type_ in fields["type"].get("enum", [""]))

    assert len(kinds) == 13
    assert max(kinds.values()) == 1


def test_answers_are_components() -> None:
    """Bodies and answers of operations are components, so that they have a name in clients."""
    nameless = [
        entry.name
        for entry in OPERATIONS
        for content in contents_of(described(entry))
        for part in content.values()
        if set(part["schema"]) != {"$ref"}
    ]

    assert nameless == []


def contents_of(told: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the contents of the answers of an operation, and of its body."""
    contents = [response["content"] for response in told["responses"].values()]
    return [*contents, told["requestBody"]["content"]] if "requestBody" in told else contents


def test_parameters_are_described() -> None:
    """Every parameter and every header of an answer has a description."""
    parts = [
        (entry.name, name, part)
        for entry in OPERATIONS
        for name, part in parameters_and_headers(described(entry))
    ]

    assert parts
    assert [(entry, name) for entry, name, part in parts if not part.get("description")] == []


def parameters_and_headers(told: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the parameters of an operation and the headers of its answers, with their names."""
    for each in told["parameters"]:
        yield each["name"], each
    for answer in told["responses"].values():
        yield from answer.get("headers", {}).items()


def test_errors_have_an_example_of_each_code() -> None:
    """The answers have an example of each error that is declared, and of missing credentials."""
    lacking = {entry.name: declared_codes(entry) - codes_of(entry) for entry in OPERATIONS}

    assert {name: codes for name, codes in lacking.items() if codes} == {}


def declared_codes(entry: Operation) -> set[str]:
    """Return the codes that an operation declares, and those that every operation has."""
    missing = "AUTH_ERR_EMPTY_AUTH_HEADER" if entry.key is MANAGEMENT else "AUTH_ERR_EMPTY_APIKEY"
    errors = {error.code for error in entry.errors}
    return {*errors, *entry.codes, missing, "ERR_OPERATION_FAILED"}


def codes_of(entry: Operation) -> set[str]:
    """Return the codes of the errors of an operation, which are the names of the examples."""
    answers = described(entry)["responses"].items()
    return {code for status, each in answers if status != "200" for code in examples_in(each)}


def examples_in(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the examples of an answer to errors, by code."""
    examples = answer["content"]["application/json"]["examples"]
    return {name: load_contract().resolve(each)["value"] for name, each in examples.items()}


def test_examples_of_errors_are_errors() -> None:
    """Each example of an error has the code that it is named by, and fits the one schema."""
    body = {"$ref": "#/components/schemas/ErrorBody"}
    validator = Draft202012Validator({**body, "components": DOCUMENT["components"]})
    answers = [
        (entry.name, answer)
        for entry in OPERATIONS
        for status, answer in described(entry)["responses"].items()
        if status != "200"
    ]
    examples = [
        (name, code, example)
        for name, answer in answers
        for code, example in examples_in(answer).items()
    ]

    assert [
        name for name, answer in answers if answer["content"]["application/json"]["schema"] != body
    ] == []
    assert len(examples) > len(OPERATIONS)
    assert [each for each in examples if not is_error(each[2], each[1], validator)] == []


def is_error(example: dict[str, Any], code: str, validator: Draft202012Validator) -> bool:
    """Return whether an example is an error with a code and a sentence."""
    error = example["error"]
    is_sentence = str(error["message"]).endswith(".")
    return bool(error["code"] == code and is_sentence and validator.is_valid(example))


def test_errors_that_cannot_happen_are_not_listed() -> None:
    """Credentials that always suffice, features and ids that an operation lacks refuse nothing."""
    told = {entry.name: codes_of(entry) for entry in OPERATIONS}

    assert "AUTH_ERR_EMPTY_AUTH_HEADER" not in told["send_message"]
    assert "AUTH_ERR_APIKEY_NOT_FOUND" not in told["create_app"]
    assert "ERR_TOO_MANY_REQUESTS" not in told["create_app"]
    assert "ERR_PERMISSION_DENIED" not in told["get_timezone"]
    assert "ERR_GUID_NOT_FOUND" not in told["create_authtoken"]
    assert "ERR_MESSAGE_ID_NOT_FOUND" not in told["set_settings"]
    assert "ERR_PAYLOAD_TOO_LARGE" not in told["list_users"]
    assert "ERR_IDEMPOTENCY_KEY_REUSED" not in told["list_users"]


def test_refused_messages_have_documented_codes() -> None:
    """The codes in the checks of a message are those that the operations which send declare."""
    source = Path(compose.__file__).read_text(encoding="utf-8")

    assert set(re.findall(r'code="(\w+)"', source)) == set(SEND_CODES)


def test_what_must_be_sent_is_required() -> None:
    """A message needs a receiver and data, an import its rows."""
    assert set(SCHEMAS["SendTextMessage"]["required"]) == {"receiver", "receiverType", "data"}
    assert set(SCHEMAS["SendMessageToMany"]["required"]) == {"multipleReceivers", "data"}
    assert SCHEMAS["SendReply"]["required"] == ["data"]
    assert SCHEMAS["ImportUsers"]["required"] == ["users"]


OPTIONAL_BODIES = {
    "add_group_members",
    "create_authtoken",
    "delete_message",
    "delete_push_token",
    "delete_user",
    "finish_message",
    "mark_conversation_as_delivered",
    "mark_conversation_as_read",
    "mark_conversation_as_unread",
    "mark_group_conversation_as_delivered",
    "mark_group_conversation_as_read",
    "mark_group_conversation_as_unread",
    "reset_group_conversation",
    "reset_user_conversation",
    "rotate_webhook_secret",
    "rotate_webhook_secret_of_app",
    "try_moderation_rule",
    "unregister_push_tokens",
}
"""The operations that make sense without a body."""


def test_bodies_are_required() -> None:
    """A body is required, unless the operation makes sense without one; then so is no field."""
    bodies = {entry.name: described(entry)["requestBody"] for entry in OPERATIONS if entry.body}
    optional = {name for name, body in bodies.items() if not body["required"]}
    requiring = [
        name
        for name in optional
        if load_contract()
        .resolve(bodies[name]["content"]["application/json"]["schema"])
        .get("required")
    ]

    assert optional == OPTIONAL_BODIES
    assert requiring == []


def test_tags_are_described() -> None:
    """Every tag that an operation has is described, and no other."""
    described_tags = {tag["name"]: tag["description"] for tag in DOCUMENT["tags"]}

    assert described_tags.keys() == {entry.tag.name for entry in OPERATIONS}
    assert all(text.endswith(".") for text in described_tags.values())


def test_a_server_is_named() -> None:
    """The first server has a host, whose variables have defaults."""
    server = DOCUMENT["servers"][0]
    defaults = {name: each["default"] for name, each in server["variables"].items()}

    assert server["url"].format_map(defaults) == "http://localhost:8080/v3"


def test_aliases_are_deprecated() -> None:
    """A second path of an operation is marked, and named differently."""
    aliases = [entry for entry in OPERATIONS if "banned_members" in entry.path]

    assert len(aliases) == 3
    assert all(described(entry)["deprecated"] for entry in aliases)
    assert not [entry.name for entry in OPERATIONS if "alias" in entry.name]


def test_operation_ids_are_plain() -> None:
    """Operation ids are words in lower case, with underscores between them."""
    wrong = [each.name for each in OPERATIONS if not re.fullmatch(r"[a-z]+(_[a-z]+)*", each.name)]

    assert wrong == []
