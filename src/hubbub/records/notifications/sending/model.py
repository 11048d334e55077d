"""What is still to be sent: bundles of notifications, in one queue for each provider of an app."""

from dataclasses import dataclass, replace

import msgspec

from hubbub.outbox.work import queue as work

PLANNING = "notifications"
"""The consumer of the log that plans notifications."""
EMAIL, SMS = "email", "sms"
"""The queues of the enabled mail and SMS providers; those of push are `kind:id`."""
UNREAD = "unread"
"""The queue of the digests that are still to be written."""
CUSTOM = "custom"
"""What the log calls the custom providers."""
CUSTOM_PUSH = "custom:"
"""The queue of the custom push provider."""


def push_queue(kind: str, provider_id: str) -> str:
    """Return the name of the queue of a push provider."""
    return f"{kind}:{provider_id}"


@dataclass(frozen=True, slots=True)
class NotificationQueue(work.Queue):
    """The bundles of a provider, or what is still to be written."""

    provider: str
    failures: int
    """How often in a row the provider has not been reached, or was asked too often."""
    paused_until: int
    """In milliseconds: before that the provider is not called."""
    failing_since: int | None
    """In milliseconds; None while the provider works."""

    @property
    def begins_at(self) -> int:
        """Return from when on a run may take the lease: what is planned does not end a pause."""
        return max(self.due_at, self.paused_until)

    def put_off(self, until: int, now: int) -> "NotificationQueue":
        """Return the queue of a provider that failed, and is not to be called before `until`."""
        return replace(
            self,
            failures=self.failures + 1,
            paused_until=max(self.paused_until, until),
            failing_since=now if self.failing_since is None else self.failing_since,
        )

    def working(self) -> "NotificationQueue":
        """Return the queue of a provider that works."""
        return replace(self, failures=0, failing_since=None)


@dataclass(frozen=True, slots=True)
class Bundle:
    """Notifications that one provider is asked to send together."""

    provider: str
    id: str
    due_at: int
    tries: int
    content: str
    """`PushContent` or `DigestContent` as JSON."""


class About(msgspec.Struct, frozen=True, omit_defaults=True):
    """The event that people are told of, as the log of notifications shows it."""

    trigger: str
    message_id: int = 0
    sent_at: int = 0
    """In milliseconds."""
    category: str = ""
    type: str = ""
    sender: str = ""
    receiver: str = ""
    receiver_type: str = ""
    reaction_id: int = 0
    reaction_sender: str = ""
    reaction_receiver: str = ""
    conversation: int = 0


class Subject(msgspec.Struct, frozen=True, omit_defaults=True):
    """An event that people are to be told of; its content is read when it is sent."""

    about: About
    number: int
    """The number of the event in the log of its app."""
    epoch: str
    name: str
    """The name of the event."""
    event: msgspec.Raw
    """The event as JSON."""


class Recipient(msgspec.Struct, frozen=True, omit_defaults=True, array_like=True):
    """A device that may get one push of a bundle."""

    subject: int
    """The place of the subject in its bundle."""
    uid: str
    platform: str
    token: str
    registration: str = ""
    """Names the log-in that has registered the token; empty for the custom provider."""
    updated_at: int = 0
    """When the device was registered last, in milliseconds."""
    log_id: str = ""
    """The id of the log's entry that says that it waits."""


class PushContent(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whom a bundle is for, and what it is about: the verdict is made when it is sent."""

    subjects: list[Subject]
    recipients: list[Recipient]
    checks_read: bool = False
    """Whether people who have read the message by now are left out."""


class DigestContent(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whom a digest is for, and the messages that it is about."""

    about: About
    uid: str
    expires_at: int
    """In seconds."""
    messages: list[int] = []
    number: int = 0
    """The number of the user: a later user may have the same uid."""
    sender_number: int = 0
    """The number of the newest message's sender; 0 if the app itself has sent it."""
    message_id: str = ""
    """Of an e-mail: the same for every try."""
    log_id: str = ""
    """The id of the log's entry that says that it waits."""


@dataclass(frozen=True, slots=True)
class PendingDigest:
    """An e-mail or SMS about unread messages of a conversation, to be written when it is due."""

    channel: str
    uid: str
    conversation: int
    due_at: int
    """In milliseconds; `NEVER` if no message has come since the last one."""
    after_id: int
    """It is about messages after this one: the last that an earlier one was about, or the last
    before the first that it was planned for."""
    since: int
    """The time of the first message that it was planned for, in seconds."""


@dataclass(frozen=True, slots=True)
class Sum:
    """How many digests a person was sent on one day of theirs about a conversation."""

    channel: str
    uid: str
    day: str
    conversation: int
