"""The parameters of an operation: those of its path, headers and query."""

from collections.abc import Iterator
from typing import Any

import msgspec

from hubbub.http.contract.examples import EXAMPLES
from hubbub.http.contract.schemas import Schema, Schemas
from hubbub.http.operation import Acting, Operation
from hubbub.records.idempotency.model import LONGEST_KEY

Parameter = dict[str, Any]

_ON_BEHALF_OF = {
    "name": "onBehalfOf",
    "in": "header",
    "required": False,  # a token names the acting user, too
    "description": "The uid of the acting user.",
    "schema": {"type": "string"},
}
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Calls with the same key are carried out once.",
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY},
}


def parameters_of(operation: Operation, schemas: Schemas) -> list[Parameter]:
    """Return the parameters of an operation."""
    parameters = (
        *_path_parameters(operation),
        *_header_parameters(operation),
        *_query_parameters(operation, schemas),
    )
    values = _example_values(operation)
    return [
        {**parameter, "example": values[parameter["name"]]}
        if parameter["name"] in values
        else parameter
        for parameter in parameters
    ]


def _example_values(operation: Operation) -> dict[str, Any]:
    """Return the values of parameters in the first example of an operation."""
    examples = EXAMPLES.get(operation.name, ())
    if not examples:
        return {}
    first = examples[0]
    acting = {} if first.as_ is None else {"onBehalfOf": first.as_}
    return {**first.path, **first.query, **acting}


def _path_parameters(operation: Operation) -> Iterator[Parameter]:
    for parameter in operation.path_parameters.values():
        yield {
            "name": parameter.name,
            "in": "path",
            "required": True,
            "description": parameter.description,
            "schema": {"type": "string", **parameter.schema},
        }


def _header_parameters(operation: Operation) -> Iterator[Parameter]:
    if operation.acting is not Acting.IGNORED:
        yield _ON_BEHALF_OF
    if operation.is_write:
        yield _IDEMPOTENCY_KEY


def _query_parameters(operation: Operation, schemas: Schemas) -> Iterator[Parameter]:
    if operation.query is None:
        return
    shape = schemas.resolve(schemas.of(operation.query))
    defaults = {
        field.encode_name: field.default for field in msgspec.structs.fields(operation.query)
    }
    for name, schema in shape["properties"].items():
        yield {
            "name": name,
            "in": "query",
            "required": name in shape.get("required", ()),
            **_described(schema, schemas),
            **_in_query(schema, defaults[name]),
        }


def _described(schema: Schema, schemas: Schemas) -> dict[str, str]:
    """Return the description of a parameter: that of its schema, or of the component."""
    text = schema.get("description") or schemas.resolve(schema).get("description")
    return {"description": text} if text else {}


def _in_query(schema: Schema, default: Any) -> dict[str, Any]:
    """Return the schema of a parameter, and how a list is written."""
    schema = {name: value for name, value in schema.items() if name != "description"}
    if isinstance(default, bool | int | str) and default != "":
        schema["default"] = default
    is_list = schema.get("type") == "array"
    return {"schema": schema, **({"style": "form", "explode": False} if is_list else {})}
