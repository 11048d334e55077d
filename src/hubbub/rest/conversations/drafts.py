"""`/conversations/{id}/draft`: read the request, call the domain, write the answer."""

from typing import Annotated

import msgspec
from msgspec import Meta

from hubbub.domain.drafts import manage
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.lists import make_rows
from hubbub.http.operation import Acting
from hubbub.records.conversations.model import conversation_id as id_of
from hubbub.records.drafts.model import ConversationDraft, DraftNotFound, TooManyDrafts
from hubbub.records.users.model import UidNotFound
from hubbub.rest.conversations.conversations import GROUP_ERRORS
from hubbub.rest.messages.wire.message import DataObject
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Json, Listing, PageQuery, Shape, SuccessMessage, page_answer

TAG = operation.Tag("Drafts", "What users have begun to write, on all of their devices.")
ALL, IN_CONVERSATION = "/drafts", "/conversations/{conversationId}/draft"


class PutDraft(Shape, kw_only=True):
    """What the user has written so far."""

    data: Annotated[
        Json, Meta(description="The data of the message that it may become; any object.")
    ]


class DraftShape(Shape, kw_only=True):
    """What a user has begun to write in a conversation."""

    conversation_id: str
    data: DataObject
    updated_at: int


class ListDrafts(PageQuery, kw_only=True):
    """A page of drafts."""


def draft_shape(draft: ConversationDraft) -> DraftShape:
    """Return a draft as it is shown."""
    return DraftShape(
        conversation_id=id_of(draft.conversation),
        data=msgspec.Raw(draft.data.encode()),
        updated_at=draft.updated_at,
    )


@operation.get(ALL, tag=TAG, acting=Acting.REQUIRED, is_own=True, errors=(UidNotFound,))
async def list_drafts(call: Call, query: ListDrafts) -> Listing[DraftShape]:
    """List the acting user's drafts, the latest first.

    A client asks for them once, and hears `draft_changed` from then on.
    """
    page = await manage.list_own_drafts(call.runtime, call.app_id, call.actor, query.request())
    return page_answer(page, await make_rows(call, page.items, draft_shape))


@operation.get(
    IN_CONVERSATION,
    tag=TAG,
    acting=Acting.REQUIRED,
    is_own=True,
    errors=(*GROUP_ERRORS, DraftNotFound),
)
async def get_draft(call: Call, conversation_id: path.ConversationId) -> DraftShape:
    """Get what the acting user has begun to write in a conversation.

    There need not be a message in it yet. Without a draft the answer is 404.
    """
    draft = await manage.get_draft(call.runtime, call.app_id, call.actor, conversation_id)
    return draft_shape(draft)


@operation.put(
    IN_CONVERSATION,
    tag=TAG,
    acting=Acting.REQUIRED,
    is_own=True,
    errors=(*GROUP_ERRORS, TooManyDrafts),
    codes=("ERR_INVALID_MESSAGE_DATA",),
)
async def put_draft(call: Call, conversation_id: path.ConversationId, body: PutDraft) -> DraftShape:
    """Keep what the acting user has begun to write; other users can't see it.

    The user's other sessions hear `draft_changed`. The latest call counts, whichever device it is
    from. There need not be a message in the conversation yet. Sending a message does not remove
    the draft. `limits.drafts` says how many there may be in all.
    """
    draft = await manage.put_draft(
        call.runtime, call.app_id, call.actor, conversation_id, body.data
    )
    return draft_shape(draft)


@operation.delete(
    IN_CONVERSATION, tag=TAG, acting=Acting.REQUIRED, is_own=True, errors=GROUP_ERRORS[:2]
)
async def remove_draft(call: Call, conversation_id: path.ConversationId) -> SuccessMessage:
    """Remove the acting user's draft in a conversation, if there is one.

    Also in a group that they have left. The user's other sessions hear `draft_changed`.
    """
    await manage.remove_draft(call.runtime, call.app_id, call.actor, conversation_id)
    return SuccessMessage(
        success=True, message=f"There is no draft in the conversation {conversation_id} any more."
    )
