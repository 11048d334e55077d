"""List the sessions of a user, which their auth tokens hold open, and end one of them."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_own
from hubbub.domain.tokens.manage import delete_tokens, drop_cached
from hubbub.kernel.pages import Page, PageRequest
from hubbub.outbox import lock_counters
from hubbub.records.tokens import store
from hubbub.records.tokens.model import SessionNotFound, TokenSession, is_session_id
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


async def list_sessions(
    runtime: Runtime, app_id: str, actor: Actor, uid: str, request: PageRequest
) -> Page[TokenSession]:
    """Return a page of a user's sessions, newest first.

    Raises:
        UidNotFound: the user does not exist or is deactivated.
        FeatureRestricted: the role of the acting user may not.
        NotOwnUser: the acting user is another user.
    """
    now, own = runtime.clock.now(), actor.token

    async def within(snapshot: Snapshot) -> Page[TokenSession]:
        await access_own(snapshot, actor, uid)
        found = await store.list_sessions(
            snapshot, uid, now=now, limit=request.per_page, offset=request.offset
        )
        sessions = [each.seen_by(own) for each in found]
        return Page(sessions, await store.count_sessions(snapshot, uid, now=now), request)

    return await runtime.database.read(app_id, within)


async def end_session(
    runtime: Runtime, app_id: str, actor: Actor, uid: str, session_id: str
) -> None:
    """End a session: revoke its token.

    Raises:
        UidNotFound: the user does not exist or is deactivated.
        FeatureRestricted: the role of the acting user may not.
        NotOwnUser: the acting user is another user.
        SessionNotFound: the user has no such session.
    """

    async def within(tx: Transaction) -> list[str]:
        await lock_counters(tx)
        await access_own(tx, actor, uid)
        is_id = is_session_id(session_id)
        hash_ = await store.find_session(tx, uid, session_id) if is_id else None
        if hash_ is None:
            raise SessionNotFound(uid)
        return await delete_tokens(tx, runtime, uid, [hash_], by=actor.uid)

    drop_cached(runtime, app_id, await runtime.database.write(app_id, within))
