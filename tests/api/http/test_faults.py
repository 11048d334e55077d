"""What is wrong with a request is said in words of the interface, not of Python."""

import json
from typing import Any

import pytest
from tests.world import World

LONG = "x" * 101
SENTENCES: dict[tuple[str, str], str] = {
    ("/users", '{"uid": "a b", "name": "A"}'): (
        "The uid has a form that it can't have. It consists of:"
        " a-z, 0-9, _ and -; upper case is changed to lower case."
    ),
    ("/users", '{"uid": 5, "name": "A"}'): "The uid must be text, not a whole number.",
    ("/users", '{"uid": "a", "name": ""}'): "The name must not be empty.",
    ("/users", '{"uid": "a", "name": null}'): "The name must be text, not null.",
    (
        "/users",
        json.dumps({"uid": "a", "name": LONG}),
    ): "The name must have at most 100 characters.",
    ("/users", '{"uid": "a", "name": "A", "tags": "x"}'): "The tags must be a list, not text.",
    ("/users", '{"uid": "a", "name": "A", "tags": [1]}'): (
        "The tags.0 must be text, not a whole number."
    ),
    ("/users", '{"name": "A"}'): "The uid field is required.",
    ("/groups", '{"guid": "g", "name": "G", "type": "open"}'): (
        "The type must be one of password, private, public, not 'open'."
    ),
}
MALFORMED = {
    '{"uid": "a", "name": tru}': "invalid character, at line 1, column 26.",
    '{\n "uid" "a"}': "expected ':', at line 2, column 8.",
    '{"uid": "a"': "it ends too early, at line 1, column 12.",
    "[]": "The body must be an object, not a list.",
}


async def refused(world: World, path: str, body: str) -> dict[str, Any]:
    """Send a body that is refused, and return the error."""
    answer = await world.ask("POST", path, body.encode())
    assert answer.status == 400, answer
    error: dict[str, Any] = answer.error
    return error


@pytest.mark.parametrize(("path", "body"), SENTENCES)
async def test_a_wrong_field_in_plain_words(world: World, path: str, body: str) -> None:
    """The sentence says what the field must be, with the values that are allowed."""
    details = (await refused(world, path, body))["details"]

    assert list(details.values()) == [[SENTENCES[path, body]]]


@pytest.mark.parametrize("body", MALFORMED)
async def test_broken_json_by_its_place(world: World, body: str) -> None:
    """The fault of a body that is not a JSON object is named by line and column."""
    assert (await refused(world, "/users", body))["message"].endswith(MALFORMED[body])


async def test_a_wrong_parameter_in_plain_words(world: World) -> None:
    """A value of the query is described as a field of a body is."""
    details = await world.refused("GET", "/users?perPage=0", status=400, code="ERR_BAD_REQUEST")

    assert details == {"perPage": ["The perPage must be at least 1."]}
