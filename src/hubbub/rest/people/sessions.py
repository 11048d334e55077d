"""`/users/{uid}/sessions`: read the request, call the domain, write the answer."""

from hubbub.domain.access.people import NotOwnUser
from hubbub.domain.tokens import sessions
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting
from hubbub.records.tokens.model import SessionNotFound, TokenSession
from hubbub.records.users.model import UidNotFound
from hubbub.rest.people.tokens import TAG
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Listing, PageQuery, Shape, SuccessMessage, page_answer


class SessionShape(Shape):
    """A session: an auth token that has not ended, without its text."""

    id: str
    is_current: bool
    created_at: int
    device: str | None = None
    platform: str | None = None
    user_agent: str | None = None
    expires_at: int | None = None


def session_shape(session: TokenSession) -> SessionShape:
    """Return a session on the wire."""
    return SessionShape(
        id=session.id,
        is_current=session.is_current,
        created_at=session.created_at,
        device=session.device,
        platform=session.platform,
        user_agent=session.user_agent,
        expires_at=session.expires_at,
    )


SESSIONS = "/users/{uid}/sessions"


@operation.get(
    SESSIONS,
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("getMyDetails",),
    errors=(UidNotFound, NotOwnUser),
    is_own=True,
)
async def list_sessions(call: Call, uid: path.Uid, query: PageQuery) -> Listing[SessionShape]:
    """List the sessions of a user, newest first; a user can list their own.

    A session is an auth token that has not ended. Its text is not shown, so the list may be shown
    to the user.
    """
    page = await sessions.list_sessions(call.runtime, call.app_id, call.actor, uid, query.request())
    return page_answer(page, [session_shape(each) for each in page.items])


@operation.delete(
    f"{SESSIONS}/{{sessionId}}",
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("logout",),
    errors=(UidNotFound, SessionNotFound, NotOwnUser),
    is_own=True,
)
async def end_session(call: Call, uid: path.Uid, session_id: path.SessionId) -> SuccessMessage:
    """End a session of a user; a user can end their own, also on other devices.

    Its auth token is revoked: sockets that were opened with it are closed with the code 4401, and
    devices that were registered with it get no push any more.
    """
    await sessions.end_session(call.runtime, call.app_id, call.actor, uid, session_id)
    return SuccessMessage(success=True, message=f"Ended the session of uid {uid}.")
