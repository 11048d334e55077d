"""The messages of the document: every frame that clients or the server send, with an example."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hubbub.http.contract.examples import EXAMPLES
from hubbub.http.contract.schemas import Schema, Schemas
from hubbub.http.documented import EVENT_DATA
from hubbub.http.errors import Problem
from hubbub.realtime.contract.methods import Described
from hubbub.realtime.contract.schemas import camel, fields
from hubbub.realtime.feeds.signals import SIGNALS
from hubbub.realtime.protocol.frames import (
    Connect,
    Connected,
    EphemeralEvent,
    MethodCall,
    Ping,
    Pong,
    Reply,
    ServerPong,
    StoredEvent,
    TokenExpiring,
)
from hubbub.realtime.protocol.limits import SessionLimits
from hubbub.realtime.protocol.own_methods import TYPING_SECONDS
from hubbub.records import EVENT_KINDS
from hubbub.rest.payloads.all import SAMPLES
from hubbub.rest.payloads.samples import NOW
from hubbub.rest.wire.shapes import Json

_TO_BEN: Json = {"sender": "anna", "receiver": "ben", "receiverType": "user"}
_EPHEMERAL: Mapping[str, Json] = {
    "typing_started": _TO_BEN,
    "typing_ended": _TO_BEN,
    "transient_message": {**_TO_BEN, "data": {"dice": [1, 6]}},
    "receipts_advanced": {
        "receiver": "hikers",
        "receiverType": "group",
        "deliveredToAllId": "101",
        "readByAllId": "100",
    },
    "message_appended": {
        "id": "101",
        "conversationId": "anna_user_ben",
        "sequence": 7,
        "offset": 24,
        "text": " upon a time",
    },
    "user_presence_changed": {
        "user": {"uid": "ben", "name": "Ben Osei", "status": "available", "lastActiveAt": NOW}
    },
}
DATA: Mapping[str, Any] = {**SAMPLES, **_EPHEMERAL}
"""The data of an example of each event: that of its payload, or one from here if it has none."""
CURSOR = "1790000060-52"
ID = "1790000060-51"
AT = 1_790_000_000
TOKEN = "ben_1790000000d41d8cd98f00b204e9800998ecf842"  # noqa: S105  # of nobody
FRAMES = (
    Connect,
    Connected,
    MethodCall,
    Ping,
    Pong,
    ServerPong,
    Reply,
    StoredEvent,
    EphemeralEvent,
    TokenExpiring,
)
_ERROR = {
    "code": "ERR_BAD_REQUEST",
    "message": "Failed to validate the data sent with the request.",
    "details": {"method": ["There is no method 'sing'."]},
}


@dataclass(frozen=True, slots=True)
class EventText:
    """What an event says, and who hears it."""

    text: str
    told: str
    is_always_stored: bool = True
    """False if it has no id and no cursor when it is about a group."""


_SIGNALS_OF_GROUPS = ("conversation_read", "conversation_delivered")
"""Of a group they are signals (`GroupMarked`): receipts there have no events of their own."""
STORED: Mapping[str, EventText] = {
    kind.name: EventText(
        kind.text, kind.told.text, is_always_stored=kind.name not in _SIGNALS_OF_GROUPS
    )
    for kind in EVENT_KINDS.values()
    if kind.told.text
}
"""The events of the log that sessions are told; the others are for webhooks alone."""
_RECEIVERS = "the sessions of the receiver: a user, or the other members of a group"
EPHEMERAL: Mapping[str, EventText] = {
    "typing_started": EventText(
        f"A user types. It ends with `typing_ended`, after {TYPING_SECONDS:g} s at the latest.",
        _RECEIVERS,
    ),
    "typing_ended": EventText("A user types no more.", _RECEIVERS),
    "transient_message": EventText("A message that is stored nowhere.", _RECEIVERS),
    "message_appended": EventText(
        "Text was appended to a message that grows; it replaces all that follows `offset`.",
        "all participants: both users, or the members of the group",
    ),
    "receipts_advanced": EventText(
        "All members of a group have the messages up to these ids, or have read them.",
        "the members of the group, at most once a second",
    ),
    "user_presence_changed": EventText(
        "A user is connected now, or is not any more.",
        "sessions that have subscribed to it, by `presence` of `connect` or `subscribe_presence`",
    ),
}
"""The events that are not stored."""


@dataclass(frozen=True, slots=True)
class ContractMessage:
    """A message of the document."""

    name: str
    text: str
    payload: Schema
    example: Mapping[str, Any]

    def describe(self) -> dict[str, Any]:
        """Return the message as the document has it."""
        summary, _, description = self.text.partition("\n\n")
        return {
            "name": self.name,
            "title": self.name,
            "summary": summary,
            **({"description": description} if description else {}),
            "contentType": "application/json",
            "payload": self.payload,
            "examples": [{"name": "example", "payload": self.example}],
        }


def types_of_frames() -> Iterator[Any]:
    """Yield the types of frames and of the data of events."""
    yield from FRAMES
    yield Problem
    yield from (EVENT_DATA[name] for name in STORED)
    yield from SIGNALS.values()


def session_messages(schemas: Schemas) -> list[ContractMessage]:
    """Return the frames that begin a session and keep it alive."""
    user = EXAMPLES["get_user"][0].answer["data"]
    connected = {
        "sessionId": "5b1d2a0c6f3e4d7f8a9b0c1d",
        "user": user,
        "cursor": CURSOR,
        "resumed": True,
        "heartbeat": SessionLimits().heartbeat,
    }
    return [
        _frame("Connect", Connect, schemas, {"authToken": TOKEN, "since": CURSOR}),
        _frame("Connected", Connected, schemas, connected),
        _frame("Ping", Ping, schemas, {}),
        _frame("Pong", ServerPong, schemas, {"cursor": CURSOR}),
        _frame("ServerPing", Ping, schemas, {}),
        _frame("ClientPong", Pong, schemas, {}),
        _frame("TokenExpiring", TokenExpiring, schemas, {"expiresAt": AT}),
        refused_message(schemas),
    ]


def refused_message(schemas: Schemas) -> ContractMessage:
    """Return the reply to frames with an unknown op, or to calls of an unknown method."""
    text = "The reply to a frame whose `op` or `method` does not exist; the session goes on."
    ref = {**_shape(Reply, schemas)["properties"]["ref"], "type": ["string", "null"]}
    payload = fields(_shape(Reply, schemas), ref=ref, error=schemas.of(Problem))
    return ContractMessage("Refused", text, payload, {"op": "reply", "ref": "7", "error": _ERROR})


def call_message(method: Described, schemas: Schemas) -> ContractMessage:
    """Return the call of a method."""
    name = {"type": "string", "enum": [method.name]}
    payload = fields(_shape(MethodCall, schemas), method=name, params=method.params)
    if not _is_needed(method.params, schemas):
        payload["required"].remove("params")
    example = {"op": "call", "ref": "1", "method": method.name, "params": method.example}
    return ContractMessage(f"{camel(method.name)}Call", method.text, payload, example)


def reply_messages(method: Described, schemas: Schemas) -> list[ContractMessage]:
    """Return the reply to a method, and the reply that refuses."""
    shape, name = _shape(Reply, schemas), camel(method.name)
    ref = {"type": "string", "description": "That of the call."}
    refused = {"code": "ERR_BAD_REQUEST", "message": _ERROR["message"]}
    return [
        ContractMessage(
            f"{name}Reply",
            f"The answer to `{method.name}`.",
            fields(shape, ref=ref, **method.answer),
            {"op": "reply", "ref": "1", **method.example_answer},
        ),
        ContractMessage(
            f"{name}Refused",
            f"The refusal of `{method.name}`.",
            fields(shape, ref=ref, error=method.error),
            {"op": "reply", "ref": "1", "error": refused},
        ),
    ]


def event_messages(schemas: Schemas) -> Iterator[tuple[str, ContractMessage]]:
    """Yield the events that sessions hear, by name."""
    stored = {"op": "event", "id": ID, "cursor": CURSOR}
    for name, about in STORED.items():
        yield name, _event(name, about, StoredEvent, EVENT_DATA[name], schemas, stored)
    for name, about in EPHEMERAL.items():
        yield name, _event(name, about, EphemeralEvent, SIGNALS[name], schemas, {"op": "event"})


def _event(
    name: str,
    about: EventText,
    frame: type,
    data: type,
    schemas: Schemas,
    example: Mapping[str, Any],
) -> ContractMessage:
    text = f"{about.text}\n\nTold to {about.told}."
    if not about.is_always_stored:
        text += " Of a group it has no `id` and no `cursor`."
    named = {"type": "string", "enum": [name]}
    payload = fields(_shape(frame, schemas), event=named, data=schemas.of(data))
    if not about.is_always_stored:
        payload["required"] = [each for each in payload["required"] if each not in ("id", "cursor")]
    return ContractMessage(
        camel(name), text, payload, {**example, "event": name, "at": AT, "data": DATA[name]}
    )


def _frame(name: str, frame: type, schemas: Schemas, example: Mapping[str, Any]) -> ContractMessage:
    shape = _shape(frame, schemas)
    op: Sequence[str] = shape["properties"]["op"]["enum"]
    payload = {each: shape[each] for each in ("type", "properties", "required")}
    return ContractMessage(name, str(shape["description"]), payload, {"op": op[0], **example})


def _shape(frame: type, schemas: Schemas) -> Schema:
    return schemas.resolve(schemas.of(frame))


def _is_needed(params: Schema, schemas: Schemas) -> bool:
    shape = schemas.resolve(params)
    return bool(shape.get("required")) or "anyOf" in shape
