"""Write groups, their members and who is banned from them."""

from functools import partial
from operator import attrgetter

from hubbub.kernel.text import SYSTEM_UID
from hubbub.moving.export.writing import Exporting
from hubbub.moving.stored.groups import group_lines, member_line
from hubbub.records.groups.model import Group
from hubbub.records.groups.store import list_after_guid
from hubbub.records.members.store import (
    list_bans_by_uid,
    list_bans_of_user,
    list_by_uid,
    list_of_user,
)


async def write_groups(writing: Exporting) -> None:
    """Write all groups of an app, then their members and bans."""
    async for groups in writing.pages(list_after_guid, "", attrgetter("guid")):
        for line in await writing.read(partial(group_lines, groups=groups)):
            writing.put(line)
        for group in groups:
            await _sort_members(writing, group)
    writing.emit("member")


async def write_group(writing: Exporting, group: Group) -> None:
    """Write one group with its members and bans."""
    for line in await writing.read(partial(group_lines, groups=[group])):
        writing.put(line)
    if group.owner != SYSTEM_UID:
        writing.name_user(group.owner)
    await _sort_members(writing, group)


async def _sort_members(writing: Exporting, group: Group) -> None:
    number, guid, uid_of = group.conversation, group.guid, attrgetter("uid")
    async for members in writing.pages(partial(list_by_uid, conversation=number), "", uid_of):
        for each in members:
            writing.name_user(each.uid)
            writing.sort(member_line(guid, each.uid, each.scope, each.joined_at))
    async for bans in writing.pages(partial(list_bans_by_uid, conversation=number), "", uid_of):
        for ban in bans:
            writing.name_user(ban.uid)
            writing.sort(member_line(guid, ban.uid, ban.scope, ban.joined_at, is_banned=True))


async def write_memberships(writing: Exporting, uid: str) -> None:
    """Write of which groups a user is a member, and from which they are banned."""
    for guid, each in await writing.read(lambda tx: list_of_user(tx, uid)):
        writing.sort(member_line(guid, uid, each.scope, each.joined_at))
    for guid, ban in await writing.read(lambda tx: list_bans_of_user(tx, uid)):
        writing.sort(member_line(guid, uid, ban.scope, ban.joined_at, is_banned=True))
