"""The frames of the protocol: what clients and the server send, as JSON text.

A frame of the server that goes to many sessions is encoded once.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Raw

from hubbub.http.server.websocket import encode_text
from hubbub.outbox.heads import Position
from hubbub.rest.people.wire.users import UserShape

MOST_ROLES = 100
Ref = Annotated[
    str, Meta(max_length=100, description="The client's id of the call; the reply repeats it.")
]
PresenceWord = Literal["all", "friends", "none"]
Presence = Annotated[
    PresenceWord | Annotated[list[str], Meta(max_length=MOST_ROLES)],
    Meta(description="Whose presence is told: of all, of friends, of no one, or of these roles."),
]
NO_PARAMS = Raw(b"{}")


class Device(msgspec.Struct, frozen=True, omit_defaults=True):
    """The device that a client runs on; webhooks about connections show it."""

    platform: Annotated[str, Meta(max_length=50, description="Such as `web` or `android`.")] = ""
    resource: Annotated[str, Meta(max_length=200, description="The program, in any words.")] = ""


class Connect(msgspec.Struct, tag_field="op", tag="connect", rename="camel", kw_only=True):
    """The first frame: who connects, and from where on events are wanted."""

    auth_token: Annotated[
        str | None, Meta(description="A user's auth token, unless the handshake's header has it.")
    ] = None
    app_id: Annotated[
        str | None, Meta(description="The app, if neither the host name nor a header names it.")
    ] = None
    since: Annotated[
        str | None, Meta(description="The last `cursor` that was received: resumes there.")
    ] = None
    presence: Presence = "none"
    device: Device = Device()


class MethodCall(msgspec.Struct, tag_field="op", tag="call", rename="camel", kw_only=True):
    """A call of a method; its reply has the same `ref`."""

    ref: Ref
    method: str
    params: Raw = msgspec.field(default_factory=lambda: NO_PARAMS)


class Ping(msgspec.Struct, tag_field="op", tag="ping"):
    """A sign of life that asks for one."""


class Pong(msgspec.Struct, tag_field="op", tag="pong"):
    """The answer to a ping of the server."""


class Unknown(msgspec.Struct, frozen=True):
    """A frame with another `op`."""

    op: str
    ref: Ref | None = None


ClientFrame = Connect | MethodCall | Ping | Pong
_decode = msgspec.json.Decoder(ClientFrame).decode
_decode_unknown = msgspec.json.Decoder(Unknown).decode
_encode = msgspec.json.Encoder().encode
_KNOWN = frozenset({"connect", "call", "ping", "pong"})


class BadFrame(Exception):
    """A message that is no frame; the text says why."""


def decode_frame(message: bytes) -> ClientFrame | Unknown:
    """Return the frame of a client.

    Raises:
        BadFrame: it is not JSON, or not as the protocol has it.
    """
    try:
        frame: ClientFrame = _decode(message)
        return frame
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as failure:
        reason = str(failure) or type(failure).__name__
    try:
        unknown = _decode_unknown(message)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadFrame(reason) from None
    if unknown.op in _KNOWN:
        raise BadFrame(reason)
    return unknown


class Connected(msgspec.Struct, tag_field="op", tag="connected", rename="camel", kw_only=True):
    """The answer to `connect`; when `resumed`, all missed events follow, before any new one."""

    session_id: str
    user: UserShape
    cursor: Annotated[str, Meta(description="`since` if resumed, else the newest position.")]
    resumed: Annotated[
        bool, Meta(description="If false, events may be missing: load lists anew over REST.")
    ]
    heartbeat: Annotated[
        int, Meta(description="Seconds; a client that is silent for two heartbeats is closed.")
    ]


class TokenExpiring(msgspec.Struct, tag_field="op", tag="token_expiring", rename="camel"):
    """The token of the session ends soon; `renew_token` keeps the session open."""

    expires_at: Annotated[int, Meta(description="When it ends, in seconds since 1970.")]


class StoredEvent(msgspec.Struct, tag_field="op", tag="event", kw_only=True):
    """An event of the log."""

    id: Annotated[str, Meta(description="The event's id, the same as in webhooks.")]
    cursor: Annotated[str, Meta(description="The position after this event, to resume from.")]
    event: str
    at: Annotated[int, Meta(description="When it happened, in seconds since 1970.")]
    data: Raw


class EphemeralEvent(msgspec.Struct, tag_field="op", tag="event", kw_only=True):
    """An event that is not stored: it has no id and no cursor, and is not sent again."""

    event: str
    at: Annotated[int, Meta(description="When it happened, in seconds since 1970.")]
    data: Raw


class ServerPong(msgspec.Struct, tag_field="op", tag="pong", omit_defaults=True):
    """The answer to a ping of the client."""

    cursor: Annotated[
        str | None, Meta(description="The position up to which events were sent.")
    ] = None


class Reply(msgspec.Struct, tag_field="op", tag="reply"):
    """The reply to a call: with what an answer of REST has, `data` or `error`."""

    ref: Annotated[str | None, Meta(description="That of the call; null if it had none.")]


def connected_frame(connected: Connected) -> bytes:
    """Return the frame that tells a client that it is connected."""
    return encode_text(_encode(connected))


def token_expiring_frame(expires_at: int) -> bytes:
    """Return the frame that warns a client that its token ends."""
    return encode_text(_encode(TokenExpiring(expires_at)))


def event_frame(name: str, id_: str, cursor: Position, at: int, data: bytes) -> bytes:
    """Return the frame of an event of the log."""
    frame = StoredEvent(id=id_, cursor=str(cursor), event=name, at=at, data=Raw(data))
    return encode_text(_encode(frame))


def ephemeral_frame(name: str, at: int, data: bytes) -> bytes:
    """Return the frame of an event that is not stored: it has no id and no cursor."""
    return encode_text(_encode(EphemeralEvent(event=name, at=at, data=Raw(data))))


def reply_frame(ref: str | None, body: bytes) -> bytes:
    """Return the reply to a call; `body` is an answer of REST, an object with `data` or `error`."""
    return encode_text(b"%b,%b" % (_encode(Reply(ref))[:-1], body[1:]))


def pong_frame(cursor: Position | None) -> bytes:
    """Return the answer to a ping, with the position up to which events were delivered."""
    return encode_text(_encode(ServerPong(str(cursor) if cursor is not None else None)))


PING = encode_text(_encode(Ping()))
