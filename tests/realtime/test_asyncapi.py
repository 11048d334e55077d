"""The AsyncAPI document: valid, complete, and what the server does with what it documents."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from jsonschema import Draft7Validator
from tests.documents.blocks import take
from tests.engines import one_engine
from tests.realtime.chat import Hall
from tests.realtime.contract import load_realtime_contract
from tests.wire import LOOPBACK
from tests.world import World

from hubbub.http.contract.examples import EXAMPLES
from hubbub.http.documented import EVENT_DATA
from hubbub.outbox.registry import KINDS
from hubbub.realtime.contract.messages import EPHEMERAL, STORED
from hubbub.realtime.feeds.signals import SIGNALS
from hubbub.realtime.protocol.methods import METHODS
from hubbub.realtime.protocol.own_methods import OWN_METHODS

SCHEMA = Path(__file__).with_name("asyncapi") / "asyncapi-3.0.0.json.gz"
CONTRACT = load_realtime_contract()
FRAMES = take("docs/guides/realtime.md", "## Frames", "text")
EVERY = [*METHODS, *OWN_METHODS]
UNTOLD = {
    "moderation_engine_blocked",
    "moderation_engine_failed",
    "moderation_manual_approved",
    "user_connection_status_changed",
    "webhook_paused",
}
"""Events with a payload that are for webhooks alone."""


def params_of(method: str) -> dict[str, Any]:
    """Return the schema of the parameters of a method; of several, that of the first form."""
    operation = CONTRACT.document["operations"][method]
    name = operation["messages"][0]["$ref"].rpartition("/")[2]
    params = CONTRACT.messages[name]["payload"]["properties"]["params"]
    return flat(params)


def flat(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without references, as far as its first form."""
    while "properties" not in schema:
        if "$ref" in schema:
            schema = CONTRACT.document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        else:
            schema = next(schema[key] for key in ("anyOf", "oneOf", "allOf") if key in schema)[0]
    return schema


def example_of(method: str) -> dict[str, Any]:
    """Return the parameters of the documented call."""
    operation = CONTRACT.document["operations"][method]
    message = CONTRACT.messages[operation["messages"][0]["$ref"].rpartition("/")[2]]
    return dict(message["examples"][0]["payload"]["params"])


def call(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return the frame of a call."""
    return {"op": "call", "ref": "r", "method": method, "params": params}


def call_name(method: str) -> str:
    """Return the name of the message of a method's call."""
    reference = CONTRACT.document["operations"][method]["messages"][0]["$ref"]
    return str(reference.rpartition("/")[2])


def test_the_document_is_valid() -> None:
    """The document conforms to the JSON Schema of AsyncAPI 3.0."""
    schema = json.loads(gzip.decompress(SCHEMA.read_bytes()))

    faults = [fault.message for fault in Draft7Validator(schema).iter_errors(CONTRACT.document)]

    assert faults == []


def test_a_faulty_document_is_found() -> None:
    """The schema refuses a document with an unknown action, and one without a channel."""
    schema = json.loads(gzip.decompress(SCHEMA.read_bytes()))
    operation = {"action": "sing", "channel": {"$ref": "#/channels/realtime"}}
    faulty = {**CONTRACT.document, "operations": {"connect": operation}}

    assert not Draft7Validator(schema).is_valid(faulty)


def references(value: Any) -> set[str]:
    """Return the targets of all references in a part of the document."""
    if isinstance(value, list):
        return {each for item in value for each in references(item)}
    if not isinstance(value, dict):
        return set()
    found = {each for item in value.values() for each in references(item)}
    return {*found, value["$ref"]} if isinstance(value.get("$ref"), str) else found


def test_every_reference_has_a_target() -> None:
    """The document has what it refers to, and refers to each of its schemas."""
    targets = references(CONTRACT.document)
    for target in targets:
        place: Any = CONTRACT.document
        for part in target.removeprefix("#/").split("/"):
            place = place[part]
    schemas = CONTRACT.document["components"]["schemas"]

    assert {f"#/components/schemas/{name}" for name in schemas} <= targets
    assert {f"#/components/messages/{name}" for name in CONTRACT.messages} <= targets


def test_examples_conform() -> None:
    """Each message has an example, and all of them are valid."""
    faults = {
        name: [CONTRACT.find_fault(name, example["payload"]) for example in message["examples"]]
        for name, message in CONTRACT.messages.items()
    }

    assert {name: found for name, found in faults.items() if not found or any(found)} == {}


def test_everything_is_documented() -> None:
    """Each method and each event that sessions hear is an operation of the document."""
    public = {name for name, kind in KINDS.items() if name in EVENT_DATA and not kind.is_internal}

    assert STORED.keys() == public - UNTOLD
    assert EPHEMERAL.keys() == SIGNALS.keys()
    assert {*EVERY, *STORED, *EPHEMERAL} <= CONTRACT.document["operations"].keys()


async def fetch(hall: Hall, path: str) -> httpx2.Response:
    """Return the answer to a GET."""
    async with httpx2.AsyncClient(trust_env=False, timeout=60) as client:
        return await client.get(f"http://{LOOPBACK}:{hall.port}{path}")


async def test_the_document_is_served(hall: Hall) -> None:
    """Everybody reads it, under both prefixes."""
    for prefix in ("/v3", "/v3.0"):
        answer = await fetch(hall, f"{prefix}/asyncapi.json")

        assert answer.json() == CONTRACT.document
        assert answer.headers["access-control-allow-origin"] == "*"


GROWING = ("append_message", "append_messages", "finish_message", "stop_message")
"""The methods about messages that grow."""
VOTING = ("vote", "take_votes_back")
"""The methods about polls."""


@pytest.mark.parametrize("method", EVERY)
async def test_documented_calls_are_accepted(hall: Hall, world: World, method: str) -> None:
    """The documented call of each method is carried out; only ids are those of this test."""
    await world.post("/groups", {"guid": "hikers", "name": "H", "type": "public", "owner": "anna"})
    card = next(each.body for each in EXAMPLES["send_message"] if each.name == "card")
    growing = {"receiver": "ben", "receiverType": "user", "growing": True}
    poll = next(each.body for each in EXAMPLES["send_message"] if each.name == "poll")
    of_ben = {**(poll if method in VOTING else card), "receiver": "anna"}
    sender, body = ("anna", growing) if method in GROWING else ("ben", of_ben)
    sent = await world.post("/messages", body, as_=sender)
    params = example_of(method)
    here = {"id": sent["id"], "messageId": sent["id"], "uid": "ben"}
    params |= {name: here[name] for name in here.keys() & params.keys()}
    if params.get("receiver") == "anna":
        params["receiver"] = "ben"
    if method == "renew_token":
        params["authToken"] = await world.token("anna")
    async with hall.client("ben" if method in {"edit_message", "delete_message"} else "anna") as it:
        reply = await it.ask(method, **params)

    assert "data" in reply, reply


def bad_calls(method: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield parameters that the document forbids, with the name of the wrong one."""
    example = example_of(method)
    for name in params_of(method)["properties"]:
        for params in ({**example, name: {"wrong": [1]}}, without(example, name)):
            if CONTRACT.find_fault(call_name(method), call(method, params)):
                yield name, params


def without(params: dict[str, Any], name: str) -> dict[str, Any]:
    """Return parameters without one of them."""
    return {key: value for key, value in params.items() if key != name}


@pytest.mark.parametrize("method", EVERY)
@one_engine
async def test_undocumented_calls_are_refused(hall: Hall, method: str) -> None:
    """A parameter of another type, or a missing one, is refused with its name."""
    wrong = list(bad_calls(method))
    assert wrong
    async with hall.client("anna") as anna:
        for name, params in wrong:
            error = (await anna.ask(method, **params))["error"]

            assert [each.partition(".")[0] for each in error["details"]] == [name], (params, error)


async def test_null_is_absent(hall: Hall) -> None:
    """A parameter of a list that is null is as one that is not there."""
    async with hall.client("anna") as anna:
        reply = await anna.ask("list_messages", uid="ben", searchKey=None, limit=None)

    assert reply["data"] == []


@pytest.mark.parametrize("field", ["authToken", "appId", "since", "presence", "device"])
@one_engine
async def test_undocumented_connects_are_refused(hall: Hall, field: str) -> None:
    """A field of `connect` with another type closes the socket."""
    frame = {"op": "connect", field: 5}
    assert CONTRACT.find_fault("Connect", frame)
    async with hall.open() as client:
        await client.say(**frame)

        assert await client.close_code() == 4400


def test_the_frames_of_the_guide_conform() -> None:
    """Each frame that the guide shows is as documented; the server's, as replies to the others."""
    said: dict[str, dict[str, Any]] = {}
    for line in FRAMES.splitlines():
        who, frame = line[0], json.loads(line[1:])
        if who == ">":
            said[frame.get("ref", frame["op"])] = frame
        else:
            CONTRACT.check(frame, said[frame.get("ref", "connect")])

    assert said.keys() == {"connect", "ping", "1", "2"}
