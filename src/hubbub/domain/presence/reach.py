"""Check whom a user may reach with what is not stored: typing, and transient messages."""

from dataclasses import dataclass

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.groups import access_group_to_take_part
from hubbub.domain.access.people import access_actor, access_user, check_blocks
from hubbub.kernel.errors import BadInput
from hubbub.kernel.text import normalise_id
from hubbub.records.conversations.model import GROUP, USER
from hubbub.records.members.store import count_available
from hubbub.records.settings.model import TYPING_ONLINE
from hubbub.records.settings.store import find_settings
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class Reached:
    """A receiver: a user, or the members of a group that are connected."""

    receiver: str
    receiver_type: str
    conversation: int = 0
    """The group's; 0 for a user."""
    is_crowded: bool = False
    """Whether so many members are connected that they are not told who types."""


async def reach(
    runtime: Runtime, app_id: str, actor: Actor, receiver: str, receiver_type: str
) -> Reached:
    """Return a receiver whom a user may reach.

    Raises:
        UidNotFound, GuidNotFound: there is no such receiver for the user.
        BlockedSender, BlockedReceiver: one of the two users has blocked the other.
        GroupNotJoined, BannedMember: the user is not a member of the group.
        BadInput: the receiver is not named as it must be.
    """
    if receiver_type not in (USER, GROUP):
        raise BadInput.field("receiverType", "This is user or group.")
    name = normalise_id(receiver, "receiver")
    within = _reach_group if receiver_type == GROUP else _reach_user
    return await runtime.database.read(
        app_id, lambda snapshot: within(snapshot, actor, name), is_short=True
    )


async def _reach_user(snapshot: Snapshot, actor: Actor, uid: str) -> Reached:
    await access_actor(snapshot, actor)
    await access_user(snapshot, uid)
    await check_blocks(snapshot, (actor.name, uid))
    return Reached(uid, USER)


async def _reach_group(snapshot: Snapshot, actor: Actor, guid: str) -> Reached:
    person = await access_actor(snapshot, actor)
    group = (await access_group_to_take_part(snapshot, person, guid)).group
    most = (await find_settings(snapshot)).limit(TYPING_ONLINE)
    size = group.members_count
    online = await count_available(snapshot, group.conversation, size) if size > most else 0
    return Reached(guid, GROUP, group.conversation, online > most)
