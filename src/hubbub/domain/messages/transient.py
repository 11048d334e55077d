"""Check what is not stored: whom a user may tell that they type, or send a transient message.

The checks are those of a message to send. Webhooks check transient messages, if the app wants that.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.rates import find_settings
from hubbub.domain.messages.look_up import find_context
from hubbub.domain.messages.review import ReviewedAction, ReviewSubject, review
from hubbub.domain.messages.ruled import KEPT_BACK, refuse
from hubbub.domain.moderation.decision import Occasion
from hubbub.domain.moderation.engine import announce_failed
from hubbub.domain.moderation.judge import judge
from hubbub.domain.moderation.load import find_rules
from hubbub.kernel.errors import BadInput
from hubbub.kernel.text import normalise_id
from hubbub.records.conversations.model import GROUP, USER
from hubbub.records.groups.model import Group
from hubbub.records.members.store import count_available
from hubbub.records.messages.model import CUSTOM, NO_MESSAGE, Draft
from hubbub.records.settings.model import CHECK_TRANSIENT, TYPING_ONLINE
from hubbub.records.settings.store import find_settings as read_settings
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

_encode = msgspec.json.Encoder().encode
TYPING = (NO_MESSAGE, "")
TRANSIENT = (CUSTOM, "transient")
"""The category and type by which a role may or may not send it."""
Show = Callable[[Any], Awaitable[bytes]]
"""Returns a message with that data as JSON, if it may be sent."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A receiver: a user, or the members of a group that are connected."""

    receiver: str
    receiver_type: str
    conversation: int = 0
    """The group's; 0 for a user."""
    is_crowded: bool = False
    """Whether so many members are connected that they are not told who types."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Whom a user wants to reach, and with which kind of message."""

    receiver: str
    receiver_type: str
    kind: tuple[str, str]


async def reach(runtime: Runtime, app_id: str, actor: Actor, wanted: Wanted) -> Reached:
    """Return a receiver whom a user may reach.

    Raises:
        Refusal: a message of that kind would be refused.
        BadInput: the receiver is not named as it must be.
    """
    if wanted.receiver_type not in (USER, GROUP):
        raise BadInput.field("receiverType", "This is user or group.")
    category, type_ = wanted.kind
    draft = Draft(
        sender=actor.name,
        receiver_type=wanted.receiver_type,
        receiver=normalise_id(wanted.receiver, "receiver"),
        category=category,
        type=type_,
        data="{}",
        features=actor.features,
        token=actor.token,
    )

    async def within(snapshot: Snapshot) -> Reached:
        context = await find_context(snapshot, [draft], {}, {})
        refusal = context.refuse(draft)
        if refusal is not None:
            raise refusal
        if draft.receiver_type == USER:
            return Reached(draft.receiver, USER)
        return await _reach_group(snapshot, context.groups[draft.receiver])

    return await runtime.database.read(app_id, within, is_short=True)


async def _reach_group(snapshot: Snapshot, group: Group) -> Reached:
    most = (await read_settings(snapshot)).limit(TYPING_ONLINE)
    size = group.members_count
    online = await count_available(snapshot, group.conversation, size) if size > most else 0
    return Reached(group.guid, GROUP, group.conversation, online > most)


async def review_transient(runtime: Runtime, app_id: str, data: Any, show: Show) -> Any:
    """Return the data of a transient message as the webhooks have changed it.

    Raises:
        BlockedByWebhook, MessageNotChecked: a webhook refuses it, or has failed.
    """
    settings = await find_settings(runtime, app_id)
    if not settings.is_on(CHECK_TRANSIENT):
        return data
    return await review(
        runtime, app_id, data, ReviewSubject(ReviewedAction.TRANSIENT, show, _change)
    )


async def judge_transient(
    runtime: Runtime, app_id: str, actor: Actor, reached: Reached, data: Any
) -> Any:
    """Return the data of a transient message as the rules of the app let it pass.

    All strings in it are looked at, as those of `customData` are.

    Raises:
        BlockedByRule: a rule would block or refuse such a message.
    """
    if not (await find_rules(runtime, app_id)).rules:
        return data
    category, type_ = TRANSIENT
    draft = Draft(
        sender=actor.name,
        receiver_type=reached.receiver_type,
        receiver=reached.receiver,
        category=category,
        type=type_,
        data=_encode({"customData": data}).decode(),
        features=actor.features,
    )
    decision = await judge(runtime, app_id, draft, Occasion.TRANSIENT)
    await announce_failed(runtime, app_id, decision)
    if decision is None:
        return data
    if decision.outcome in KEPT_BACK:
        raise refuse(decision)
    return data if decision.data is None else decision.data["customData"]


def _change(_: Any, data: Mapping[str, Any]) -> Any:
    return data
