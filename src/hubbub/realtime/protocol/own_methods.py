"""The methods of sockets that REST does not have: typing, transient messages, presence."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Raw

from hubbub.domain.access.actor import Actor
from hubbub.domain.presence.reach import Reached, reach
from hubbub.http.decoding.decode import decode_body
from hubbub.http.decoding.faults import UnknownNames
from hubbub.http.documented import documented_as
from hubbub.kernel.errors import Refusal
from hubbub.realtime.protocol.frames import Presence
from hubbub.records.blocks.model import BlockedReceiver, BlockedSender
from hubbub.records.conversations.model import GROUP
from hubbub.records.groups.model import GuidNotFound
from hubbub.records.members.model import BannedMember, GroupNotJoined
from hubbub.records.presence.signals import TransientMessage, TypingEnded, TypingStarted
from hubbub.records.users.model import UidNotFound
from hubbub.rest.wire.enums import ReceiverType
from hubbub.rest.wire.shapes import Shape

if TYPE_CHECKING:
    from hubbub.realtime.sessions.session import Session

TYPING_SECONDS = 10.0
"""Typing ends by itself after so long."""
MOST_TYPING = 100
"""The receivers to whom a session may be typing at once."""
Params = TypeVar("Params", bound=Shape)


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


class PresenceParams(Shape, kw_only=True):
    """Of whom the session wants to know whether they are available."""

    presence: Presence


class Done(Shape, kw_only=True):
    """The answer: whether it was done."""

    success: Annotated[
        bool,
        Meta(description="False of typing that nobody was told of, as too many are connected."),
    ]


async def start_typing(session: "Session", asked: TypingParams) -> Done:
    """Tell the receiver that the user types, for ten seconds or until `end_typing`."""
    reached = await _reach(session, asked.receiver, asked.receiver_type)
    key = reached.receiver_type, reached.receiver
    if reached.is_crowded or (len(session.typing) >= MOST_TYPING and key not in session.typing):
        return Done(success=False)
    known = session.typing.get(key)
    if known is not None:
        known.timer.cancel()
    _tell_typing(session, reached, asked.metadata, TypingStarted)
    loop = asyncio.get_running_loop()
    timer = loop.call_later(TYPING_SECONDS, _end, session, key)
    session.typing[key] = TypingNow(reached, asked.metadata, timer)
    return Done(success=True)


async def end_typing(session: "Session", asked: TypingParams) -> Done:
    """Tell the receiver that the user types no more."""
    reached = await _reach(session, asked.receiver, asked.receiver_type)
    key = reached.receiver_type, reached.receiver
    if key not in session.typing:
        return Done(success=False)
    _end(session, key)
    return Done(success=True)


async def send_transient(session: "Session", asked: TransientParams) -> Done:
    """Send a message that is not stored to those who are connected."""
    reached = await _reach(session, asked.receiver, asked.receiver_type)
    message = TransientMessage(
        sender=session.uid,
        receiver=reached.receiver,
        receiver_type=reached.receiver_type,
        conversation=reached.conversation,
        data=asked.data,
        at=session.runtime.clock.now(),
    )
    session.runtime.signals.send(session.app_id, message)
    return Done(success=True)


async def subscribe_presence(session: "Session", asked: PresenceParams) -> Done:
    """Choose of whom the session is told when they come and go."""
    await session.watch(asked.presence)
    return Done(success=True)


@dataclass(frozen=True, slots=True)
class OwnMethod:
    """A method: its function, the type of its parameters, how it refuses, and an example."""

    carry_out: Callable[["Session", Any], Awaitable[Done]]
    params: type[Shape]
    errors: tuple[type[Refusal], ...]
    example: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Return what the method does."""
        return inspect.getdoc(self.carry_out) or ""

    async def __call__(self, session: "Session", params: Raw) -> Done:
        """Carry out a call.

        Raises:
            Refusal: the parameters are wrong, or the user may not do it.
        """
        return await self.carry_out(session, _decode(params, self.params))


_TO_BEN = {"receiver": "ben", "receiverType": "user"}
_UNREACHED = (
    UidNotFound,
    GuidNotFound,
    BlockedSender,
    BlockedReceiver,
    GroupNotJoined,
    BannedMember,
)
"""Why a receiver is not reached."""
OWN_METHODS: Mapping[str, OwnMethod] = {
    "start_typing": OwnMethod(start_typing, TypingParams, _UNREACHED, _TO_BEN),
    "end_typing": OwnMethod(end_typing, TypingParams, _UNREACHED, _TO_BEN),
    "send_transient": OwnMethod(
        send_transient, TransientParams, _UNREACHED, {**_TO_BEN, "data": {"dice": [1, 6]}}
    ),
    "subscribe_presence": OwnMethod(
        subscribe_presence, PresenceParams, (), {"presence": "friends"}
    ),
}


@dataclass(frozen=True, slots=True)
class TypingNow:
    """A receiver to whom a session types, until the timer ends it."""

    reached: Reached
    metadata: dict[str, Any] | None
    timer: asyncio.TimerHandle


def end_all_typing(session: "Session") -> None:
    """End all typing of a session that is over."""
    for key in list(session.typing):
        _end(session, key)


def _end(session: "Session", key: tuple[str, str]) -> None:
    typing = session.typing.pop(key)
    typing.timer.cancel()
    _tell_typing(session, typing.reached, typing.metadata, TypingEnded)


def _tell_typing(
    session: "Session",
    reached: Reached,
    metadata: dict[str, Any] | None,
    kind: type[TypingStarted] | type[TypingEnded],
) -> None:
    signal = kind(
        sender=session.uid,
        receiver=reached.receiver,
        receiver_type=reached.receiver_type,
        conversation=reached.conversation if reached.receiver_type == GROUP else 0,
        metadata=metadata,
        at=session.runtime.clock.now(),
    )
    session.runtime.signals.send(session.app_id, signal)


async def _reach(session: "Session", receiver: str, receiver_type: str) -> Reached:
    actor = Actor(session.uid, (), session.token)
    return await reach(session.runtime, session.app_id, actor, receiver, receiver_type)


def _decode(params: Raw, kind: type[Params]) -> Params:
    unknown: list[str] = []
    decoded: Params = decode_body(bytes(params), kind, unknown)
    if unknown:
        raise UnknownNames(unknown, [each.encode_name for each in msgspec.structs.fields(kind)])
    return decoded
