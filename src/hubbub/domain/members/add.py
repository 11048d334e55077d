"""Add members to a group and ban users from it, 25 in a call, each with an outcome of its own."""

from collections.abc import Mapping, Sequence

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.groups import access_group_to_administer
from hubbub.domain.access.people import access_actor
from hubbub.domain.members.ban import Banned, ban_users
from hubbub.domain.members.enter import Entered, Entrant, enter_members
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.outbox import lock_counters
from hubbub.records.members.model import MOST_ADDED_AT_ONCE
from hubbub.records.users.model import Person, User
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

LISTS = {
    "admins": "admin",
    "moderators": "moderator",
    "participants": "participant",
    "usersToBan": None,
}
"""The lists of a call, the strongest first, and the scope of each; a ban has none."""

Lists = Mapping[str, Sequence[str]]
"""Uids by list name."""
Outcomes = dict[str, dict[str, Entered | Banned | Refusal]]
"""The outcome of each uid, by list name and uid."""


async def add_members(
    runtime: Runtime, app_id: str, actor: Actor, guid: str, lists: Lists
) -> tuple[User, Outcomes]:
    """Add users to a group in the scopes of their lists; of several lists the strongest counts.

    Return the acting user and the outcomes.

    Raises:
        UidNotFound, FeatureRestricted: the acting user does not exist, or their role forbids
            it.
        GuidNotFound, BannedMember, GroupNotJoined, NoAdminScope: the acting user may not do this
            in the group.
    """

    async def within(tx: Transaction) -> tuple[User, Outcomes]:
        await lock_counters(tx)
        person = await access_actor(tx, actor)
        await access_group_to_administer(tx, person, guid)
        return person.user, await add_and_ban(tx, guid, person, lists, runtime.clock.now())

    return await runtime.database.write(app_id, within)


async def add_and_ban(
    tx: Transaction, guid: str, person: Person, lists: Lists, now: int
) -> Outcomes:
    """Add and ban users for `person`, whose access was checked."""
    names = lists_by_uid(lists)
    entered = [uid for uid, name in names.items() if LISTS[name] is not None]
    entrants = [Entrant(guid, uid, LISTS[names[uid]] or "", by=person.user.uid) for uid in entered]
    outcomes: dict[str, Entered | Banned | Refusal] = dict(
        zip(entered, await enter_members(tx, entrants, now), strict=True)
    )
    to_ban = [uid for uid in names if uid not in outcomes]
    outcomes.update(await ban_users(tx, guid, person, to_ban, now))
    return {
        name: {uid: outcomes[uid] for uid, of_uid in names.items() if of_uid == name}
        for name in LISTS
        if name in names.values()
    }


def lists_by_uid(lists: Lists) -> dict[str, str]:
    """Return the strongest list of each uid."""
    names: dict[str, str] = {}
    for name in LISTS:
        for uid in lists.get(name, ()):
            names.setdefault(uid, name)
    return names


def features_of(lists: Lists) -> list[str]:
    """Return the keys of the features that a call with these lists uses."""
    features = ["addMember"] if lists.keys() - {"usersToBan"} else []
    if "usersToBan" in lists:
        features.append("ban")
    if sum(map(len, lists.values())) > 1:
        features.append("massMemberOperate")
    return features


def check_lists(lists: Lists) -> None:
    """Check that a call does not name too many users.

    Raises:
        BadInput: all lists together have more than `MOST_ADDED_AT_ONCE`.
    """
    count = sum(map(len, lists.values()))
    if count > MOST_ADDED_AT_ONCE:
        sentence = f"All lists together may have at most {MOST_ADDED_AT_ONCE} users, not {count}."
        raise BadInput.fields({name: [sentence] for name in lists if lists[name]})
