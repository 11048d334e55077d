"""The methods of sockets that REST does not have: typing, transient messages, presence."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, get_type_hints

import msgspec
from msgspec import Meta, Raw

from hubbub.domain.access.rates import Rate
from hubbub.domain.messages.transient import (
    TRANSIENT,
    TYPING,
    Reached,
    Wanted,
    judge_transient,
    reach,
    review_transient,
)
from hubbub.domain.presence.tell import check_subscriber
from hubbub.http.call import Call
from hubbub.http.documented import documented_as
from hubbub.http.operation import Acting, Handler, Operation, Tag
from hubbub.http.request import Request
from hubbub.realtime.protocol.frames import Presence
from hubbub.realtime.protocol.methods import LONGEST_TOKEN, headers_of
from hubbub.records.blocks.model import BlockedReceiver, BlockedSender
from hubbub.records.conversations.model import GROUP, conversation_id, group_key, user_key
from hubbub.records.groups.model import GuidNotFound
from hubbub.records.members.model import BannedMember, GroupNotJoined
from hubbub.records.messages.model import BlockedByRule, BlockedByWebhook
from hubbub.records.presence.signals import TransientMessage, TypingEnded, TypingStarted
from hubbub.records.tokens.model import AuthTokenNotAccessible
from hubbub.records.users.model import UidNotFound
from hubbub.rest.wire.enums import ReceiverType
from hubbub.rest.wire.shapes import Shape
from hubbub.runtime import Runtime

_encode = msgspec.json.Encoder().encode

TYPING_SECONDS = 10.0
"""Typing ends by itself after so long."""
MOST_TYPING = 100
"""The receivers to whom a session may be typing at once."""
Receiver = Annotated[str, Meta(description="The uid of a user, or the guid of a group.")]
Kind = Annotated[str, documented_as(ReceiverType)]


class TypingParams(Shape, kw_only=True):
    """To whom the user types."""

    receiver: Receiver
    receiver_type: Kind
    metadata: Annotated[
        dict[str, Any] | None, Meta(description="The receivers are told it as it is.")
    ] = None


class TransientParams(Shape, kw_only=True):
    """A message that only those get who are connected now."""

    receiver: Receiver
    receiver_type: Kind
    data: Annotated[Any, Meta(description="Any JSON.")]


class AskedTransient(Shape, kw_only=True):
    """A transient message that may be sent."""

    conversation_id: str
    sender: str
    receiver_type: str
    receiver: str
    category: str
    type: str
    data: Any


class PresenceParams(Shape, kw_only=True):
    """Of whom the session wants to know whether they are available."""

    presence: Presence


class TokenParams(Shape, kw_only=True):
    """The auth token with which a session goes on."""

    auth_token: Annotated[
        str,
        Meta(min_length=1, max_length=LONGEST_TOKEN, description="Of the user of the session."),
    ]


class Done(Shape, kw_only=True):
    """The answer: whether it was done."""

    success: Annotated[
        bool,
        Meta(description="False of typing that nobody was told of, as too many are connected."),
    ]


async def start_typing(call: Call, body: TypingParams) -> Done:
    """Tell the receiver that the user types, for ten seconds or until `end_typing`."""
    typing = _request_of(call).typing
    reached = await _reach(call, body, TYPING)
    key = reached.receiver_type, reached.receiver
    if reached.is_crowded or (len(typing) >= MOST_TYPING and key not in typing):
        return Done(success=False)
    known = typing.get(key)
    if known is not None:
        known.timer.cancel()
    started = TypingStarted(
        sender=call.actor.name,
        receiver=reached.receiver,
        receiver_type=reached.receiver_type,
        conversation=reached.conversation if reached.receiver_type == GROUP else 0,
        metadata=body.metadata,
        at=call.runtime.clock.now(),
    )
    call.runtime.signals.send(call.app_id, started)
    end = partial(_end_typing, call.runtime, call.app_id, typing, started)
    timer = asyncio.get_running_loop().call_later(TYPING_SECONDS, end)
    typing[key] = TypingNow(end, timer)
    return Done(success=True)


async def end_typing(call: Call, body: TypingParams) -> Done:
    """Tell the receiver that the user types no more."""
    typing = _request_of(call).typing
    reached = await _reach(call, body, TYPING)
    known = typing.get((reached.receiver_type, reached.receiver))
    if known is None:
        return Done(success=False)
    known.end()
    return Done(success=True)


async def send_transient(call: Call, body: TransientParams) -> Done:
    """Send a message that is not stored to those who are connected.

    A role or a scope that may not send custom messages of the type `transient` may not send it.
    """
    show = partial(_show_transient, call, body)
    data = await review_transient(call.runtime, call.app_id, body.data, show)
    reached = await _reach(call, body, TRANSIENT)
    data = await judge_transient(call.runtime, call.app_id, call.actor, reached, data)
    message = TransientMessage(
        sender=call.actor.name,
        receiver=reached.receiver,
        receiver_type=reached.receiver_type,
        conversation=reached.conversation,
        data=data,
        at=call.runtime.clock.now(),
    )
    call.runtime.signals.send(call.app_id, message)
    return Done(success=True)


async def _show_transient(call: Call, body: TransientParams, data: Any) -> bytes:
    """Return a transient message as webhooks see it, after the checks that it may be sent."""
    reached, sender = await _reach(call, body, TRANSIENT), call.actor.name
    to_group = reached.receiver_type == GROUP
    key = group_key(reached.receiver) if to_group else user_key(sender, reached.receiver)
    category, type_ = TRANSIENT
    return _encode(
        AskedTransient(
            conversation_id=conversation_id(key),
            sender=sender,
            receiver_type=reached.receiver_type,
            receiver=reached.receiver,
            category=category,
            type=type_,
            data=data,
        )
    )


async def subscribe_presence(call: Call, body: PresenceParams) -> Done:
    """Choose of whom the session is told when they come and go.

    Only users whom the user's role may list are shown, except friends.
    """
    lists_users = body.presence not in ("friends", "none")
    await check_subscriber(call.runtime, call.app_id, call.actor, lists_users=lists_users)
    await _request_of(call).watch(body.presence)
    return Done(success=True)


async def renew_token(call: Call, body: TokenParams) -> Done:
    """Have the session go on with another auth token of the same user.

    For a session whose token ends, after `token_expiring`: nothing is missed, and nothing is loaded
    anew. A token that is refused changes nothing.
    """
    await _request_of(call).renew(body.auth_token)
    return Done(success=True)


@dataclass(frozen=True, slots=True)
class TypingNow:
    """A receiver to whom a session types, until the timer ends it."""

    end: Callable[[], None]
    timer: asyncio.TimerHandle


Typing = dict[tuple[str, str], TypingNow]
"""To whom a session types, by kind and name."""


class SessionRequest(Request):
    """The call of a method that REST does not have, with what is the session's."""

    __slots__ = ("renew", "typing", "watch")

    def __init__(
        self,
        handshake: Request,
        params: Raw,
        typing: Typing,
        watch: Callable[[Presence], Awaitable[None]],
        renew: Callable[[str], Awaitable[None]],
    ) -> None:
        super().__init__(
            "CALL",
            handshake.path,
            b"",
            headers_of(handshake),
            header_bytes=0,
            client=handshake.client,
            is_secure=handshake.is_secure,
            body=bytes(params),
        )
        self.typing = typing
        self.watch = watch
        """Chooses of whom the session is told when they come and go."""
        self.renew = renew
        """Has the session go on with another auth token."""


def _request_of(call: Call) -> SessionRequest:
    assert isinstance(call.request, SessionRequest)
    return call.request


@dataclass(frozen=True, slots=True)
class OwnMethod:
    """A method: an operation that has no path, and an example of its parameters."""

    operation: Operation
    example: Mapping[str, Any]


TAG = Tag("Realtime", "Methods of sockets.")


def _declare(handler: Handler, example: Mapping[str, Any], **declaration: Any) -> OwnMethod:
    """Return a method; the dispatcher checks its calls as those of other operations."""
    operation = Operation(
        name=handler.__name__,
        method="CALL",
        path="",
        text=inspect.getdoc(handler) or "",
        handler=handler,
        path_parameters={},
        body=get_type_hints(handler, include_extras=True)["body"],
        query=None,
        answer=Done,
        is_write=True,
        is_enveloped=False,
        tag=TAG,
        acting=Acting.REQUIRED,
        is_own=True,
        **declaration,
    )
    return OwnMethod(operation, example)


_TO_BEN = {"receiver": "ben", "receiverType": "user"}
_OF_A_SEND: Mapping[str, Any] = {
    "features": ("createMessage",),
    "errors": (
        UidNotFound,
        GuidNotFound,
        BlockedSender,
        BlockedReceiver,
        GroupNotJoined,
        BannedMember,
    ),
}
"""What allows to reach a receiver, and why one is not reached."""
OWN_METHODS: Mapping[str, OwnMethod] = {
    each.operation.name: each
    for each in (
        _declare(start_typing, _TO_BEN, **_OF_A_SEND),
        _declare(end_typing, _TO_BEN, **_OF_A_SEND),
        _declare(
            send_transient,
            {**_TO_BEN, "data": {"dice": [1, 6]}},
            rate=Rate.SEND,
            **{**_OF_A_SEND, "errors": (*_OF_A_SEND["errors"], BlockedByWebhook, BlockedByRule)},
        ),
        _declare(
            renew_token,
            {"authToken": "anna_1790000000d41d8cd98f00b204e9800998ecf842"},
            errors=(AuthTokenNotAccessible,),
        ),
        _declare(subscribe_presence, {"presence": "friends"}, features=("listUsers",)),
    )
}


def end_all_typing(typing: Typing) -> None:
    """End all typing of a session that is over."""
    for each in list(typing.values()):
        each.end()


def _end_typing(runtime: Runtime, app_id: str, typing: Typing, started: TypingStarted) -> None:
    typing.pop((started.receiver_type, started.receiver)).timer.cancel()
    fields = {**msgspec.structs.asdict(started), "at": runtime.clock.now()}
    runtime.signals.send(app_id, TypingEnded(**fields))


async def _reach(
    call: Call, body: TypingParams | TransientParams, kind: tuple[str, str]
) -> Reached:
    wanted = Wanted(body.receiver, body.receiver_type, kind)
    return await reach(call.runtime, call.app_id, call.actor, wanted)
