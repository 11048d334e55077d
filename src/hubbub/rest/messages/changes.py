"""Edit and delete messages: read the request, call the domain, write the answer."""

from functools import partial
from typing import Annotated, Any

from msgspec import Meta

from hubbub.domain.access.permissions import RoleForbids
from hubbub.domain.messages.delete import delete_message as delete
from hubbub.domain.messages.edit import Edit, edit_message
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting
from hubbub.records.blocks.model import BlockedReceiver, BlockedSender
from hubbub.records.growing.model import MessageGrowing
from hubbub.records.messages.model import (
    BlockedByRule,
    BlockedByWebhook,
    MessageActionNotAllowed,
    MessageIdNotFound,
    MessageNotASender,
)
from hubbub.records.polls.model import PollHasVotes, PollIsClosed
from hubbub.records.users.model import UidNotFound
from hubbub.rest.messages.messages import DATA_CODES, TAG
from hubbub.rest.messages.wire.message import MessageShape, message_shape
from hubbub.rest.messages.wire.unsent import render_edited
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Shape, Tags


class UpdateMessage(Shape):
    """The changes of a message; properties that are absent stay."""

    data: Annotated[
        Any,
        Meta(
            description="An object: each of its properties replaces the stored one. The result "
            "must satisfy the same rules as a message that is sent."
        ),
    ] = None
    tags: Tags | None = None

    def edit(self) -> Edit:
        return Edit(self.data, self.tags)


class DeleteMessage(Shape):
    """The way in which a message is deleted."""

    permanent: Annotated[
        bool,
        Meta(description="Whether the content is erased; otherwise the app still sees it."),
    ] = False


MESSAGE = "/messages/{id}"
ERRORS = (UidNotFound, RoleForbids, MessageIdNotFound, MessageNotASender, MessageActionNotAllowed)


@operation.put(
    MESSAGE,
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("updateMessage",),
    errors=(
        *ERRORS,
        MessageGrowing,
        BlockedSender,
        BlockedReceiver,
        BlockedByWebhook,
        BlockedByRule,
        PollHasVotes,
        PollIsClosed,
    ),
    codes=DATA_CODES,
)
async def update_message(
    call: Call,
    message_id: path.MessageId,
    body: UpdateMessage,
) -> MessageShape:
    """Edit a message.

    The sender, a moderator of the group, and the app may do this. A poll keeps its question and its
    options once somebody has voted. The answer is a new action
    message in the conversation; the edited message is its `data.entities.on.entity`.
    """
    render = partial(render_edited, call.links)
    view = await edit_message(
        call.runtime, call.app_id, call.actor, message_id, body.edit(), render=render
    )
    return message_shape(view, with_tags=True, is_app=call.actor.is_app)


@operation.delete(
    MESSAGE,
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("deleteMessage", "deleteGroupMessages"),
    errors=ERRORS,
    is_body_optional=True,
)
async def delete_message(
    call: Call,
    message_id: path.MessageId,
    body: DeleteMessage,
) -> MessageShape:
    """Delete a message.

    The sender, a moderator of the group, and the app may do this. Users then see the message
    without its content. The app still sees the content, unless the message is deleted permanently.
    The answer is a new action message in the conversation.
    """
    view = await delete(
        call.runtime,
        call.app_id,
        call.actor.using("deleteMessage"),
        message_id,
        is_permanent=body.permanent,
    )
    return message_shape(view, with_tags=True, is_app=call.actor.is_app)
