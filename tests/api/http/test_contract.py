"""Declared, documented and served operations are the same."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.api.http.samples import headers_for, path_of
from tests.contract import PAGES, PREFIX, load_contract
from tests.wire import Asked
from tests.world import Node, World

from hubbub.http.app import make_app
from hubbub.http.errors import status_of
from hubbub.http.operation import Acting, Operation, RequiredKey
from hubbub.rest.operations import OPERATIONS

DOCUMENTED = load_contract().document["paths"]
DESCRIBED: list[Any] = [
    pytest.param(path, method, described, id=described["operationId"])
    for path, methods in DOCUMENTED.items()
    for method, described in methods.items()
]


def test_every_declared_operation_is_documented_once() -> None:
    """The document has each operation under its path and method, and nothing else."""
    declared = sorted((entry.path, entry.method.lower()) for entry in OPERATIONS)
    documented = sorted(
        (path, method) for path, methods in DOCUMENTED.items() for method in methods
    )

    assert declared == documented


def test_names_are_unique() -> None:
    """No two operations have the same id."""
    names = [entry.name for entry in OPERATIONS]

    assert len(names) == len(set(names))


@pytest.mark.parametrize(("path", "method", "described"), DESCRIBED)
def test_an_operation_explains_itself(path: str, method: str, described: dict[str, Any]) -> None:
    """Every operation has a tag, a summary that is a sentence, and names who may call it."""
    assert described["summary"].endswith((".", "…"))
    assert described["tags"]
    assert described["security"]
    assert [part["name"] for part in described["parameters"] if part["in"] == "path"] == [
        part.strip("{}") for part in path.split("/") if part.startswith("{")
    ]


@pytest.mark.parametrize("entry", OPERATIONS, ids=lambda entry: entry.name)
def test_an_operation_documents_its_errors(entry: Operation) -> None:
    """The statuses of the errors that an operation declares are in the document."""
    responses = DOCUMENTED[entry.path][entry.method.lower()]["responses"]

    assert {str(status_of(error)) for error in entry.errors} <= set(responses)
    assert {"200", "400", "401", "403"} <= set(responses)


@pytest.mark.parametrize("path", ["/messages", "/messages/{id}/thread", "/bots/{uid}/messages"])
def test_files_are_documented(path: str) -> None:
    """An operation that takes files documents each field as a part, and the files as `file`."""
    content = DOCUMENTED[path]["post"]["requestBody"]["content"]
    form = content["multipart/form-data"]
    name = form["schema"]["$ref"].rpartition("/")[2]
    fields = load_contract().document["components"]["schemas"][name]["properties"]
    plain = load_contract().document["components"]["schemas"]["SendTextMessage"]["properties"]

    assert set(content) == {"application/json", "multipart/form-data"}
    assert fields.keys() == {*plain, "file"}
    assert (fields["file"]["type"], fields["file"]["maxItems"]) == ("array", 20)
    assert fields["file"]["items"] == {"type": "string", "format": "binary"}
    kinds = {part: encoding["contentType"] for part, encoding in form["encoding"].items()}
    assert set(kinds) == set(fields)
    assert (kinds["receiver"], kinds["data"]) == ("text/plain", "application/json")
    assert kinds["tags"] == "application/json"


def test_only_what_takes_files_is_documented_so() -> None:
    """No other operation documents a form."""
    taking = [
        path
        for path, methods in DOCUMENTED.items()
        for described in methods.values()
        if "multipart/form-data" in described.get("requestBody", {}).get("content", {})
    ]

    assert sorted(taking) == ["/bots/{uid}/messages", "/messages", "/messages/{id}/thread"]


def test_every_schema_is_one() -> None:
    """The document's schemas are valid JSON Schema 2020-12."""
    for schema in load_contract().document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


async def test_every_documented_operation_is_served(node: Node, world: World) -> None:
    """Without credentials every documented call is refused with 401, under either prefix."""
    for entry in OPERATIONS:
        for prefix in ("/v3", "/v3.0"):
            asked = Asked(entry.method, prefix + path_of(entry))
            answer = await node.sender.send(asked)

            assert answer.status == 401, f"{asked}: {answer}"


async def test_every_served_path_is_documented(node: Node) -> None:
    """The router serves only documented paths, except for a few pages."""
    served = {
        (PREFIX.sub("", route.path, count=1), method.lower())
        for route in make_app(node.runtime, OPERATIONS).routes
        for method in route.endpoints
        if not PAGES.fullmatch(route.path)
    }

    documented = {(path, method) for path in DOCUMENTED for method in DOCUMENTED[path]}
    assert served == documented


async def test_both_prefixes_are_the_same_interface(world: World) -> None:
    """Objects created under /v3 are read under /v3.0, and the other way round."""
    await world.user("anna")
    world.prefix = "/v3.0"
    await world.user("ben")

    assert await world.uids("/users") == ["ben", "anna"]
    world.prefix = "/v3"
    assert await world.uids("/users") == ["ben", "anna"]


async def test_a_trailing_slash_changes_nothing(world: World) -> None:
    """A slash at the end of a path makes no difference."""
    await world.user("anna")

    assert await world.uids("/users/") == ["anna"]


@pytest.mark.parametrize("path", ["/nothing", "/users/anna/nothing", "", "/userss"])
async def test_an_unknown_path_is_not_found(world: World, path: str) -> None:
    """An unknown path is answered 404 with an explanation."""
    await world.refused("GET", path, status=404, code="ERR_API_NOT_FOUND")


@pytest.mark.parametrize("prefix", ["", "/api", "/v3x", "/3"])
async def test_what_is_outside_the_interface_is_not_found(world: World, prefix: str) -> None:
    """A path without the interface's prefix is not found."""
    world.prefix = prefix
    await world.refused("GET", "/users", status=404, code="ERR_API_NOT_FOUND")


@pytest.mark.parametrize("prefix", ["/v2", "/v2.0", "/v4", "/v3.1", "/v33"])
async def test_another_version_is_not_served(world: World, prefix: str) -> None:
    """Another version of the interface is refused."""
    world.prefix = prefix
    await world.refused("GET", "/users", status=404, code="ERR_INVALID_API_VERSION")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PATCH", "/users", {"GET", "POST", "PUT", "DELETE", "OPTIONS"}),
        ("POST", "/users/anna", {"GET", "PUT", "DELETE", "OPTIONS"}),
        ("TRACE", "/apikeys", {"GET", "POST", "OPTIONS"}),
    ],
)
async def test_a_wrong_method_is_answered_with_the_allowed_ones(
    world: World, method: str, path: str, allowed: set[str]
) -> None:
    """A method that a path does not have is answered 405, with its methods in `Allow`."""
    await world.refused(method, path, status=405, code="ERR_API_NOT_FOUND")

    assert set(world.answer.headers["allow"].split(", ")) == allowed


async def test_the_document_is_served_to_everyone(world: World) -> None:
    """The document is readable without a key, also by a page of another origin."""
    answer = await world.ask("GET", "/openapi.json", key="")

    assert answer.json == load_contract().document
    assert answer.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize("entry", OPERATIONS, ids=lambda entry: entry.name)
async def test_who_may_call_an_operation(world: World, entry: Operation) -> None:
    """Each operation refuses credentials that are not sufficient for it."""
    await world.user("anna")
    token = await world.token("anna")
    path = path_of(entry)
    body: dict[str, object] | None = {} if entry.body else None

    if entry.key is RequiredKey.MANAGEMENT:
        code = "AUTH_ERR_EMPTY_AUTH_HEADER"
        await world.refused(entry.method, path, body, status=401, code=code)
        return
    if entry.key is not RequiredKey.AUTH_ONLY:
        how = headers_for(entry, key=world.auth_key)
        await world.refused(entry.method, path, body, status=403, code="AUTH_ERR_NO_ACCESS", **how)
    if not entry.is_for_users:
        code = "AUTH_ERR_NO_ACCESS"
        await world.refused(entry.method, path, body, status=403, code=code, token=token)
    if entry.acting is Acting.REQUIRED:
        details = await world.refused(entry.method, path, body, status=400, code="ERR_BAD_REQUEST")
        assert "onBehalfOf" in details
