"""The door to users: one who is deactivated or deleted is answered as if he did not exist."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.users.model import SYSTEM, UidNotFound, User
from hubbub.domain.users.store import find_user
from hubbub.storage.interface import Snapshot


async def access_user(snapshot: Snapshot, uid: str) -> User:
    """The active user of that uid.

    Raises:
        UidNotFound: there is none.
    """
    user = await find_user(snapshot, uid)
    if user is None or not user.is_active:
        raise UidNotFound(uid)
    return user


async def access_actor(snapshot: Snapshot, actor: Actor) -> User:
    """The user on whose behalf a call is made; the system user for the app itself.

    Raises:
        UidNotFound: there is no such user, or he is deactivated.
    """
    return SYSTEM if actor.uid is None else await access_user(snapshot, actor.uid)
