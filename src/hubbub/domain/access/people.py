"""The door to users: one who is deactivated or deleted is answered as if he did not exist."""

from collections.abc import Collection, Iterable

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.credentials import AuthTokenUnknown
from hubbub.kernel.errors import Forbidden, Refusal
from hubbub.records.friends.store import find_friends
from hubbub.records.roles.features import FeatureRestricted
from hubbub.records.tokens.store import find_issued
from hubbub.records.users.model import THE_APP, Person, UidNotFound, User
from hubbub.records.users.store import find_person, find_user
from hubbub.storage.interface import Snapshot


class NotOwnUser(Forbidden):
    """What a user may do for himself only he asks for another one."""

    def __init__(self, actor: str, uid: str) -> None:
        super().__init__(
            f"The user with UID {actor} may do this for himself only, not for {uid}.",
            dev_message="Make this call from your server, with an API key and no onBehalfOf.",
        )


async def access_user(snapshot: Snapshot, uid: str) -> User:
    """The active user of that uid.

    Raises:
        UidNotFound: there is none.
    """
    user = await find_user(snapshot, uid)
    if user is None or not user.is_active:
        raise UidNotFound(uid)
    return user


async def access_actor(snapshot: Snapshot, actor: Actor) -> Person:
    """Who acts; for the app itself, the system user.

    Every call that may be made as a user begins here: this is where restricted features hold.

    Raises:
        UidNotFound: there is no such user, or he is deactivated.
        AuthTokenUnknown: the token that he has shown was revoked meanwhile.
        FeatureRestricted: his role is kept from what he does.
    """
    if actor.uid is None:
        return THE_APP
    person = await find_person(snapshot, actor.uid)
    refusal = refuse_actor(person, actor, await find_revoked_tokens(snapshot, [actor.token]))
    if refusal is not None or person is None:
        raise refusal or UidNotFound(actor.uid)
    return person


async def access_own(snapshot: Snapshot, actor: Actor, uid: str) -> User:
    """The active user of that uid, for the app or for himself.

    Raises:
        UidNotFound, AuthTokenUnknown, FeatureRestricted: as in `access_actor`.
        NotOwnUser: he is another one than who acts.
    """
    person = await access_actor(snapshot, actor)
    if person is THE_APP:
        return await access_user(snapshot, uid)
    if uid != actor.uid:
        raise NotOwnUser(actor.name, uid)
    return person.user


async def find_revoked_tokens(snapshot: Snapshot, tokens: Iterable[str | None]) -> set[str]:
    """Those of the keyed hashes that are of no token any more.

    Who calls is told before the transaction, so a token may have been revoked, and its uid may be
    somebody else's, when it begins.
    """
    shown = {token for token in tokens if token is not None}
    return shown - await find_issued(snapshot, shown)


def refuse_actor(person: Person | None, actor: Actor, revoked: Collection[str]) -> Refusal | None:
    """Why somebody may not act, or not so, if so; `revoked` are tokens that were revoked."""
    is_there = person is not None and person.user.is_active
    if actor.token is not None and (actor.token in revoked or not is_there):
        return AuthTokenUnknown()
    if person is None or not is_there:
        return UidNotFound(actor.name)
    return refuse_features(person, actor.features)


def refuse_features(person: Person, features: Iterable[str]) -> FeatureRestricted | None:
    """Why the person's role may not use all of `features`, if so."""
    rules = person.rules
    restricted = next((key for key in features if key in rules.restricted), None)
    return None if restricted is None else FeatureRestricted(rules.role, restricted)


async def access_user_to_see(snapshot: Snapshot, person: Person, uid: str) -> User:
    """The active user of that uid, if the person's role shows him; oneself is always shown.

    Raises:
        UidNotFound: there is none, or none that the person may see.
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
