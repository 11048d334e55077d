"""Calls and replies, by method: their parameters, answers, errors and examples."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hubbub.http.contract.errors import SHARED, add_error, errors_of
from hubbub.http.contract.examples import EXAMPLES
from hubbub.http.contract.operations import types_of
from hubbub.http.contract.schemas import Schema, Schemas
from hubbub.http.operation import Operation
from hubbub.http.rules import HttpsRequired
from hubbub.realtime.contract.schemas import camel
from hubbub.realtime.protocol.methods import BY_NAME, METHODS, Chosen, Method
from hubbub.realtime.protocol.own_methods import OWN_METHODS, Done, OwnMethod

NOT_HERE = (HttpsRequired.code,)
"""Errors of requests that calls don't have: the handshake has it."""
SHARED_HERE = ("NotAuthenticated", "TooManyCalls", "Unavailable")
"""The answers that operations share, and calls too."""
WHICH = "Whether `receiver` is a user or a group."
EITHER = "The uid of a user, or the guid of a group."


@dataclass(frozen=True, slots=True)
class Described:
    """What the document says of a method."""

    name: str
    text: str
    params: Schema
    answer: Schema
    """The reply, besides `op` and `ref`: an object with `data`."""
    error: Schema
    example: Mapping[str, Any]
    """The parameters of an example."""
    example_answer: Mapping[str, Any]
    operations: Sequence[str] = ()
    """The operations of REST that it is."""


def types_of_methods() -> Iterator[Any]:
    """Yield the types that methods use."""
    yield Done
    for method in METHODS.values():
        for choice in method.choices:
            yield from types_of(BY_NAME[choice.operation])
    for own in OWN_METHODS.values():
        yield own.operation.body


def describe_methods(schemas: Schemas) -> list[Described]:
    """Return the descriptions of all methods."""
    of_rest = [_describe(name, method, schemas) for name, method in METHODS.items()]
    return of_rest + [_describe_own(name, own, schemas) for name, own in OWN_METHODS.items()]


def _describe(name: str, method: Method, schemas: Schemas) -> Described:
    operations = [BY_NAME[choice.operation] for choice in method.choices]
    example, answer = _example_of(method.choices[0])
    texts = [each.description for each in operations if each.description]
    return Described(
        name,
        "\n\n".join([method.text, *dict.fromkeys(texts)]),
        schemas.add(f"{camel(name)}Params", _params_of(method.choices, schemas)),
        _answer_of(operations, schemas),
        _error_of(name, _codes_of(operations), schemas),
        example,
        answer,
        [each.name for each in operations],
    )


def _describe_own(name: str, own: OwnMethod, schemas: Schemas) -> Described:
    operation = own.operation
    return Described(
        name,
        operation.text,
        schemas.of(operation.body),
        {"data": schemas.of(Done)},
        _error_of(name, _codes_of([operation]), schemas),
        own.example,
        {"data": {"success": True}},
    )


def _params_of(choices: Sequence[Chosen], schemas: Schemas) -> Schema:
    """Return the schema of the parameters, as the operations that a method can be have them."""
    options = [_params_of_choice(choice, schemas) for choice in choices]
    if all(choice.receiver_type for choice in choices):
        kinds = [choice.receiver_type for choice in choices]
        merged = [_with(each, receiver=EITHER, kinds=kinds) for each in options]
        assert all(each == merged[0] for each in merged), choices
        return merged[0]
    return options[0] if len(options) == 1 else {"anyOf": options}


def _params_of_choice(choice: Chosen, schemas: Schemas) -> Schema:
    operation = BY_NAME[choice.operation]
    declared = {each.name: each for each in operation.path_parameters.values()}
    of_path = {
        param: {
            "type": "string",
            **declared[name].schema,
            "description": declared[name].description,
        }
        for name, param in choice.path.items()
    }
    if choice.receiver_type:
        kinds = [choice.receiver_type]
        of_path["receiverType"] = {"type": "string", "enum": kinds, "description": WHICH}
    type_ = operation.query or operation.body
    if type_ is None:
        return _object(of_path, of_path)
    rest = schemas.of(type_)
    shape = schemas.resolve(rest)
    if "properties" not in shape:
        return {"allOf": [_object(of_path, of_path), rest]} if of_path else rest
    required = [*of_path, *shape.get("required", ())]
    return _object({**of_path, **shape["properties"]}, required)


def _with(params: Schema, receiver: str, kinds: Sequence[str]) -> Schema:
    """Return parameters whose receiver can be of several kinds."""
    receiver_type = {**params["properties"]["receiverType"], "enum": kinds}
    properties = {
        **params["properties"],
        "receiver": {**params["properties"]["receiver"], "description": receiver},
        "receiverType": receiver_type,
    }
    return {**params, "properties": properties}


def _object(properties: Mapping[str, Schema], required: Iterable[str]) -> Schema:
    return {"type": "object", "properties": dict(properties), "required": list(required)}


def _answer_of(operations: Sequence[Operation], schemas: Schemas) -> Schema:
    """Return the fields of a reply; of operations with different answers, either."""
    answers = []
    for operation in operations:
        schema = schemas.of(operation.answer)
        enveloped = schemas.resolve(schema)["properties"] if operation.is_enveloped else None
        answers.append(enveloped or {"data": schema})
    different = [each for at, each in enumerate(answers) if each not in answers[:at]]
    if len(different) == 1:
        return dict(different[0])
    assert all(each.keys() == {"data"} for each in different), operations
    return {"data": {"anyOf": [each["data"] for each in different]}}


def _codes_of(operations: Sequence[Operation]) -> list[str]:
    shared = [error.code for name in SHARED_HERE for error in SHARED[name][1]]
    own = [code for each in operations for kinds in errors_of(each).values() for code in kinds]
    return [code for code in dict.fromkeys([*own, *shared]) if code not in NOT_HERE]


def _error_of(name: str, codes: Sequence[str], schemas: Schemas) -> Schema:
    return add_error(schemas, camel(name), dict.fromkeys(codes))


def _example_of(choice: Chosen) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameters and the answer of the first example of an operation."""
    example = EXAMPLES[choice.operation][0]
    params = {param: example.path[name] for name, param in choice.path.items()}
    if choice.receiver_type:
        params["receiverType"] = choice.receiver_type
    return {**params, **example.query, **(example.body or {})}, example.answer
