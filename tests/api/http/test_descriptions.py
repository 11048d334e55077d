"""The documents explain themselves: every operation and every field says what it means."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from tests.contract import load_contract
from tests.documents.blocks import ROOT

from hubbub.config import Settings
from hubbub.http.contract.schemas import ANY, DEFAULT_IS, field_descriptions
from hubbub.realtime.contract.document import build_asyncapi
from hubbub.rest.operations import OPERATIONS

ROWS = "src/hubbub/http/contract/field_descriptions.toml"
OPENAPI: Mapping[str, Any] = load_contract().document
ASYNCAPI: Mapping[str, Any] = build_asyncapi(Settings())
Schema = Mapping[str, Any]


def fields_in(value: Any, place: str) -> Iterator[tuple[str, Schema]]:
    """Yield the fields of all objects in a part of a document, with their places."""
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield from fields_in(each, f"{place}/{number}")
    if isinstance(value, dict):
        if isinstance(value.get("properties"), dict):
            for name, field in value["properties"].items():
                yield f"{place}.{name}", field
        for name, each in value.items():
            if name not in {"example", "examples", "value"}:
                yield from fields_in(each, name if place == "schemas" else f"{place}/{name}")


def resolve(document: Mapping[str, Any], schema: Schema) -> Schema:
    """Return a schema, or the component that it refers to."""
    for whole in schema.get("allOf", ()):
        return resolve(document, whole)
    if "$ref" not in schema:
        return schema
    found: Schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return found


def says_something(document: Mapping[str, Any], schema: Schema) -> bool:
    """Return whether a field has a description, or else the component that it refers to."""
    texts = [schema.get("description", ""), resolve(document, schema).get("description", "")]
    return any(text and not text.startswith(DEFAULT_IS) for text in texts)


def fields_of_shapes(document: Mapping[str, Any]) -> Iterator[tuple[str, str, Schema]]:
    """Yield the shape, the name and the schema of each field of components and of frames."""
    frames = document["components"].get("messages", {}).items()
    shapes = {**document["components"]["schemas"], **{n: frame["payload"] for n, frame in frames}}
    for shape, schema in shapes.items():
        for name, field in schema.get("properties", {}).items():
            yield shape, name, field


@pytest.mark.parametrize("name", ["openapi", "asyncapi"])
def test_every_field_is_described(name: str) -> None:
    """Each field of each object says what it means, or its shape does."""
    document = OPENAPI if name == "openapi" else ASYNCAPI
    schemas = document["components"]["schemas"]
    found = [*fields_in(schemas, "schemas"), *fields_in(document["components"], "components")]
    missing = sorted({place for place, field in found if not says_something(document, field)})

    assert len(found) > 500, "there must be fields for this test to mean anything"
    assert missing == [], f'describe them in {ROWS}: under ["*"] by their name, or by their shape'


def test_every_row_describes_a_field() -> None:
    """No description is left of a field or a shape that is gone, or described elsewhere."""
    told = {
        (shape, name, field.get("description", ""))
        for document in (OPENAPI, ASYNCAPI)
        for shape, name, field in fields_of_shapes(document)
    }
    unused = [
        f"{shape}.{name}"
        for shape, rows in field_descriptions().items()
        for name, text in rows.items()
        if not any(each == name and text in said for at, each, said in told if shape in (ANY, at))
    ]

    assert unused == [], f"remove these rows from {ROWS}"


def test_rows_are_sentences() -> None:
    """Each description is one or more sentences, and no mere repetition of the name."""
    texts = [text for rows in field_descriptions().values() for text in rows.values()]

    assert [text for text in texts if not text.endswith(".")] == []
    assert [text for text in texts if len(text.split()) < 2] == []


@pytest.mark.parametrize("name", ["openapi", "asyncapi"])
def test_times_have_a_unit(name: str) -> None:
    """A number that is a time says in which unit it counts, and since when."""
    document = OPENAPI if name == "openapi" else ASYNCAPI
    times = [
        (place, str(field.get("description")))
        for place, field in fields_in(document["components"]["schemas"], "schemas")
        if field.get("type") == "integer" and place.endswith(("At", "AtMS", "timestamp", ".at"))
    ]

    assert len(times) > 20, "there must be times for this test to mean anything"
    assert [each for each in times if "econds" not in each[1]] == [], f"say the unit in {ROWS}"


def test_every_operation_is_described() -> None:
    """Each operation says more than its summary: what it returns, who sees it, what follows."""
    missing = [
        f"{entry.handler.__module__}.{entry.handler.__name__}"
        for entry in OPERATIONS
        if not load_contract()
        .operation(entry.path, entry.method)
        .get("description", "")
        .endswith((".", ":", "`"))
    ]

    assert missing == [], "write a paragraph below the first line of their docstrings"


def test_settings_are_described_as_for_operators() -> None:
    """The document and the table of docs/operating.md say the same of each setting."""
    table = (ROOT / "docs/operating.md").read_text(encoding="utf-8").splitlines()
    rows = field_descriptions()["Settings"]
    described = {
        cells[1].strip().strip("`"): cells[3].strip()
        for cells in (line.split("|") for line in table)
        if len(cells) == 5 and cells[1].strip().strip("`") in rows
    }

    assert described == rows, f"copy the meaning from docs/operating.md to [Settings] of {ROWS}"


def test_texts_are_not_indented() -> None:
    """No paragraph of an operation is indented: in Markdown it would be a block of code."""
    indented = [each.name for each in OPERATIONS if "\n    " in each.text]

    assert indented == []
