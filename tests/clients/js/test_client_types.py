"""The types of the client are what the documents of the server make."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.clients.js.package import PACKAGE, run

from hubbub.config import Settings
from hubbub.http.contract.openapi import build_document
from hubbub.realtime.contract.document import build_asyncapi
from hubbub.rest.operations import OPERATIONS

pytestmark = pytest.mark.clients

FILES = ("realtime.ts", "rest.ts", "schemas.ts")


def generate(folder: Path, openapi: dict[str, Any], asyncapi: dict[str, Any]) -> list[str]:
    """Return the generated files of two documents, in the order of `FILES`."""
    documents = [folder / "openapi.json", folder / "asyncapi.json"]
    for path, document in zip(documents, (openapi, asyncapi), strict=True):
        path.write_text(json.dumps(document))
    run("node", "tools/types.mjs", "--out", str(folder), *map(str, documents))
    assert sorted(path.name for path in folder.glob("*.ts")) == list(FILES)
    return [(folder / name).read_text() for name in FILES]


def test_the_types_are_those_of_the_documents(packages: None, tmp_path: Path) -> None:
    """The files in the repository are the generated ones; if not, run `make client-types`."""
    generated = generate(tmp_path, build_document(OPERATIONS), build_asyncapi(Settings()))

    stored = PACKAGE / "src/generated"
    assert generated == [(stored / name).read_text() for name in FILES]


def test_what_a_document_gains_the_types_gain(packages: None, tmp_path: Path) -> None:
    """A field, an event and an error code that are new in a document are in the types."""
    openapi, asyncapi = build_document(OPERATIONS), build_asyncapi(Settings())
    for document in (openapi, asyncapi):
        document["components"]["schemas"]["User"]["properties"]["planted"] = {"type": "boolean"}
    messages = asyncapi["components"]["messages"]
    messages["Planted"] = json.loads(json.dumps(messages["TypingEnded"]))
    messages["Planted"]["payload"]["properties"]["event"]["enum"] = ["planted"]
    openapi["components"]["responses"]["TooManyCalls"]["description"] += " `ERR_PLANTED`"

    realtime, _, schemas = generate(tmp_path, openapi, asyncapi)

    assert "  planted?: boolean;\n" in schemas
    assert "  planted: TypingPayload;\n" in realtime
    assert '"ERR_PLANTED"' in schemas


def test_the_types_weigh_nothing_in_a_program(built: Path) -> None:
    """The compiled files of the types have no code."""
    for name in FILES:
        text = (built / "generated" / name).with_suffix(".js").read_text()

        lines = [line for line in text.splitlines() if line and not line.startswith("//")]
        assert lines == ["export {};"]
