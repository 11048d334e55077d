"""What sessions are told of a message while it grows; it is stored nowhere as such."""

import msgspec


class MessageAppended(msgspec.Struct, frozen=True, kw_only=True, tag="message_appended"):
    """Text was appended to a message."""

    message: int
    sender: str
    receiver: str
    receiver_type: str
    conversation: int
    conversation_id: str
    sequence: int
    """The last append that is in `text`."""
    offset: int
    """The code points before `text`."""
    text: str
    after: int
    """The number of the event of the message: sessions are told that first."""
    at: int


class GrowthWanted(msgspec.Struct, frozen=True, kw_only=True, tag="wanted"):
    """A node asks another one for a message that it holds."""

    app_id: str
    message: int
    owner: str
    by: str


class GrowthReleased(msgspec.Struct, frozen=True, kw_only=True, tag="released"):
    """A node holds a message no more."""

    app_id: str
    message: int
