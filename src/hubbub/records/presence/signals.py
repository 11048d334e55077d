"""Signals about users who are connected: they are told to sessions, and stored nowhere."""

from typing import Any

import msgspec


class UserPresenceChanged(msgspec.Struct, frozen=True, tag="user_presence_changed"):
    """A user is available now, or offline."""

    uid: str
    name: str
    role: str
    status: str
    last_active_at: int | None
    at: int


class Typing(msgspec.Struct, frozen=True, kw_only=True):
    """A user types to another user, or in the group of a conversation; or does so no more."""

    sender: str
    receiver: str
    receiver_type: str
    conversation: int = 0
    """The group's; 0 for a user."""
    metadata: dict[str, Any] | None = None
    at: int


class TypingStarted(Typing, frozen=True, kw_only=True, tag="typing_started"):
    """The user types."""


class TypingEnded(Typing, frozen=True, kw_only=True, tag="typing_ended"):
    """The user types no more."""


class TransientMessage(msgspec.Struct, frozen=True, kw_only=True, tag="transient_message"):
    """A message for those who are connected now."""

    sender: str
    receiver: str
    receiver_type: str
    conversation: int = 0
    """The group's; 0 for a user."""
    data: Any
    at: int
