"""Write roles, users, and what is between users."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from operator import attrgetter, itemgetter

from hubbub.moving.export.writing import PAGE, UID, Exporting
from hubbub.moving.stored.people import role_line, user_line
from hubbub.moving.stored.relations import block_line, contact_line, friend_line
from hubbub.records.blocks.store import list_all_blocks, list_blocks_by
from hubbub.records.friends.store import list_friendships, list_friendships_of
from hubbub.records.notifications.store import list_all_contact_details, list_contact_details
from hubbub.records.roles.store import find_role, list_by_id
from hubbub.records.users.store import find_users, list_by_uid


async def write_people(writing: Exporting) -> None:
    """Write all roles and users of an app, with blocks, friendships and contact details."""
    for role in await writing.read(list_by_id):
        writing.put(role_line(role))
    async for users in writing.pages(list_by_uid, "", attrgetter("uid")):
        for user in users:
            writing.put(user_line(user))
    await _write_blocks(writing)
    await _write_friends(writing)
    async for details in writing.pages(list_all_contact_details, "", itemgetter(0)):
        for uid, each in details:
            writing.put(contact_line(uid, each))


async def _write_blocks(writing: Exporting) -> None:
    async for blocks in writing.pages(list_all_blocks, ("", ""), attrgetter("uid", "blocked")):
        for block in blocks:
            writing.put(block_line(block))


async def _write_friends(writing: Exporting) -> None:
    async for pairs in writing.pages(list_friendships, ("", ""), attrgetter("uid", "friend")):
        for each in pairs:
            writing.put(friend_line(each))


async def write_person(writing: Exporting, uid: str) -> None:
    """Write a user with their role, their blocks, their friends, and where they are reached.

    Who has blocked them is the concern of others.
    """
    await write_users(writing, [uid])
    of_user = partial(list_blocks_by, uid=uid)
    async for blocks in writing.pages(of_user, "", attrgetter("blocked")):
        for block in blocks:
            writing.put(block_line(block))
    for friendship in await writing.read(lambda tx: list_friendships_of(tx, uid)):
        writing.put(friend_line(friendship))
    for details in (await writing.read(lambda tx: list_contact_details(tx, [uid]))).values():
        writing.put(contact_line(uid, details))


async def write_named_users(writing: Exporting) -> None:
    """Write the users that lines name, with their roles."""
    for uids in _some_at_a_time(uid for uid, _ in writing.sorting.read(UID)):
        await write_users(writing, uids)


async def write_users(writing: Exporting, uids: Sequence[str]) -> None:
    """Write those users that exist, with their roles."""
    users = await writing.read(lambda tx: find_users(tx, uids))
    for user in users.values():
        writing.put(user_line(user))
    for id_ in {user.role for user in users.values()}:
        role = await writing.read(partial(find_role, role=id_))
        if role is not None:
            writing.put(role_line(role))


def _some_at_a_time(uids: Iterator[str]) -> Iterator[list[str]]:
    while some := list(islice(uids, PAGE)):
        yield some
