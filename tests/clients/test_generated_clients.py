"""Generated clients: no generator warns, nothing is missing, and the programs of users work."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.clients.generated import GENERATORS, OPERATIONS, Generator
from tests.clients.guide import PRINTED, CommandFailed, blocks_of, commands_of, run
from tests.live import LiveNode

from hubbub.http.contract.openapi import build_document
from hubbub.rest.operations import OPERATIONS as DECLARED

pytestmark = pytest.mark.clients
every_generator = pytest.mark.parametrize(
    "generator", GENERATORS, ids=lambda generator: generator.name
)
FAULTS: dict[str, dict[str, Any]] = {
    "openapi-python-client": {"type": "array"},
    "openapi-typescript": {"$ref": "#/components/schemas/NeverPlanted"},
    "openapi-generator": {"type": "string", "pattern": r"^[a-z]+$(?!\n)"},
}
"""For each generator a schema that it can't use or warns of."""


@every_generator
def test_a_client_is_generated_and_its_program_works(demo: LiveNode, generator: Generator) -> None:
    """The commands of the guide print no warning; the program prints what the guide shows."""
    (printed,) = blocks_of(PRINTED)

    output = run(commands_of(generator.name), demo)

    assert output.endswith(printed), output
    assert not generator.faults(output.removesuffix(printed))

    operations = list(OPERATIONS[generator.name](generator.folder))
    documented = httpx2.get(f"{demo.address}/v3/openapi.json", trust_env=False).json()
    assert {name for name, _ in operations} == names_of(documented)
    assert [name for name, is_typed in operations if not is_typed] == []


def names_of(document: dict[str, Any]) -> set[str]:
    """Return the names of the operations in a document."""
    items = [operation for path in document["paths"].values() for operation in path.values()]
    return {operation["operationId"] for operation in items}


@every_generator
def test_a_faulty_document_is_noticed(tools: None, tmp_path: Path, generator: Generator) -> None:
    """A schema that a generator can't use is found in its output, with its name."""
    document = build_document(DECLARED)
    schemas = document["components"]["schemas"]
    schemas["Planted"] = {"type": "object", "properties": {"planted": FAULTS[generator.name]}}
    schemas["CreateUser"]["properties"]["planted"] = {"$ref": "#/components/schemas/Planted"}

    output = generate(generator, document, tmp_path)

    assert any("planted" in fault.lower() for fault in generator.faults(output)), output


@every_generator
def test_an_untyped_answer_is_noticed(tools: None, tmp_path: Path, generator: Generator) -> None:
    """An operation whose answer has no schema is found in the client, and only that."""
    document = build_document(DECLARED)
    answer = document["paths"]["/apps"]["get"]["responses"]["200"]
    answer["content"]["application/json"]["schema"] = {}

    generate(generator, document, tmp_path)

    operations = list(OPERATIONS[generator.name](tmp_path))
    assert [name for name, is_typed in operations if not is_typed] == ["list_apps"]


def generate(generator: Generator, document: dict[str, Any], folder: Path) -> str:
    """Generate a client of a document into a folder; return what the generator prints."""
    path = folder / "openapi.json"
    path.write_text(json.dumps(document))
    try:
        return run(generator.from_file.format(document=path, folder=folder))
    except CommandFailed as failure:
        return str(failure)
