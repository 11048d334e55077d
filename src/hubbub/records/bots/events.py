"""Events of bots."""

import msgspec

from hubbub.outbox.audience import NOBODY
from hubbub.outbox.registry import event


@event("bot_created", told=NOBODY, actor=None, internal=True)
class BotCreated(msgspec.Struct, frozen=True):
    """The uid is now that of a bot."""

    uid: str
    at: int
