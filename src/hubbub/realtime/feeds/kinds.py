"""The kinds of the messages that events show: a role may list only some of them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hubbub.realtime.feeds.recent import Told
from hubbub.records.messages.events import MessageEdited, MessageSent
from hubbub.records.messages.model import Message
from hubbub.records.messages.store import find_messages_and_tombstones
from hubbub.records.roles.model import RoleRules
from hubbub.runtime import Runtime
from hubbub.storage.interface import Event

if TYPE_CHECKING:
    from hubbub.realtime.sessions.session import Session

Shown = Mapping[int, Message]
"""The messages that events show, by the number of the event."""


def restricting(rules: RoleRules) -> RoleRules | None:
    """Return the rules of a role if they restrict which messages are listed."""
    is_restricted = any(name.startswith("listMessages.") for name in rules.permissions)
    return rules if is_restricted else None


async def find_shown(runtime: Runtime, app_id: str, told: Sequence[Told]) -> Shown:
    """Return the messages that events show; needed only if a role of a session restricts them."""
    ids = {each.entry.number: _message_of(each.entry.event) for each in told}
    wanted = sorted({id_ for id_ in ids.values() if id_})
    if not wanted:
        return {}
    found = await runtime.database.read(
        app_id, lambda snapshot: find_messages_and_tombstones(snapshot, wanted), is_short=True
    )
    return {number: found[id_] for number, id_ in ids.items() if id_ in found}


def _message_of(event: Event) -> int:
    match event:
        case MessageSent():
            return event.message
        case MessageEdited():
            return event.on
    return 0


def may_see(session: "Session", message: Message | None) -> bool:
    """Return whether the role of a session's user may list a message; their own they may."""
    if session.rules is None or message is None or message.sender == session.uid:
        return True
    return session.rules.shows_messages_of(message.category, message.type)
