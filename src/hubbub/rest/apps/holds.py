"""Legal holds and the runs of retention: read the request, call the domain, write the answer."""

from typing import Annotated, Literal

from msgspec import Meta

from hubbub.domain.access.rates import Rate
from hubbub.domain.retention import hold, report
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.records.audit.model import API_KEY, Doer
from hubbub.records.groups.model import GuidNotFound
from hubbub.records.retention.model import APP, GROUP, USER, LegalHold, RetentionRun
from hubbub.records.users.model import UidNotFound
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Listing, Shape, unpaged

TAG = operation.Tag(
    "Retention", "How long messages are kept, legal holds, and what was removed when."
)


class SetHold(Shape):
    """Whether a legal hold is set, or lifted."""

    hold: Annotated[bool, Meta(description="True sets the hold, false lifts it.")]


class HoldState(Shape, kw_only=True):
    """Whether there is a legal hold, and since when."""

    hold: bool
    since: Annotated[int | None, Meta(description="When it was set, in seconds since 1970.")] = None


class HoldShape(Shape, kw_only=True):
    """A legal hold: no message that it is about is removed by its age."""

    kind: Annotated[Literal["app", "group", "user"], Meta(title="HoldKind")]
    uid: str | None = None
    guid: str | None = None
    since: Annotated[int, Meta(description="When it was set, in seconds since 1970.")]


class RetentionRunShape(Shape, kw_only=True):
    """A run through the conversations of an app, and what it has removed."""

    began_at: Annotated[int, Meta(description="When it began, in seconds since 1970.")]
    ended_at: Annotated[int, Meta(description="When it was done, in seconds since 1970.")]
    seconds: Annotated[float, Meta(description="How long it took, with its rests.")]
    messages: Annotated[int, Meta(description="How many messages it removed.")]
    files: Annotated[int, Meta(description="How many files no message has since then.")]


def _state(found: LegalHold | None) -> HoldState:
    return HoldState(hold=found is not None, since=found.since if found else None)


async def _set(call: Call, kind: str, subject: str, body: SetHold) -> HoldState:
    found = await hold.set_hold(
        call.runtime, call.app_id, kind, subject, is_on=body.hold, recorded=Doer(API_KEY)
    )
    return _state(found)


@operation.put("/legal_hold", tag=TAG, rate=Rate.FREE, is_own=True)
async def set_app_hold(call: Call, body: SetHold) -> HoldState:
    """Set a legal hold on the whole app, or lift it.

    While it is set, no message of the app is removed by its age, and none disappears. Deletions
    that somebody asks for are carried out. The audit log has who set or lifted it.
    """
    return await _set(call, APP, "", body)


@operation.put(
    "/users/{uid}/legal_hold", tag=TAG, rate=Rate.FREE, is_own=True, errors=(UidNotFound,)
)
async def set_user_hold(call: Call, uid: path.Uid, body: SetHold) -> HoldState:
    """Set a legal hold on a user, or lift it.

    While it is set, nothing that the user sent is removed by its age, and nothing at all in their
    conversations with other users. The user is not told.
    """
    return await _set(call, USER, uid, body)


@operation.put(
    "/groups/{guid}/legal_hold", tag=TAG, rate=Rate.FREE, is_own=True, errors=(GuidNotFound,)
)
async def set_group_hold(call: Call, guid: path.Guid, body: SetHold) -> HoldState:
    """Set a legal hold on a group, or lift it.

    While it is set, no message of the group is removed by its age. Its members are not told.
    """
    return await _set(call, GROUP, guid, body)


@operation.get("/legal_holds", tag=TAG, rate=Rate.FREE, is_own=True)
async def list_legal_holds(call: Call) -> Listing[HoldShape]:
    """List the legal holds of the app.

    The answer has the first 1,000: that on the app, those on groups, and those on users, by id.
    """
    return unpaged([_shape(each) for each in await hold.list_holds(call.runtime, call.app_id)])


def _shape(found: LegalHold) -> HoldShape:
    return HoldShape(
        kind=found.kind,  # type: ignore[arg-type]  # one of the three, as stored
        uid=found.subject if found.kind == USER else None,
        guid=found.subject if found.kind == GROUP else None,
        since=found.since,
    )


@operation.get("/retention_runs", tag=TAG, rate=Rate.FREE, is_own=True)
async def list_retention_runs(call: Call) -> Listing[RetentionRunShape]:
    """List the runs that have removed old messages, newest first.

    The last 100 are kept. Runs that found nothing to remove, and messages that disappeared, are
    not listed.
    """
    return unpaged([_run(each) for each in await report.list_runs(call.runtime, call.app_id)])


def _run(run: RetentionRun) -> RetentionRunShape:
    return RetentionRunShape(
        began_at=run.began_at // 1000,
        ended_at=run.ended_at // 1000,
        seconds=(run.ended_at - run.began_at) / 1000,
        messages=run.messages,
        files=run.files,
    )
