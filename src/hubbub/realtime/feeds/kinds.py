"""The kinds of the messages that events show: a role may list only some of them, by its rules."""

from collections.abc import Mapping, Sequence

from hubbub.realtime.feeds.recent import Told
from hubbub.realtime.feeds.told import find_content
from hubbub.records.messages.model import Message
from hubbub.records.messages.store import find_messages_and_tombstones
from hubbub.records.roles.events import RolePermissionsChanged, UserRoleChanged
from hubbub.records.roles.model import RoleRules
from hubbub.runtime import Runtime
from hubbub.storage.interface import Event

RULING = (RolePermissionsChanged, UserRoleChanged)
"""The events that change which messages sessions are told."""
Shown = Mapping[int, Message]
"""The messages that events show, by the number of the event."""


def lists_all(rules: RoleRules) -> bool:
    """Return whether a role may list messages of all kinds."""
    return not any(name.startswith("listMessages.") for name in rules.permissions)


def rules_after(event: Event, uid: str, rules: RoleRules) -> RoleRules:
    """Return the rules of a user after an event, as far as they say whom and what they may list."""
    match event:
        case UserRoleChanged() if event.uid == uid:
            pass
        case RolePermissionsChanged() if event.role == rules.role:
            pass
        case _:
            return rules
    return RoleRules(
        event.role,
        event.list_users,
        permissions=event.permissions,
        restricted=frozenset(event.restricted),
    )


async def find_shown(runtime: Runtime, app_id: str, told: Sequence[Told]) -> Shown:
    """Return the messages that events show; needed only if a role of a session restricts them."""
    ids = {each.entry.number: find_content(each.entry.event) for each in told}
    wanted = sorted({id_ for id_ in ids.values() if id_})
    if not wanted:
        return {}
    found = await runtime.database.read(
        app_id, lambda snapshot: find_messages_and_tombstones(snapshot, wanted), is_short=True
    )
    return {number: found[id_] for number, id_ in ids.items() if id_ in found}


def may_see(rules: RoleRules, uid: str, message: Message | None) -> bool:
    """Return whether a user with a role of these rules may list a message; their own they may."""
    if message is None or message.sender == uid:
        return True
    return rules.shows_messages_of(message.category, message.type)
