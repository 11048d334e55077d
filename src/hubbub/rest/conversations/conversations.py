"""Conversations and marks: read the request, call the domain, write the answer."""

from hubbub.domain.access.permissions import RoleForbids
from hubbub.domain.conversations import change, delete, find
from hubbub.domain.receipts.mark import MARK, UNREAD, Mark
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting
from hubbub.records.conversations.model import (
    ConversationKey,
    PinnedByApp,
    conversation_id,
    group_key,
    user_key,
)
from hubbub.records.groups.model import GuidNotFound
from hubbub.records.members.model import BannedMember, GroupNotJoined, NoAdminScope
from hubbub.records.messages.model import (
    ConversationNotAccessible,
    MessageIdNotFound,
    MessageNoAccess,
)
from hubbub.records.receipts.model import DELIVERED, READ
from hubbub.records.users.model import UidNotFound
from hubbub.rest.conversations.wire import conversations as wire
from hubbub.rest.conversations.wire.conversations import (
    NAMED,
    ConversationShape,
    Marked,
    conversation_shape,
    marked,
)
from hubbub.rest.wire.shapes import Done, Listing, listing

TAG = "Conversations"
WITH_USER, IN_GROUP = "/users/{uid}/conversation", "/groups/{guid}/conversation"
USER_ERRORS = (UidNotFound, ConversationNotAccessible)
MANY_MESSAGES = ("deleteConversationForUser", "deleteMessage")
ENDING = (*MANY_MESSAGES, "deleteGroupMessages")
"""Whoever lets messages of a group go needs the last one where others have sent some of them."""
GROUP_ERRORS = (*USER_ERRORS, GuidNotFound, BannedMember, GroupNotJoined)


def _with(call: Call, uid: str) -> ConversationKey:
    return user_key(call.actor.name, uid)


@operation.get(
    "/conversations",
    tag=TAG,
    acting=Acting.OPTIONAL,
    for_users=True,
    features=("listConversations",),
    errors=(UidNotFound,),
    named=NAMED,
)
async def list_all_conversations(
    call: Call, query: wire.ListConversations
) -> Listing[ConversationShape]:
    """List the acting user's conversations: pinned ones first, then newest first.

    Without an acting user: everybody's, by uid, then newest first.
    """
    page = await find.list_conversations(
        call.runtime, call.app_id, call.actor, query.wanted(), query.request()
    )
    shapes = [
        conversation_shape(
            seen,
            is_app=call.actor.is_app,
            with_tags=query.with_tags,
            with_other_tags=query.with_user_and_group_tags,
        )
        for seen in page.items
    ]
    return listing(page, shapes)


@operation.get(
    WITH_USER,
    tag=TAG,
    acting=Acting.REQUIRED,
    for_users=True,
    features=("getConversation",),
    errors=USER_ERRORS,
    named=NAMED,
)
async def get_user_conversation(call: Call, uid: str) -> ConversationShape:
    """Get the acting user's conversation with another one."""
    return await _get(call, _with(call, uid))


@operation.get(
    IN_GROUP,
    tag=TAG,
    acting=Acting.REQUIRED,
    for_users=True,
    features=("getConversation",),
    errors=GROUP_ERRORS,
    named=NAMED,
)
async def get_group_conversation(call: Call, guid: str) -> ConversationShape:
    """Get the acting user's conversation in a group."""
    return await _get(call, group_key(guid))


async def _get(call: Call, key: ConversationKey) -> ConversationShape:
    seen = await find.get_conversation(call.runtime, call.app_id, call.actor, key)
    return conversation_shape(seen, is_app=False, with_tags=True, with_other_tags=True)


@operation.put(
    WITH_USER, tag=TAG, acting=Acting.REQUIRED, for_users=True, errors=USER_ERRORS, named=NAMED
)
async def update_user_conversation(
    call: Call, uid: str, body: wire.UpdateConversation
) -> ConversationShape:
    """Give the acting user's conversation with another one other tags; they are his alone."""
    return await _tag(call, _with(call, uid), body)


@operation.put(
    IN_GROUP, tag=TAG, acting=Acting.REQUIRED, for_users=True, errors=GROUP_ERRORS, named=NAMED
)
async def update_group_conversation(
    call: Call, guid: str, body: wire.UpdateConversation
) -> ConversationShape:
    """Give the acting user's conversation in a group other tags; they are his alone."""
    return await _tag(call, group_key(guid), body)


async def _tag(
    call: Call, key: ConversationKey, body: wire.UpdateConversation
) -> ConversationShape:
    seen = await change.tag_conversation(call.runtime, call.app_id, call.actor, key, body.tags)
    return conversation_shape(seen, is_app=False, with_tags=True, with_other_tags=True)


@operation.delete(
    WITH_USER,
    tag=TAG,
    acting=Acting.REQUIRED,
    for_users=True,
    features=MANY_MESSAGES,
    errors=(*USER_ERRORS, RoleForbids),
)
async def reset_user_conversation(call: Call, uid: str, body: wire.ResetConversation) -> Done:
    """Remove a conversation from the acting user's list; the other one keeps it.

    With `deleteMessagesPermanently` its messages go for good and for both: all of them with an API
    key, only one's own with an auth token.
    """
    return await _reset(call, _with(call, uid), body)


@operation.delete(
    IN_GROUP,
    tag=TAG,
    acting=Acting.REQUIRED,
    for_users=True,
    features=ENDING,
    errors=(*GROUP_ERRORS, RoleForbids),
)
async def reset_group_conversation(call: Call, guid: str, body: wire.ResetConversation) -> Done:
    """Remove a group's conversation from the acting user's list; the others keep it.

    With `deleteMessagesPermanently` its messages go for good and for all: all of them with an API
    key, only one's own with an auth token.
    """
    return await _reset(call, group_key(guid), body)


async def _reset(call: Call, key: ConversationKey, body: wire.ResetConversation) -> Done:
    if body.delete_messages_permanently:
        actor = call.actor.using(*MANY_MESSAGES)
        await delete.reset_with_messages(
            call.runtime, call.app_id, actor, key, is_by_token=call.is_by_token
        )
    else:
        actor = call.actor.using("deleteConversationForUser")
        await change.reset_conversation(call.runtime, call.app_id, actor, key)
    id_, uid = conversation_id(key), call.actor.name
    message = f"The conversation {id_} has been deleted successfully for UID {uid}."
    return Done(success=True, message=message)


@operation.get(
    "/conversations/{conversationId}",
    tag=TAG,
    acting=Acting.REQUIRED,
    for_users=True,
    features=("getConversation",),
    errors=USER_ERRORS,
    named=NAMED,
)
async def get_conversation(call: Call, conversation_id: str) -> ConversationShape:
    """Get a conversation of the acting user by its id; better ask by uid or guid."""
    seen = await find.get_conversation_by_id(call.runtime, call.app_id, call.actor, conversation_id)
    return conversation_shape(seen, is_app=False, with_tags=True, with_other_tags=True)


@operation.delete(
    "/conversations/{conversationId}",
    tag=TAG,
    acting=Acting.REQUIRED,
    for_users=True,
    features=ENDING,
    errors=(*USER_ERRORS, MessageNoAccess, NoAdminScope, RoleForbids),
)
async def delete_conversation(call: Call, conversation_id: str) -> Done:
    """Delete a conversation for all who take part: with an API key, or as an admin of the group."""
    actor = call.actor.using(*MANY_MESSAGES)
    await delete.delete_conversation(
        call.runtime, call.app_id, actor, conversation_id, is_by_token=call.is_by_token
    )
    message = f"The conversation {conversation_id} has been deleted successfully for all the users."
    return Done(success=True, message=message)


# Pins ------------------------------------------------------------------------------------------


@operation.post(
    WITH_USER + "/pin",
    tag=TAG,
    acting=Acting.OPTIONAL,
    for_users=True,
    errors=(*USER_ERRORS, PinnedByApp),
    named=NAMED,
)
async def pin_user_conversation(call: Call, uid: str) -> ConversationShape:
    """Pin the conversation of the acting user, or of the app, with another one: it comes first."""
    return await _pin(call, _with(call, uid), is_pinned=True)


@operation.delete(
    WITH_USER + "/pin",
    tag=TAG,
    acting=Acting.OPTIONAL,
    for_users=True,
    errors=(*USER_ERRORS, PinnedByApp),
    named=NAMED,
)
async def unpin_user_conversation(call: Call, uid: str) -> ConversationShape:
    """Unpin the conversation of the acting user, or of the app, with another one."""
    return await _pin(call, _with(call, uid), is_pinned=False)


@operation.post(
    IN_GROUP + "/pin",
    tag=TAG,
    acting=Acting.OPTIONAL,
    for_users=True,
    errors=(*GROUP_ERRORS, PinnedByApp),
    named=NAMED,
)
async def pin_group_conversation(call: Call, guid: str) -> ConversationShape:
    """Pin a group's conversation: for the acting user, or, as the app, for all its members."""
    return await _pin(call, group_key(guid), is_pinned=True)


@operation.delete(
    IN_GROUP + "/pin",
    tag=TAG,
    acting=Acting.OPTIONAL,
    for_users=True,
    errors=(*GROUP_ERRORS, PinnedByApp),
    named=NAMED,
)
async def unpin_group_conversation(call: Call, guid: str) -> ConversationShape:
    """Unpin a group's conversation: for the acting user, or, as the app, for all its members."""
    return await _pin(call, group_key(guid), is_pinned=False)


async def _pin(call: Call, key: ConversationKey, *, is_pinned: bool) -> ConversationShape:
    seen = await change.pin_conversation(
        call.runtime, call.app_id, call.actor, key, is_pinned=is_pinned
    )
    is_app = call.actor.is_app
    return conversation_shape(seen, is_app=is_app, with_tags=True, with_other_tags=True)


# Marks -----------------------------------------------------------------------------------------


@operation.post(
    WITH_USER + "/delivered",
    tag=TAG,
    acting=Acting.REQUIRED,
    for_users=True,
    errors=(*USER_ERRORS, MessageIdNotFound),
)
async def mark_conversation_as_delivered(call: Call, uid: str, body: wire.MarkUpTo) -> Marked:
    """Mark what another user sent as delivered, up to a message, or all of it."""
    await _mark(call, DELIVERED, _with(call, uid), body)
    return marked("All the messages from the user are marked as delivered for the requesting user.")


@operation.post(
    WITH_USER + "/read",
    tag=TAG,
    acting=Acting.REQUIRED,
    for_users=True,
    errors=(*USER_ERRORS, MessageIdNotFound),
)
async def mark_conversation_as_read(call: Call, uid: str, body: wire.MarkUpTo) -> Marked:
    """Mark what another user sent as read, up to a message, or all of it."""
    await _mark(call, READ, _with(call, uid), body)
    return marked("All the messages from the user are marked as read for the requesting user.")


@operation.delete(
    WITH_USER + "/read",
    tag=TAG,
    acting=Acting.REQUIRED,
    for_users=True,
    errors=(*USER_ERRORS, MessageIdNotFound),
)
async def mark_conversation_as_unread(call: Call, uid: str, body: wire.MarkUpTo) -> Done:
    """Mark what another user sent after a message as unread; without one, the newest."""
    upto = await _mark(call, UNREAD, _with(call, uid), body)
    return Done(
        success=True,
        message=f"The messages after the message id {upto} from the user {uid} are marked as "
        f"unread for the user {call.actor.name}.",
    )


@operation.post(
    IN_GROUP + "/delivered",
    tag=TAG,
    acting=Acting.REQUIRED,
    for_users=True,
    errors=(*GROUP_ERRORS, MessageIdNotFound),
)
async def mark_group_conversation_as_delivered(
    call: Call, guid: str, body: wire.MarkUpTo
) -> Marked:
    """Mark what was said in a group as delivered, up to a message, or all of it."""
    await _mark(call, DELIVERED, group_key(guid), body)
    return marked("All the messages in the group are marked as delivered for the requesting user.")


@operation.post(
    IN_GROUP + "/read",
    tag=TAG,
    acting=Acting.REQUIRED,
    for_users=True,
    errors=(*GROUP_ERRORS, MessageIdNotFound),
)
async def mark_group_conversation_as_read(call: Call, guid: str, body: wire.MarkUpTo) -> Marked:
    """Mark what was said in a group as read, up to a message, or all of it."""
    await _mark(call, READ, group_key(guid), body)
    return marked("All the messages in the group are marked as read for the requesting user.")


@operation.delete(
    IN_GROUP + "/read",
    tag=TAG,
    acting=Acting.REQUIRED,
    for_users=True,
    errors=(*GROUP_ERRORS, MessageIdNotFound),
)
async def mark_group_conversation_as_unread(call: Call, guid: str, body: wire.MarkUpTo) -> Done:
    """Mark what was said in a group after a message as unread; without one, the newest."""
    upto = await _mark(call, UNREAD, group_key(guid), body)
    return Done(
        success=True,
        message=f"The messages after the message id {upto} in the group {guid} are marked as "
        f"unread for the user {call.actor.name}.",
    )


async def _mark(call: Call, kind: str, key: ConversationKey, body: wire.MarkUpTo) -> int:
    mark = Mark(call.actor, kind, key, body.message())
    done = await MARK.call(call.runtime.batches, call.app_id, mark)
    return done.upto
