"""Events of what an app sets up for moderation."""

import msgspec

from hubbub.outbox.audience import NOBODY
from hubbub.outbox.registry import event


@event("moderation_changed", told=NOBODY, actor=None, internal=True)
class ModerationChanged(msgspec.Struct, frozen=True):
    """A rule or a list was created, changed or deleted; its number tells revisions apart."""

    at: int
