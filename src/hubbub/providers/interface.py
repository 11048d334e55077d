"""What a provider is asked to send, and what it answers: the same for push, e-mail and SMS."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

import msgspec

CHAT, CALL = "chat", "call"


class SendOutcome(StrEnum):
    """What became of one notification at its provider."""

    SENT = "sent"
    GONE = "gone"
    """The provider says that the device is not registered any more: its token is removed."""
    REFUSED = "refused"
    """It will never be accepted."""
    LATER = "later"
    """The provider is not reached or has failed: it may be accepted later."""
    SLOWER = "slower"
    """The quota of the provider is used up: nothing is accepted for a while."""


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome for one recipient."""

    outcome: SendOutcome
    reason: str = ""
    """The provider's own word, such as UNREGISTERED, or a sentence; has no secrets."""
    retry_after: float | None = None
    """After how many seconds the provider wants to be asked again."""
    is_recipients: bool = False
    """Whether the server of the recipient has failed: that says nothing of the provider."""
    detail: str = ""
    """What only the operator may know, such as an address in this network."""
    payload: Any = field(default=None, compare=False)
    """What a push gateway was sent, as `PushProvider.render` returns it."""

    def of(self, payload: Any) -> "Result":
        """Return the outcome with what was sent."""
        return Result(
            self.outcome, self.reason, self.retry_after, self.is_recipients, self.detail, payload
        )


SENT = Result(SendOutcome.SENT)


class Push(msgspec.Struct, frozen=True):
    """A push for one device of a person."""

    uid: str
    platform: str
    """As registered, such as `fcm_android`, `apns_ios_voip` or `web_push`."""
    token: str
    """The token of the gateway; for Web Push the JSON of the subscription."""
    fields: Mapping[str, Any]
    """The fields of the push payload that depend on the message: `title`, `body`, `sender`, …,
    `message` and `custom` as JSON values if they are included. Shared by many people."""
    unread: int
    """The person's total of unread messages: `unreadMessageCount`, and the badge."""
    collapse_id: str
    """The same for every try: a repeat replaces what was shown. At most 64 bytes of ASCII."""
    expires_at: int
    """In seconds: after it, the push is worth nothing."""
    kind: str = CHAT
    """`chat` or `call`."""
    sound: str = "default"


class PushProvider(Protocol):
    """A push gateway with the credentials of an app."""

    def render(self, push: Push) -> Mapping[str, Any]:
        """Return what would be sent, as JSON values for people and logs; has no secrets."""
        ...

    async def send(self, pushes: Sequence[Push]) -> Sequence[Result]:
        """Send pushes, many at once, and return their outcomes and payloads in the same order."""
        ...


@dataclass(frozen=True, slots=True)
class Mail:
    """An e-mail to one person about unread messages of a conversation."""

    data: Mapping[str, Any]
    """The `data` of the custom trigger: `to {uid, email?, name}`, `messages [{sender {uid, avatar,
    name}, message, messageObject?}]`, `senderDetails` or `groupDetails`, `subject`."""
    email: str
    """The stored address; empty if there is none."""
    unsubscribe_url: str = ""
    """Where a click, or a POST by RFC 8058, ends such mail to this person."""
    message_id: str = ""
    """The same for every try."""
    reply_tag: str = ""
    """What an address for replies gets after a plus sign. It is a permission, so not for logs."""


@dataclass(frozen=True, slots=True)
class Sms:
    """A short message to one person about unread messages of a conversation."""

    data: Mapping[str, Any]
    """The `data` of the custom trigger: as that of mail, with `to {uid, phno?, name}`, and
    `smsContent` in place of `subject`."""
    phone_number: str
    """The stored number in the form E.164; empty if there is none."""


class MailProvider(Protocol):
    """A mail provider with the credentials of an app."""

    def render(self, mail: Mail) -> Mapping[str, Any]:
        """Return what would be sent, as JSON values for people and logs; has no secrets."""
        ...

    async def send(self, mail: Mail) -> Result:
        """Send a mail and return its outcome."""
        ...


class SmsProvider(Protocol):
    """An SMS provider with the credentials of an app."""

    def render(self, sms: Sms) -> Mapping[str, Any]:
        """Return what would be sent, as JSON values for people and logs; has no secrets."""
        ...

    async def send(self, sms: Sms) -> Result:
        """Send a message, in parts if it is long, and return its outcome."""
        ...
