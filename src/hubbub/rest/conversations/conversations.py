"""Conversations and marks: read the request, call the domain, write the answer.

A conversation with a user and one of a group have the same operations, under two paths.
"""

from collections.abc import Callable
from typing import Any

from hubbub.domain.access.permissions import RoleForbids
from hubbub.domain.conversations import change, delete, find
from hubbub.domain.receipts.mark import MARK, UNREAD, Mark
from hubbub.domain.receipts.tell import tell_own_sessions
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting, Handler, SecondPath
from hubbub.kernel.errors import Refusal
from hubbub.records.conversations.model import (
    ConversationKey,
    PinnedByApp,
    TooManyPins,
    TooManySystemPins,
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
    ConversationShape,
    MarkedShape,
    conversation_shape,
    conversation_shapes,
    marked,
)
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Listing, SuccessMessage, page_answer

TAG = operation.Tag(
    "Conversations",
    "The list of conversations, unread counts, read and delivered marks, pins.",
)
WITH_USER, IN_GROUP = "/users/{uid}/conversation", "/groups/{guid}/conversation"
USER_ERRORS = (UidNotFound, ConversationNotAccessible)
GROUP_ERRORS = (*USER_ERRORS, GuidNotFound, BannedMember, GroupNotJoined)
MANY_MESSAGES = ("deleteConversationForUser", "deleteMessage")
OF_OTHERS = ("deleteGroupMessages",)
"""Needed, too, to delete messages of a group that others have sent."""


def _declare_both(
    declare: Callable[..., Callable[[Handler], Handler]],
    action: str,
    names: tuple[str, str],
    *,
    errors: tuple[type[Refusal], ...] = (),
    features: tuple[str, ...] = (),
    group_features: tuple[str, ...] = (),
    **declaration: Any,
) -> Callable[[Handler], Handler]:
    """Declare a handler twice: for the conversation with a user, and for that of a group.

    The handler is given a `uid` or a `guid`; its docstring says `{place}` or `{origin}`.
    """
    in_group = SecondPath(
        path=IN_GROUP + action,
        name=names[1],
        words={"place": "in a group", "origin": "in a group"},
        differences={
            "errors": (*GROUP_ERRORS, *errors),
            "features": (*features, *group_features),
        },
    )
    return declare(
        WITH_USER + action,
        also=in_group,
        tag=TAG,
        name=names[0],
        words={"place": "with another user", "origin": "from another user"},
        errors=(*USER_ERRORS, *errors),
        features=features,
        **declaration,
    )


def _key(call: Call, uid: str, guid: str) -> ConversationKey:
    return group_key(guid) if guid else user_key(call.actor.name, uid)


@operation.get(
    "/conversations",
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("listConversations",),
    errors=(UidNotFound,),
    is_followed=True,
)
async def list_all_conversations(
    call: Call, query: wire.ListConversations
) -> Listing[ConversationShape]:
    """List the acting user's conversations: pinned ones first, then newest first.

    Without an acting user: the conversations of all users, by uid, then newest first.
    """
    page = await find.list_conversations(
        call.runtime, call.app_id, call.actor, query.wanted(), query.request()
    )
    shapes = await conversation_shapes(
        call,
        page.items,
        with_tags=query.with_tags,
        with_other_tags=query.with_user_and_group_tags,
    )
    return page_answer(page, shapes)


@_declare_both(
    operation.get,
    "",
    ("get_user_conversation", "get_group_conversation"),
    acting=Acting.REQUIRED,
    features=("getConversation",),
)
async def get_conversation_of(
    call: Call, uid: path.Uid = "", guid: path.Guid = ""
) -> ConversationShape:
    """Get the acting user's conversation {place}.

    The answer has the last message and the number of unread ones. There is a conversation once a
    message was sent.
    """
    view = await find.get_conversation(call.runtime, call.app_id, call.actor, _key(call, uid, guid))
    return conversation_shape(call.app_id, view, is_app=False)


@_declare_both(
    operation.put,
    "",
    ("update_user_conversation", "update_group_conversation"),
    acting=Acting.REQUIRED,
)
async def update_conversation(
    call: Call, body: wire.UpdateConversation, uid: path.Uid = "", guid: path.Guid = ""
) -> ConversationShape:
    """Replace the acting user's own tags of the conversation {place}.

    Other participants do not see them. An empty list removes all tags. The answer is the
    conversation.
    """
    key = _key(call, uid, guid)
    view = await change.tag_conversation(call.runtime, call.app_id, call.actor, key, body.tags)
    return conversation_shape(call.app_id, view, is_app=False)


@_declare_both(
    operation.delete,
    "",
    ("reset_user_conversation", "reset_group_conversation"),
    acting=Acting.REQUIRED,
    features=MANY_MESSAGES,
    group_features=OF_OTHERS,
    errors=(RoleForbids,),
    is_body_optional=True,
)
async def reset_conversation(
    call: Call, body: wire.ResetConversation, uid: path.Uid = "", guid: path.Guid = ""
) -> SuccessMessage:
    """Remove the conversation {place} from the acting user's list; others keep it.

    With `deleteMessagesPermanently` its messages are deleted permanently for everyone: all of them
    with an API key, only the caller's own with an auth token.
    """
    key = _key(call, uid, guid)
    if body.delete_messages_permanently:
        actor = call.actor.using(*MANY_MESSAGES)
        await delete.reset_with_messages(
            call.runtime, call.app_id, actor, key, is_by_token=call.is_by_token
        )
    else:
        actor = call.actor.using("deleteConversationForUser")
        await change.reset_conversation(call.runtime, call.app_id, actor, key)
    id_, by = conversation_id(key), call.actor.name
    message = f"The conversation {id_} has been deleted successfully for UID {by}."
    return SuccessMessage(success=True, message=message)


@operation.get(
    "/conversations/{conversationId}",
    tag=TAG,
    acting=Acting.REQUIRED,
    features=("getConversation",),
    errors=USER_ERRORS,
    is_deprecated=True,
)
async def get_conversation(call: Call, conversation_id: path.ConversationId) -> ConversationShape:
    """Get a conversation of the acting user by its id; prefer the paths with a uid or a guid.

    The id of a conversation between two users has both uids in it. Uids may contain `_user_`, so
    that one id can mean two conversations; the other paths always mean one.
    """
    view = await find.get_conversation_by_id(call.runtime, call.app_id, call.actor, conversation_id)
    return conversation_shape(call.app_id, view, is_app=False)


@operation.delete(
    "/conversations/{conversationId}",
    tag=TAG,
    acting=Acting.REQUIRED,
    features=(*MANY_MESSAGES, *OF_OTHERS),
    errors=(*USER_ERRORS, MessageNoAccess, NoAdminScope, RoleForbids),
    is_deprecated=True,
)
async def delete_conversation(call: Call, conversation_id: path.ConversationId) -> SuccessMessage:
    """Delete a conversation for all who take part: with an API key, or as an admin of the group.

    Its messages are erased. Sessions hear `conversation_deleted`, and messages that are sent
    later begin it anew.
    """
    actor = call.actor.using(*MANY_MESSAGES)
    await delete.delete_conversation(
        call.runtime, call.app_id, actor, conversation_id, is_by_token=call.is_by_token
    )
    message = f"The conversation {conversation_id} has been deleted successfully for all the users."
    return SuccessMessage(success=True, message=message)


# Pins ------------------------------------------------------------------------------------------


@_declare_both(
    operation.post,
    "/pin",
    ("pin_user_conversation", "pin_group_conversation"),
    is_own=True,
    acting=Acting.OPTIONAL,
    errors=(PinnedByApp, TooManyPins, TooManySystemPins),
)
async def pin_conversation(
    call: Call, uid: path.Uid = "", guid: path.Guid = ""
) -> ConversationShape:
    """Pin the conversation {place}: it comes first in lists.

    A user pins it for themself; the app, without an acting user, pins it for all who take part.
    """
    return await _pin(call, _key(call, uid, guid), is_pinned=True)


@_declare_both(
    operation.delete,
    "/pin",
    ("unpin_user_conversation", "unpin_group_conversation"),
    is_own=True,
    acting=Acting.OPTIONAL,
    errors=(PinnedByApp,),
)
async def unpin_conversation(
    call: Call, uid: path.Uid = "", guid: path.Guid = ""
) -> ConversationShape:
    """Unpin the conversation {place}.

    A user unpins it for themself; the app, without an acting user, for all who take part.
    """
    return await _pin(call, _key(call, uid, guid), is_pinned=False)


async def _pin(call: Call, key: ConversationKey, *, is_pinned: bool) -> ConversationShape:
    view = await change.pin_conversation(
        call.runtime, call.app_id, call.actor, key, is_pinned=is_pinned
    )
    is_app = call.actor.is_app
    return conversation_shape(call.app_id, view, is_app=is_app)


# Marks -----------------------------------------------------------------------------------------


@_declare_both(
    operation.post,
    "/delivered",
    ("mark_conversation_as_delivered", "mark_group_conversation_as_delivered"),
    acting=Acting.REQUIRED,
    errors=(MessageIdNotFound,),
    is_body_optional=True,
)
async def mark_as_delivered(
    call: Call, body: wire.MarkUpTo, uid: path.Uid = "", guid: path.Guid = ""
) -> MarkedShape:
    """Mark the messages {origin} as delivered: up to a message, or all of them.

    The mark only goes forward: one for an earlier message changes nothing. The senders hear
    `message_delivery_receipt`.
    """
    await _mark(call, DELIVERED, _key(call, uid, guid), body)
    origin = "in the group" if guid else "from the user"
    return marked(f"All the messages {origin} are marked as delivered for the requesting user.")


@_declare_both(
    operation.post,
    "/read",
    ("mark_conversation_as_read", "mark_group_conversation_as_read"),
    acting=Acting.REQUIRED,
    errors=(MessageIdNotFound,),
    is_body_optional=True,
)
async def mark_as_read(
    call: Call, body: wire.MarkUpTo, uid: path.Uid = "", guid: path.Guid = ""
) -> MarkedShape:
    """Mark the messages {origin} as read: up to a message, or all of them.

    The mark only goes forward: one for an earlier message changes nothing. The senders hear
    `message_read_receipt`, the user's other sessions `conversation_read`.
    """
    await _mark(call, READ, _key(call, uid, guid), body)
    origin = "in the group" if guid else "from the user"
    return marked(f"All the messages {origin} are marked as read for the requesting user.")


@_declare_both(
    operation.delete,
    "/read",
    ("mark_conversation_as_unread", "mark_group_conversation_as_unread"),
    acting=Acting.REQUIRED,
    errors=(MessageIdNotFound,),
    is_body_optional=True,
)
async def mark_as_unread(
    call: Call, body: wire.MarkUpTo, uid: path.Uid = "", guid: path.Guid = ""
) -> SuccessMessage:
    """Mark the messages {origin} that follow a message as unread; without one, the newest.

    Only the user's own count of unread messages changes, for all of their sessions. Receipts
    stay, and the senders are not told.
    """
    upto = await _mark(call, UNREAD, _key(call, uid, guid), body)
    origin = f"in the group {guid}" if guid else f"from the user {uid}"
    return SuccessMessage(
        success=True,
        message=f"The messages after the message id {upto} {origin} are marked as unread "
        f"for the user {call.actor.name}.",
    )


async def _mark(call: Call, kind: str, key: ConversationKey, body: wire.MarkUpTo) -> int:
    mark = Mark(call.actor, kind, key, body.message())
    done = await MARK.call(call.runtime.batches, call.app_id, mark)
    tell_own_sessions(call.runtime, call.app_id, done)
    return done.upto
