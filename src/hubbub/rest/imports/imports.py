"""`/data_import`: import of users, groups, members and messages, at most 50 rows per request."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Annotated, Generic, TypeVar

import msgspec

from hubbub.domain.access.rates import Rate
from hubbub.domain.imports.fetch import fetch_files
from hubbub.domain.imports.groups import import_groups
from hubbub.domain.imports.members import import_members
from hubbub.domain.imports.messages import import_messages
from hubbub.domain.imports.outcome import ImportOutcome
from hubbub.domain.imports.users import import_users
from hubbub.domain.members.enter import Entrant
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.documented import documented_as
from hubbub.http.errors import Problem, body_of
from hubbub.kernel.errors import Refusal
from hubbub.records.messages.model import MessageView
from hubbub.rest.groups.wire.groups import GroupShape, group_shape
from hubbub.rest.imports.wire import imports as wire
from hubbub.rest.imports.wire.imports import check_wrapper, read_rows
from hubbub.rest.imports.wire.rows import read_group, read_member, read_message, read_user
from hubbub.rest.messages.wire.message import MessageShape
from hubbub.rest.messages.wire.page import render_sent
from hubbub.rest.people.wire.users import UserShape, user_shape
from hubbub.rest.wire.enums import Scope
from hubbub.rest.wire.shapes import Shape

Item = TypeVar("Item")
Stored = TypeVar("Stored")

_encode = msgspec.json.Encoder().encode
TAG = operation.Tag(
    "Data Import",
    "Import of users, groups, members and messages with their original times.",
)
LARGEST_BODY = 8 * 1024 * 1024
MOST_VALUES = 50_000


class Outcome(Shape, Generic[Item]):
    """The outcome of one row."""

    success: bool
    skipped: bool = False
    data: Item | None = None
    error: Problem | None = None


class ImportedMemberShape(Shape):
    """A membership."""

    guid: str
    uid: str
    scope: Annotated[str, documented_as(Scope)]
    joined_at: int


def imported_member_shape(entrant: Entrant) -> ImportedMemberShape:
    """Return the shape of an imported membership."""
    return ImportedMemberShape(
        guid=entrant.guid, uid=entrant.uid, scope=entrant.scope, joined_at=entrant.joined_at or 0
    )


def outcomes(
    keys: Iterable[str],
    done: Mapping[str, ImportOutcome[Stored]],
    bad: Mapping[str, Refusal],
    shape: Callable[[Stored], Item],
) -> dict[str, Outcome[Item]]:
    """Return the answer: one outcome for every key of the request, in order."""
    answer: dict[str, Outcome[Item]] = {}
    for key in keys:
        row: ImportOutcome[Stored] = done.get(key) or ImportOutcome(refusal=bad[key])
        if row.refusal is not None:
            answer[key] = Outcome(success=False, error=body_of(row.refusal).error)
        elif row.item is not None:
            answer[key] = Outcome(success=True, skipped=row.is_skipped, data=shape(row.item))
    return answer


MessageOutcomes = Annotated[
    msgspec.Raw,
    documented_as(dict[str, Outcome[MessageShape]]),
]
"""The outcomes of messages, by muid."""


def message_outcomes(
    app_id: str,
    keys: Iterable[str],
    *,
    done: Mapping[str, ImportOutcome[MessageView]],
    bad: Mapping[str, Refusal],
) -> msgspec.Raw:
    """Return the answer of an import of messages, as JSON."""
    return msgspec.Raw(_encode(outcomes(keys, done, bad, partial(_rendered_message, app_id))))


def _rendered_message(app_id: str, view: MessageView) -> msgspec.Raw:
    return msgspec.Raw(render_sent(app_id, view, is_app=True))


@operation.post(
    "/data_import/users",
    name="import_users",
    codes=("ERR_IMPORT_INVALID_USER_FORMAT",),
    tag=TAG,
    rate=Rate.IMPORT,
    largest_body=LARGEST_BODY,
    most_values=MOST_VALUES,
)
async def import_users_(
    call: Call, body: wire.ImportUsers, query: wire.ImportQuery
) -> dict[str, Outcome[UserShape]]:
    """Import users with their past; one outcome for each row, and a bad one fails alone.

    With `onConflict=skip` a user who exists is not changed and answered with `skipped`; with
    `onConflict=update` they are updated.
    """
    rows = await check_wrapper(body.users, "users", "ERR_IMPORT_INVALID_USER_FORMAT")
    good, bad = await read_rows(call, rows, read_user)
    done = await import_users(call.runtime, call.app_id, list(good.values()), query.rule())
    return outcomes(rows, dict(zip(good, done, strict=True)), bad, user_shape)


@operation.post(
    "/data_import/groups",
    name="import_groups",
    codes=("ERR_IMPORT_INVALID_GROUP_FORMAT",),
    tag=TAG,
    rate=Rate.IMPORT,
    largest_body=LARGEST_BODY,
    most_values=MOST_VALUES,
)
async def import_groups_(
    call: Call, body: wire.ImportGroups, query: wire.ImportQuery
) -> dict[str, Outcome[GroupShape]]:
    """Import groups with their past; an owner becomes a member of scope admin.

    Each row has an outcome of its own: one that fails keeps no other from being stored.
    `onConflict` says what becomes of guids that exist already.
    """
    rows = await check_wrapper(body.groups, "groups", "ERR_IMPORT_INVALID_GROUP_FORMAT")
    good, bad = await read_rows(call, rows, read_group)
    done = await import_groups(call.runtime, call.app_id, list(good.values()), query.rule())
    return outcomes(rows, dict(zip(good, done, strict=True)), bad, group_shape)


@operation.post(
    "/data_import/members",
    name="import_members",
    codes=("ERR_IMPORT_INVALID_MEMBER_FORMAT",),
    tag=TAG,
    rate=Rate.IMPORT,
    largest_body=LARGEST_BODY,
    most_values=MOST_VALUES,
)
async def import_members_(
    call: Call, body: wire.ImportMembers, query: wire.ImportRowsQuery
) -> dict[str, Outcome[ImportedMemberShape]]:
    """Import members of groups with their past; with `isBanned` they are banned.

    Each row has an outcome of its own: one that fails keeps no other from being stored.
    `groupDetails` and `userDetails` create what does not exist yet.
    """
    rows = await check_wrapper(body.members, "members", "ERR_IMPORT_INVALID_MEMBER_FORMAT")
    good, bad = await read_rows(call, rows, read_member)
    done = await import_members(call.runtime, call.app_id, list(good.values()), query.rule())
    return outcomes(rows, dict(zip(good, done, strict=True)), bad, imported_member_shape)


@operation.post(
    "/data_import/messages",
    name="import_messages",
    codes=("ERR_IMPORT_INVALID_MESSAGE_FORMAT",),
    tag=TAG,
    rate=Rate.IMPORT,
    largest_body=LARGEST_BODY,
    most_values=MOST_VALUES,
)
async def import_messages_(
    call: Call, body: wire.ImportMessages, query: wire.ImportMessagesQuery
) -> MessageOutcomes:
    """Import messages with their past: `sentAt` is kept, ids are assigned in order of arrival.

    `parentId` and `quotedMessageId` are the `muid` of an earlier row, or of a stored message whose
    sender is named in `parentSender` or `quotedMessageSender`. Without that name, it is a message
    of the same sender or, one-to-one, of the receiver. As a number they are the id of a stored
    message. Times are whole seconds.

    Attachments keep their URLs. With `fetchAttachments=true` their files are fetched and stored,
    and the URLs become links to them; a row whose files can't be fetched is refused.
    """
    rows = await check_wrapper(body.messages, "messages", "ERR_IMPORT_INVALID_MESSAGE_FORMAT")
    now = call.runtime.clock.now()
    good, bad = await read_rows(call, rows, partial(read_message, now=now))
    if query.fetch_attachments:
        good, unfetched = await fetch_files(good, call.new_upload)
        bad |= unfetched
    done = await import_messages(call.runtime, call.app_id, list(good.values()), query.rule())
    return message_outcomes(call.app_id, rows, done=dict(zip(good, done, strict=True)), bad=bad)
