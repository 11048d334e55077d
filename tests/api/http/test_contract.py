"""Declared, documented and served operations are the same."""

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.api.http.samples import headers_for, path_of
from tests.contract import PAGES, PREFIX, load_contract
from tests.engines import one_engine
from tests.wire import Answer, Asked
from tests.world import CallOptions, Node, World

from hubbub.http.app import make_app
from hubbub.http.errors import status_of
from hubbub.http.operation import Acting, Operation, RequiredKey
from hubbub.rest.operations import OPERATIONS

DOCUMENTED = load_contract().document["paths"]
DESCRIBED: list[tuple[str, str, dict[str, Any]]] = [
    (path, method, described)
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


def test_operations_explain_themselves() -> None:
    """Every operation has a tag, a summary that is a sentence, and names who may call it."""
    assert [place for *place, described in DESCRIBED if not explains_itself(described)] == []


def explains_itself(described: dict[str, Any]) -> bool:
    """Return whether an operation has a sentence, tags, and ways to call it."""
    is_sentence = described["summary"].endswith((".", "…"))
    return bool(is_sentence and described["tags"] and described["security"])


def test_parts_of_paths_are_documented() -> None:
    """The parameters of an operation's path are documented in their order."""
    found = {
        (path, method): [part["name"] for part in described["parameters"] if part["in"] == "path"]
        for path, method, described in DESCRIBED
    }

    assert found == {
        (path, method): [part.strip("{}") for part in path.split("/") if part.startswith("{")]
        for path, method, _ in DESCRIBED
    }


def test_operations_document_their_errors() -> None:
    """The statuses of the errors that an operation declares are in the document."""
    lacking = {
        entry.name: {"200", "400", "401", "403", *(str(status_of(each)) for each in entry.errors)}
        - set(DOCUMENTED[entry.path][entry.method.lower()]["responses"])
        for entry in OPERATIONS
    }

    assert {name: statuses for name, statuses in lacking.items() if statuses} == {}


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

    assert sorted(taking) == [
        "/bots/{uid}/messages",
        "/imports",
        "/messages",
        "/messages/{id}/thread",
        "/moderation/keywords",
        "/moderation/keywords/{keywordId}",
    ]


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
@one_engine
async def test_an_unknown_path_is_not_found(world: World, path: str) -> None:
    """An unknown path is answered 404 with an explanation."""
    await world.refused("GET", path, status=404, code="ERR_API_NOT_FOUND")


@pytest.mark.parametrize("prefix", ["", "/api", "/v3x", "/3"])
async def test_what_is_outside_the_interface_is_not_found(world: World, prefix: str) -> None:
    """A path without the interface's prefix is not found."""
    world.prefix = prefix
    await world.refused("GET", "/users", status=404, code="ERR_API_NOT_FOUND")


@pytest.mark.parametrize("prefix", ["/v2", "/v2.0", "/v4", "/v3.1", "/v33"])
@one_engine
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


async def test_who_may_call_an_operation(world: World) -> None:
    """Each operation refuses credentials that are not sufficient for it."""
    await world.user("anna")
    token = await world.token("anna")
    wrong = []
    for entry in OPERATIONS:
        body: dict[str, object] | None = {} if entry.body else None
        for status, code, how in insufficient(entry, world.auth_key, token):
            answer = await world.ask(entry.method, path_of(entry), body, **how)
            if not is_refused(answer, status, code):
                wrong.append((entry.name, how, answer))

    assert wrong == []


def is_refused(answer: Answer, status: int, code: str) -> bool:
    """Return whether a call was refused so; for want of a header, with its name."""
    if answer.status != status or answer.error["code"] != code:
        return False
    return code != "ERR_BAD_REQUEST" or "onBehalfOf" in answer.error["details"]


def insufficient(
    entry: Operation, auth_key: str, token: str
) -> Iterator[tuple[int, str, CallOptions]]:
    """Yield the calls that an operation refuses: status, code and credentials."""
    if entry.key is RequiredKey.MANAGEMENT:
        yield 401, "AUTH_ERR_EMPTY_AUTH_HEADER", {}
        return
    if entry.key is not RequiredKey.AUTH_ONLY:
        yield 403, "AUTH_ERR_NO_ACCESS", headers_for(entry, key=auth_key)
    if not entry.is_for_users:
        yield 403, "AUTH_ERR_NO_ACCESS", {"token": token}
    if entry.acting is Acting.REQUIRED:
        yield 400, "ERR_BAD_REQUEST", {}
