"""Events of what an app sets up for moderation."""

import msgspec

from hubbub.outbox.audience import NOBODY
from hubbub.outbox.registry import event


@event(
    "moderation_engine_failed",
    "The custom engine has not decided on a message.",
    told=NOBODY,
    actor=None,
    trigger="moderation",
    authors=("sender", "receiver"),
    redacted={"failures": "[]"},
)
class ModerationEngineFailed(msgspec.Struct, frozen=True):
    """The engine did not answer as it must; `failures` is JSON text of `EngineFailure`s."""

    sender: str
    receiver_type: str
    receiver: str
    type: str
    action: str
    """What was done by the app's setting."""
    failures: str
    at: int


@event("moderation_changed", told=NOBODY, actor=None, internal=True)
class ModerationChanged(msgspec.Struct, frozen=True):
    """A rule or a list was created, changed or deleted; its number tells revisions apart."""

    at: int
