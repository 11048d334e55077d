"""Store the lines of blocks, friendships and contact details; nobody is told."""

from collections.abc import Callable, Collection, Sequence

from hubbub.domain.notifications.addresses import (
    NoAddress,
    normalise_email,
    normalise_phone_number,
)
from hubbub.kernel.errors import BadInput, Conflict, Refusal
from hubbub.moving.apply.outcome import Conflicts, LineOutcome, settle
from hubbub.moving.lines import BlockLine, ContactLine, FriendLine
from hubbub.moving.stored.relations import find_blocks, find_contacts, find_friends
from hubbub.outbox import lock_counters
from hubbub.records.blocks import store as blocks_store
from hubbub.records.blocks.model import Block, CannotBlockSelf
from hubbub.records.friends import store as friends_store
from hubbub.records.friends.model import (
    AlreadyFriend,
    CannotFormSelfRelation,
    Friendship,
    TooManyFriends,
)
from hubbub.records.notifications.model import ContactDetails
from hubbub.records.notifications.store import list_contact_details, put_contact_details
from hubbub.records.settings.model import FRIENDS_PER_USER, settings_of
from hubbub.records.users.model import UidNotFound
from hubbub.records.users.store import find_users
from hubbub.storage.interface import Transaction


class AlreadyBlocked(Conflict):
    """The user has blocked the other one already."""

    code = "ERR_ALREADY_BLOCKED"

    def __init__(self, uid: str, blocked: str) -> None:
        super().__init__(f"The user with UID {uid} has blocked {blocked} already.")


class AlreadyReached(Conflict):
    """The user has contact details already."""

    code = "ERR_CONTACT_DETAILS_ALREADY_EXIST"

    def __init__(self, uid: str) -> None:
        super().__init__(f"The user with UID {uid} has contact details already.")


async def apply_blocks(
    tx: Transaction, lines: Sequence[BlockLine], conflicts: Conflicts, now: int
) -> list[LineOutcome]:
    """Store blocks; return an outcome for each."""
    await lock_counters(tx)
    known = await _find_known(tx, {uid for line in lines for uid in (line.uid, line.blocked)})
    taken = set(await blocks_store.find_blocks(tx, [(line.uid, line.blocked) for line in lines]))
    new: list[Block] = []
    outcomes: list[object] = []
    for line in lines:
        refusal = _refuse_pair(line.uid, line.blocked, known, CannotBlockSelf)
        if refusal is None and (line.uid, line.blocked) in taken:
            refusal = AlreadyBlocked(line.uid, line.blocked)
        if refusal is None:
            taken.add((line.uid, line.blocked))
            new.append(Block(line.uid, line.blocked, now if line.at is None else line.at))
        outcomes.append(refusal)
    await blocks_store.insert_blocks(tx, new)
    return await settle(
        tx,
        lines,
        outcomes,
        conflicts,
        exists=(AlreadyBlocked,),
        find=find_blocks,
        update=_update_block,
        now=now,
    )


async def _update_block(tx: Transaction, line: BlockLine, now: int) -> Refusal | None:
    await blocks_store.delete_blocks(tx, line.uid, [line.blocked])
    at = now if line.at is None else line.at
    await blocks_store.insert_blocks(tx, [Block(line.uid, line.blocked, at)])
    return None


async def apply_friends(
    tx: Transaction, lines: Sequence[FriendLine], conflicts: Conflicts, now: int
) -> list[LineOutcome]:
    """Store friendships, in both directions; return an outcome for each."""
    most = settings_of((await lock_counters(tx)).settings).limit(FRIENDS_PER_USER)
    uids = {uid for line in lines for uid in (line.uid, line.friend)}
    known = await _find_known(tx, uids)
    taken = await friends_store.find_friends(tx, [(line.uid, line.friend) for line in lines])
    counts = await friends_store.count_friends(tx, uids)
    new: list[Friendship] = []
    outcomes: list[object] = []
    for line in lines:
        refusal = _refuse_pair(line.uid, line.friend, known, CannotFormSelfRelation)
        if refusal is None and (line.uid, line.friend) in taken:
            refusal = AlreadyFriend(line.uid, line.friend)
        full = [uid for uid in (line.uid, line.friend) if counts[uid] >= most]
        if refusal is None and full:
            refusal = TooManyFriends(full[0], most)
        if refusal is None:
            taken.add((line.uid, line.friend))
            counts.update((line.uid, line.friend))
            new.append(Friendship(line.uid, line.friend, now if line.at is None else line.at))
        outcomes.append(refusal)
    await friends_store.insert_friendships(tx, new)
    return await settle(
        tx,
        lines,
        outcomes,
        conflicts,
        exists=(AlreadyFriend,),
        find=find_friends,
        update=_update_friend,
        now=now,
    )


async def _update_friend(tx: Transaction, line: FriendLine, now: int) -> Refusal | None:
    await friends_store.delete_friends(tx, line.uid, [line.friend])
    at = now if line.at is None else line.at
    await friends_store.insert_friendships(tx, [Friendship(line.uid, line.friend, at)])
    return None


async def apply_contacts(
    tx: Transaction, lines: Sequence[ContactLine], conflicts: Conflicts, now: int
) -> list[LineOutcome]:
    """Store contact details; return an outcome for each."""
    await lock_counters(tx)
    known = await _find_known(tx, {line.uid for line in lines})
    taken = set(await list_contact_details(tx, [line.uid for line in lines]))
    outcomes: list[object] = []
    for line in lines:
        refusal: Refusal | None = None if line.uid in known else UidNotFound(line.uid)
        if refusal is None and line.uid in taken:
            refusal = AlreadyReached(line.uid)
        if refusal is None:
            refusal = await _put(tx, line)
            taken.add(line.uid)
        outcomes.append(refusal)
    return await settle(
        tx,
        lines,
        outcomes,
        conflicts,
        exists=(AlreadyReached,),
        find=find_contacts,
        update=lambda tx, line, _: _put(tx, line),
        now=now,
    )


async def _put(tx: Transaction, line: ContactLine) -> Refusal | None:
    try:
        details = ContactDetails(
            _normal("email", normalise_email, line.email),
            _normal("phoneNumber", normalise_phone_number, line.phone_number),
        )
    except BadInput as refusal:
        return refusal
    await put_contact_details(tx, line.uid, details)
    return None


def _normal(field: str, normalise: Callable[[str], str], given: str | None) -> str | None:
    try:
        return normalise(given) if given else None
    except NoAddress as fault:
        raise BadInput.field(field, str(fault)) from None


async def _find_known(tx: Transaction, uids: Collection[str]) -> set[str]:
    """Return those of uids that users have, who are not deleted."""
    found = await find_users(tx, uids)
    return {uid for uid, user in found.items() if user.deleted_at is None}


def _refuse_pair(
    uid: str, other: str, known: Collection[str], is_self: Callable[[str], Refusal]
) -> Refusal | None:
    if uid == other:
        return is_self(uid)
    missing = [each for each in (uid, other) if each not in known]
    return UidNotFound(missing[0]) if missing else None
