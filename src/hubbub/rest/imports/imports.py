"""`/data_import`: import of users, groups, members and messages, at most 50 rows per request."""

from functools import partial

from hubbub.domain.access.rates import Rate
from hubbub.domain.imports.fetch import fetch_files
from hubbub.domain.imports.groups import import_groups
from hubbub.domain.imports.members import import_members
from hubbub.domain.imports.messages import import_messages
from hubbub.domain.imports.users import import_users
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.rest.groups.wire.groups import GroupShape, group_shape
from hubbub.rest.imports.wire import imports as wire
from hubbub.rest.imports.wire.imports import check_wrapper, read_rows
from hubbub.rest.imports.wire.outcomes import (
    ImportedMemberShape,
    MessageOutcomes,
    Outcome,
    imported_member_shape,
    message_outcomes,
    outcomes,
)
from hubbub.rest.imports.wire.rows import read_group, read_member, read_message, read_user
from hubbub.rest.people.wire.users import UserShape, user_shape

TAG = operation.Tag(
    "Data Import",
    "Import of users, groups, members and messages with their original times.",
)
LARGEST_BODY = 8 * 1024 * 1024
MOST_VALUES = 50_000


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
