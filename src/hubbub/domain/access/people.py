"""Access checks of users: deactivated and deleted ones are answered as if they did not exist."""

from collections.abc import Collection, Container, Iterable

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.credentials import AuthTokenUnknown
from hubbub.kernel.errors import Forbidden, Refusal
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.blocks.model import BlockedReceiver, BlockedSender
from hubbub.records.blocks.store import find_blocks
from hubbub.records.friends.store import find_friends
from hubbub.records.roles.features import FeatureRestricted
from hubbub.records.roles.model import RoleRules
from hubbub.records.tokens.store import find_issued
from hubbub.records.users.model import SYSTEM, THE_APP, Person, UidNotFound, User
from hubbub.records.users.store import find_people, find_person, find_user
from hubbub.storage.interface import Snapshot

UidPair = tuple[str, str]
LIST_USERS = "listUsers"
"""The feature, and the permission, to list users."""


class NotOwnUser(Forbidden):
    """A user tries to do for another user what users may only do for themselves."""

    def __init__(self, actor: str, uid: str) -> None:
        super().__init__(
            f"The user with UID {actor} may do this for themselves only, not for {uid}.",
            dev_message="Make this call from your server, with an API key and no onBehalfOf.",
        )


async def access_user(snapshot: Snapshot, uid: str) -> User:
    """Return an active user.

    Raises:
        UidNotFound: there is no active user with this uid.
    """
    user = await find_user(snapshot, uid)
    if user is None or not user.is_active:
        raise UidNotFound(uid)
    return user


async def access_actor(snapshot: Snapshot, actor: Actor) -> Person:
    """Return the person who acts: a user, or `THE_APP`.

    Every call that users may make begins with this; it enforces restricted features.

    Raises:
        UidNotFound: the acting user does not exist, or is deactivated.
        AuthTokenUnknown: the auth token of the call was revoked in the meantime.
        FeatureRestricted: a feature of the call is restricted for the user's role.
    """
    if actor.uid is None:
        return THE_APP
    return await _access_person(snapshot, actor, await find_person(snapshot, actor.uid))


async def access_actor_and_user(snapshot: Snapshot, actor: Actor, uid: str) -> tuple[Person, User]:
    """Return the person who acts, and an active user or the app itself, found at once.

    Raises:
        UidNotFound, AuthTokenUnknown, FeatureRestricted: as in `access_actor` and `access_user`.
    """
    if uid == SYSTEM_UID:
        return await access_actor(snapshot, actor), SYSTEM
    if actor.uid is None:
        return THE_APP, await access_user(snapshot, uid)
    people = await find_people(snapshot, {actor.uid, uid})
    person = await _access_person(snapshot, actor, people.get(actor.uid))
    other = people.get(uid)
    if other is None or not other.user.is_active:
        raise UidNotFound(uid)
    return person, other.user


async def _access_person(snapshot: Snapshot, actor: Actor, person: Person | None) -> Person:
    """Return the person that was found for an actor, if they may act."""
    refusal = refuse_actor(person, actor, await find_revoked_tokens(snapshot, [actor.token]))
    if refusal is not None or person is None:
        raise refusal or UidNotFound(actor.name)
    return person


async def access_own(snapshot: Snapshot, actor: Actor, uid: str) -> User:
    """Return an active user, for the app or for the user themselves.

    Raises:
        UidNotFound, AuthTokenUnknown, FeatureRestricted: as in `access_actor`.
        NotOwnUser: another user acts.
    """
    person = await access_actor(snapshot, actor)
    if person is THE_APP:
        return await access_user(snapshot, uid)
    if uid != actor.uid:
        raise NotOwnUser(actor.name, uid)
    return person.user


def may_list(rules: RoleRules, uid: str, role: str, friends: Container[str]) -> bool:
    """Return whether lists of users show a user of a role to somebody with these friends."""
    if LIST_USERS in rules.restricted or rules.denies(LIST_USERS):
        return False
    allowed = rules.listed("listUsers.allowedRoles")
    is_allowed = not allowed or role in allowed
    return is_allowed and (not rules.lists_friends_only or uid in friends)


def uid_of(person: Person) -> str | None:
    """Return the uid of an acting user; None for the app itself."""
    return None if person is THE_APP else person.user.uid


async def find_revoked_tokens(snapshot: Snapshot, tokens: Iterable[str | None]) -> set[str]:
    """Return those keyed hashes that belong to no token any more.

    Callers are authenticated before the transaction begins. By then a token may be revoked, and
    its uid may belong to another user.
    """
    shown = {token for token in tokens if token is not None}
    return shown - await find_issued(snapshot, shown) if shown else shown


def refuse_actor(person: Person | None, actor: Actor, revoked: Collection[str]) -> Refusal | None:
    """Return why a person may not act, or None; `revoked` are hashes of revoked tokens."""
    is_there = person is not None and person.user.is_active
    if actor.token is not None and (actor.token in revoked or not is_there):
        return AuthTokenUnknown()
    if person is None or not is_there:
        return UidNotFound(actor.name)
    return refuse_features(person, actor.features)


def refuse_features(person: Person, features: Iterable[str]) -> FeatureRestricted | None:
    """Return the refusal of the first feature that is restricted for a person's role, if any."""
    rules = person.rules
    restricted = next((key for key in features if key in rules.restricted), None)
    return None if restricted is None else FeatureRestricted(rules.role, restricted)


def refuse_blocked(pair: UidPair, blocks: Collection[UidPair]) -> Refusal | None:
    """Return a refusal if the second of two users has blocked the first, or the other way round."""
    if pair[::-1] in blocks:
        return BlockedSender(*pair)
    return BlockedReceiver(*pair) if pair in blocks else None


async def check_blocks(snapshot: Snapshot, pair: UidPair) -> None:
    """Check that neither of two users has blocked the other.

    Raises:
        BlockedSender: the second has blocked the first.
        BlockedReceiver: the first has blocked the second.
    """
    refusal = refuse_blocked(pair, await find_blocks(snapshot, [pair, pair[::-1]]))
    if refusal is not None:
        raise refusal


async def access_user_to_see(snapshot: Snapshot, person: Person, uid: str) -> User:
    """Return an active user that the person's role may see; everybody may see themselves.

    Raises:
        UidNotFound: there is no such user, or the person may not see them.
    """
    user = await access_user(snapshot, uid)
    if person is THE_APP or uid == person.user.uid:
        return user
    rules = person.rules
    allowed = rules.listed("getUserDetails.allowedRoles")
    if allowed and user.role not in allowed:
        raise UidNotFound(uid)
    if rules.sees_friends_only and not await find_friends(snapshot, [(person.user.uid, uid)]):
        raise UidNotFound(uid)
    return user
