"""Add members to a group, or ban users from it, 25 at once; one refusal never undoes another."""

from collections.abc import Mapping, Sequence

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.groups import access_group_to_administer
from hubbub.domain.access.people import access_actor
from hubbub.domain.members.ban import Banned, ban_users
from hubbub.domain.members.enter import Entered, Entry, enter_members
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
"""The lists of a call, the strongest first, and the scope that each gives; a ban gives none."""

Lists = Mapping[str, Sequence[str]]
"""Uids by the name of their list."""
Outcomes = dict[str, dict[str, Entered | Banned | Refusal]]
"""What became of each uid, under the name of the list that it was in."""


async def add_members(
    runtime: Runtime, app_id: str, actor: Actor, guid: str, lists: Lists
) -> tuple[User, Outcomes]:
    """Add users to a group in the scopes of their lists; who is in several goes by the strongest.

    Returns who acted, and what became of each.

    Raises:
        UidNotFound, FeatureRestricted: the acting user does not exist, or his role may not.
        GuidNotFound, BannedMember, GroupNotJoined, NoAdminScope: he may not here.
    """

    async def within(tx: Transaction) -> tuple[User, Outcomes]:
        await lock_counters(tx)
        person = await access_actor(tx, actor)
        await access_group_to_administer(tx, person, guid)
        return person.user, await put_in(tx, guid, person, lists, runtime.clock.now())

    return await runtime.database.write(app_id, within)


async def put_in(tx: Transaction, guid: str, person: Person, lists: Lists, now: int) -> Outcomes:
    """Add and ban users; `person` was found to be allowed to."""
    places = places_of(lists)
    entered = [uid for uid, name in places.items() if LISTS[name] is not None]
    entries = [Entry(guid, uid, LISTS[places[uid]] or "", by=person.user.uid) for uid in entered]
    outcomes: dict[str, Entered | Banned | Refusal] = dict(
        zip(entered, await enter_members(tx, entries, now), strict=True)
    )
    to_ban = [uid for uid in places if uid not in outcomes]
    outcomes.update(await ban_users(tx, guid, person, to_ban, now))
    return {
        name: {uid: outcomes[uid] for uid, place in places.items() if place == name}
        for name in LISTS
        if name in places.values()
    }


def places_of(lists: Lists) -> dict[str, str]:
    """Which list counts for each uid: the strongest that he is in."""
    places: dict[str, str] = {}
    for name in LISTS:
        for uid in lists.get(name, ()):
            places.setdefault(uid, name)
    return places


def features_of(lists: Lists) -> list[str]:
    """The features that filling these lists takes."""
    features = ["addMember"] if lists.keys() - {"usersToBan"} else []
    if "usersToBan" in lists:
        features.append("ban")
    if sum(map(len, lists.values())) > 1:
        features.append("massMemberOperate")
    return features


def check_lists(lists: Lists) -> None:
    """Refuse more users than may be added at once.

    Raises:
        BadInput: there are more, over all lists.
    """
    count = sum(map(len, lists.values()))
    if count > MOST_ADDED_AT_ONCE:
        sentence = f"At most {MOST_ADDED_AT_ONCE} users may be named at once, over all lists."
        raise BadInput.fields({name: [sentence] for name in lists if lists[name]})
