"""Stored blocks, friendships and contact details as lines."""

from collections.abc import Sequence

from hubbub.moving.compare import key_of
from hubbub.moving.lines import BlockLine, ContactLine, FriendLine
from hubbub.records.blocks.model import Block
from hubbub.records.blocks.store import find_blocks as find_stored_blocks
from hubbub.records.friends.model import Friendship
from hubbub.records.friends.store import find_friendships
from hubbub.records.notifications.model import ContactDetails
from hubbub.records.notifications.store import list_contact_details
from hubbub.storage.interface import Snapshot


async def find_blocks(snapshot: Snapshot, lines: Sequence[BlockLine]) -> dict[str, BlockLine]:
    """Return the stored blocks with the keys of the given ones, by key."""
    found = await find_stored_blocks(snapshot, [(line.uid, line.blocked) for line in lines])
    stored = [block_line(Block(*pair, at)) for pair, at in found.items()]
    return {key_of(line): line for line in stored}


def block_line(block: Block) -> BlockLine:
    """Return the line of a block."""
    return BlockLine(uid=block.uid, blocked=block.blocked, at=block.blocked_at)


async def find_friends(snapshot: Snapshot, lines: Sequence[FriendLine]) -> dict[str, FriendLine]:
    """Return the stored friendships with the keys of the given ones, by key."""
    found = await find_friendships(snapshot, [(line.uid, line.friend) for line in lines])
    return {key_of(line): line for line in map(friend_line, found)}


def friend_line(friendship: Friendship) -> FriendLine:
    """Return the line of a friendship."""
    uid, friend = sorted((friendship.uid, friendship.friend))
    return FriendLine(uid=uid, friend=friend, at=friendship.created_at)


async def find_contacts(snapshot: Snapshot, lines: Sequence[ContactLine]) -> dict[str, ContactLine]:
    """Return the stored contact details of the users of the given ones, by uid."""
    found = await list_contact_details(snapshot, [line.uid for line in lines])
    return {uid: contact_line(uid, details) for uid, details in found.items()}


def contact_line(uid: str, details: ContactDetails) -> ContactLine:
    """Return the line of a user's contact details."""
    return ContactLine(uid=uid, email=details.email, phone_number=details.phone_number)
