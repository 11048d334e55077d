"""The event of drafts, for the sessions of those whose they are."""

import msgspec

from hubbub.outbox.audience import OWN_SESSIONS, Audience, OfUser, user_key
from hubbub.outbox.registry import event

OWN_ALONE: Audience[OfUser] = Audience(OWN_SESSIONS.text, user_key, tells_only=True)


@event(
    "draft_changed",
    "The user has written to a draft, or removed it.",
    told=OWN_ALONE,
    actor="uid",
)
class DraftChanged(msgspec.Struct, frozen=True, kw_only=True):
    """The draft of user `uid` to a user or a group is another one now, or there is none."""

    uid: str
    receiver_type: str
    receiver: str
    at: int
