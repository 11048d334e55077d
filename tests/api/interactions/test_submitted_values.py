"""The values of a submission: wrong, odd, malformed or too large ones."""

import json

import pytest
from tests.api.interactions.forms import (
    form,
    goal,
    logged_events,
    send,
    submit,
    used,
)
from tests.api.interactions.submitting import BAD, count, refuse
from tests.engines import one_engine
from tests.world import Json, Node, World


async def test_all_that_is_wrong_is_named(node: Node, two: World) -> None:
    """Each wrong or missing value is named, and nothing is stored, marked or announced."""
    path = await send(two, form(**goal("any")))
    form_data = {
        "hello": "you",
        "name": "two\nlines",
        "note": 7,
        "color": "green",
        "colors": ["red", "green"],
        "day": "2026-01-31",
        "send": "now",
        "what": None,
    }

    assert sorted(await refuse(two, path, form_data)) == sorted(
        f"formData.{element_id}" for element_id in form_data
    )
    assert sorted(await refuse(two, path, {"day": "31.12.2025"})) == [
        *("formData.day", "formData.name"),
    ]
    assert await count(node, two) == 0
    assert await logged_events(node, two) == []
    assert used(await two.get(path, as_="ben")) == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"formData": None},
        {"formData": []},
        {"formData": "name"},
        {"formData": 1},
        {"formData": True},
    ],
)
async def test_form_data_is_an_object(two: World, body: Json) -> None:
    """A body without an object `formData` is refused by its name."""
    path = await send(two, form())

    details = await two.refused(
        "POST", f"{path}/submissions", body, status=400, code=BAD, as_="ben"
    )
    assert list(details) == ["formData"]


@pytest.mark.parametrize(
    "value",
    [
        "[" * 60 + "]" * 60,
        '{"a":' * 50 + "1" + "}" * 50,
        "1" + "0" * 300,
        "-1e300",
        "1.7976931348623157e308",
        "true",
        '{"$ne": null}',
        '{"": {"\\u0000": "\\u0000"}}',
        '["\\u0000"]',
        '[null, [], {}, 1e5, "x"]',
        '"\\ud83d\\ude00\\u0000"',
        '"' + "é" * 2_000 + '"',
        "[" + ",".join(["1"] * 4_000) + "]",
    ],
)
async def test_odd_values_are_kept_or_named(node: Node, two: World, value: str) -> None:
    """Any JSON value is taken as text, or refused by its element."""
    path = await send(two, form())
    for element_id in ("name", "note", "color", "colors", "day", "hello", "send", "what\\u0000"):
        name = "" if element_id == "name" else '"name": "Ben", '
        body = f'{{"formData": {{{name}"{element_id}": {value}}}}}'.encode()
        answer = await two.ask("POST", f"{path}/submissions", body, as_="ben")

        if answer.status == 200:
            assert element_id in {"name", "note"}
            row = (await two.get(f"{path}/submissions"))[-1]
            assert row["formData"][element_id] == json.loads(value)
        else:
            field = json.loads(f'"{element_id}"')
            assert list(answer.error["details"]) == [f"formData.{field}"]
    accepted = 2 if value.startswith('"') else 0
    assert await count(node, two) == accepted


@pytest.mark.parametrize(
    "value", ["1e999", "1" + "0" * 5_000, "NaN", '"\\ud800"', "[" * 100, "[" * 100 + "]" * 100]
)
@one_engine
async def test_malformed_json_is_refused(node: Node, two: World, value: str) -> None:
    """Unbounded numbers, lone surrogates and endless nesting are bad requests."""
    path = await send(two, form())
    body = f'{{"formData": {{"name": "Ben", "note": {value}}}}}'.encode()

    await two.refused("POST", f"{path}/submissions", body, status=400, code=BAD, as_="ben")
    assert await count(node, two) == 0


async def test_how_much_may_be_submitted(node: Node, two: World) -> None:
    """10,240 bytes of compact JSON are accepted, one more is not; in any script."""
    path = await send(two, form())
    rest = len(json.dumps({"name": ""}, separators=(",", ":")))

    for text in ("x" * (10_240 - rest), "é" * ((10_240 - rest) // 2)):
        assert (await submit(two, path, {"name": text}))["formData"] == {"name": text}
    for text in ("x" * (10_241 - rest), "é" * 5_200, "x" * 900_000):
        assert await refuse(two, path, {"name": text}) == ["formData"]
    many = {f"e{number}": 1 for number in range(5_000)}
    assert await refuse(two, path, many) == ["formData"]
    few = {f"e{number}": 1 for number in range(500)}
    assert len(await refuse(two, path, few)) == 100
    assert await count(node, two) == 2
