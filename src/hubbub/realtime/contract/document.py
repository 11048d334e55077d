"""The AsyncAPI 3.0 document of the realtime protocol."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

import hubbub
from hubbub.config import Settings
from hubbub.http.contract.schemas import Schemas
from hubbub.http.operation import PREFIXES
from hubbub.realtime.contract.messages import (
    ContractMessage,
    call_message,
    event_messages,
    reply_messages,
    session_messages,
    types_of_frames,
)
from hubbub.realtime.contract.methods import Described, describe_methods, types_of_methods
from hubbub.realtime.contract.schemas import camel, in_draft_7
from hubbub.realtime.gateway import PATH
from hubbub.realtime.protocol.close_codes import CLOSE_CODES
from hubbub.realtime.protocol.limits import bounds_of, limits_of
from hubbub.realtime.protocol.own_methods import MOST_TYPING, TYPING_SECONDS

CHANNEL = "realtime"
SESSION, METHODS, EVENTS, EPHEMERAL = "Session", "Methods", "Events", "Ephemeral events"
DESCRIPTION = """\
Sockets of people's clients: what happens in their conversations reaches them as it is committed,
and they can call methods.

Frames are JSON texts with a field `op`. The first frame is `connect`, with a user's auth token; the
token may be in the header `authToken` of the handshake instead. The answer is `connected`. From
then on the server sends events, and a reply to each call. The calls of a session are carried out
and answered in their order; a reply comes before the events that its call caused.

Each event of the log has a `cursor`. A client that connects again with `since`, the last cursor
that it has, is sent what it has missed, in order and once, before anything new. If that is not
possible `connected.resumed` is false, and the client loads its lists anew over REST: their answers
have `meta.eventCursor`. Ephemeral events have no cursor, and are not sent again.

A client that sends nothing for two heartbeats is closed; a `ping` of this protocol, or one of
WebSocket, is enough. Unknown parameters are ignored, as in REST, except by the methods that REST
does not have."""
Document = dict[str, Any]


def make_asyncapi(settings: Settings) -> bytes:
    """Return the document as JSON."""
    return msgspec.json.encode(build_asyncapi(settings))


def build_asyncapi(settings: Settings) -> Document:
    """Return the document, with the limits of a node's settings."""
    schemas = Schemas([*types_of_frames(), *types_of_methods()])
    methods = describe_methods(schemas)
    events = list(event_messages(schemas))
    messages = [*session_messages(schemas), *_messages_of(methods, schemas)]
    messages += [message for _, message in events]
    for message in messages:
        schemas.describe_fields(message.name, message.payload)
    described = {each.name: in_draft_7(each.describe()) for each in messages}
    schemas.prune([each.payload for each in messages])
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Hubbub realtime",
            "version": hubbub.__version__,
            "description": DESCRIPTION,
            "license": {"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"},
        },
        "defaultContentType": "application/json",
        "servers": _servers(settings),
        "channels": {CHANNEL: _channel(messages, settings)},
        "operations": {
            **_session_operations(),
            **{method.name: _method_operation(method) for method in methods},
            **{name: _event_operation(name, message) for name, message in events},
        },
        "components": {
            "messages": described,
            "schemas": in_draft_7(schemas.components),
            "securitySchemes": _SECURITY,
        },
    }


_SECURITY = {
    "authToken": {
        "type": "httpApiKey",
        "in": "header",
        "name": "authToken",
        "description": "An auth token of a user, in the handshake. Browsers can't set headers.",
    },
    "firstFrame": {
        "type": "apiKey",
        "in": "password",
        "description": "An auth token of a user, as `authToken` in the first frame, `connect`.",
    },
}


def _servers(settings: Settings) -> Document:
    security = [{"$ref": f"#/components/securitySchemes/{name}"} for name in _SECURITY]
    return {
        "local": {
            "host": f"localhost:{settings.port}",
            "protocol": "ws",
            "description": "A server on this machine, without TLS.",
            "security": security,
        },
        "public": {
            "host": "{host}",
            "protocol": "wss",
            "description": "A server with TLS, under its own name.",
            "variables": {"host": {"default": "chat.example.com", "description": "Host and port."}},
            "security": security,
        },
    }


def _messages_of(methods: Sequence[Described], schemas: Schemas) -> Iterator[ContractMessage]:
    for method in methods:
        yield call_message(method, schemas)
        yield from reply_messages(method, schemas)


def _channel(messages: Sequence[ContractMessage], settings: Settings) -> Document:
    return {
        "address": PREFIXES[0] + PATH,
        "title": "Realtime",
        "summary": "The socket of a user's client.",
        "description": f"Also served at `{PREFIXES[1]}{PATH}`.",
        "messages": {
            each.name: {"$ref": f"#/components/messages/{each.name}"} for each in messages
        },
        "bindings": {
            "ws": {
                "method": "GET",
                "headers": {"type": "object", "properties": _HEADERS},
                "bindingVersion": "0.1.0",
            }
        },
        "x-close-codes": [
            {"code": each.code, "meaning": each.meaning, "then": each.then.value}
            for each in CLOSE_CODES
        ],
        "x-limits": list(_limits(settings)),
    }


def _limits(settings: Settings) -> Iterator[Document]:
    limits, bounds = limits_of(settings), bounds_of(settings)
    for value, text in (
        (limits.connect_seconds, "seconds for the first frame"),
        (limits.largest_connect, "bytes of the first frame"),
        (limits.heartbeat, "seconds of a heartbeat, as in `connected`"),
        (bounds.largest_message, "bytes of any other frame of a client"),
        (limits.frames_per_second, "frames a second, in the long run"),
        (limits.frames_at_once, "frames at once"),
        (bounds.most_queued, "frames that wait for a client which reads slowly"),
        (bounds.most_queued_bytes, "bytes that wait for such a client"),
        (limits.most_missed, "missed events that are sent again; beyond, `resumed` is false"),
        (limits.most_kept, "events of the whole app since the cursor; beyond, `resumed` is false"),
        (TYPING_SECONDS, "seconds after which typing ends by itself"),
        (MOST_TYPING, "receivers to whom a session may be typing at once"),
    ):
        yield {"value": value, "text": text}


_HEADERS = {
    "authToken": {"type": "string", "description": "A user's auth token."},
    "appId": {"type": "string", "description": "The app, if the host name does not name it."},
}


def _session_operations() -> Document:
    return {
        "connect": _operation(
            "receive", "Begin a session.", SESSION, ["Connect"], reply=["Connected"]
        ),
        "ping": _operation(
            "receive", "Show that the client is alive.", SESSION, ["Ping"], reply=["Pong"]
        ),
        "checkClient": _operation(
            "send",
            "Ask whether the client is alive; it answers.",
            SESSION,
            ["ServerPing"],
            reply=["ClientPong"],
        ),
        "refuse": _operation("send", "Refuse what does not exist.", SESSION, ["Refused"]),
    }


def _method_operation(method: Described) -> Document:
    name = camel(method.name)
    replies = [f"{name}Reply", f"{name}Refused"]
    operation = _operation("receive", method.text, METHODS, [f"{name}Call"], reply=replies)
    return {**operation, "x-rest-operations": list(method.operations)}


def _event_operation(name: str, message: ContractMessage) -> Document:
    is_stored = "cursor" in message.payload["properties"]
    tag = EVENTS if is_stored else EPHEMERAL
    return _operation("send", message.text, tag, [message.name])


def _operation(
    action: str, text: str, tag: str, messages: Sequence[str], *, reply: Sequence[str] = ()
) -> Document:
    summary, _, description = text.partition("\n\n")
    channel = {"$ref": f"#/channels/{CHANNEL}"}
    return {
        "action": action,
        "channel": channel,
        "summary": summary,
        **({"description": description} if description else {}),
        "tags": [{"name": tag}],
        "messages": _references(messages),
        **({"reply": {"channel": channel, "messages": _references(reply)}} if reply else {}),
    }


def _references(names: Sequence[str]) -> list[Document]:
    return [{"$ref": f"#/channels/{CHANNEL}/messages/{name}"} for name in names]
