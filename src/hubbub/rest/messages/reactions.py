"""`/messages/{id}/reactions`: read the request, call the domain, write the answer."""

from typing import Annotated

from hubbub.domain.access.permissions import ScopeForbids
from hubbub.domain.messages.find import get_message
from hubbub.domain.reactions import find
from hubbub.domain.reactions.find import ReactionView
from hubbub.domain.reactions.react import REACT, ReactionRequest
from hubbub.domain.views.users import UserView
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.documented import documented_as
from hubbub.http.operation import Acting
from hubbub.kernel.pages import Slice
from hubbub.records.blocks.model import BlockedReceiver, BlockedSender
from hubbub.records.messages.model import MessageActionNotAllowed, MessageIdNotFound
from hubbub.records.reactions.model import TooManyReactions
from hubbub.records.users.model import UidNotFound
from hubbub.rest.messages.messages import TAG
from hubbub.rest.messages.wire.message import MessageShape, message_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.enums import UserStatus
from hubbub.rest.wire.shapes import Shape
from hubbub.rest.wire.slices import SliceList, SliceQuery, slice_list


class ReactedBy(Shape, kw_only=True):
    """The user who gave a reaction."""

    uid: str
    name: str
    avatar: str | None = None
    link: str | None = None
    status: Annotated[str, documented_as(UserStatus)]
    role: str
    created_at: int
    last_active_at: int | None = None
    conversation_id: str | None = None


class GivenReaction(Shape, kw_only=True):
    """A user's reaction to a message."""

    id: str
    message_id: str
    reaction: str
    uid: str
    reacted_at: int
    reacted_by: ReactedBy


ReactionList = SliceList[GivenReaction]


def reaction_list(found: Slice[ReactionView]) -> ReactionList:
    """Return the answer for a slice of reactions."""
    return slice_list(found, [_given_reaction(each) for each in found.items])


def _given_reaction(view: ReactionView) -> GivenReaction:
    reaction = view.reaction
    return GivenReaction(
        id=str(reaction.number),
        message_id=str(reaction.message),
        reaction=reaction.reaction,
        uid=reaction.uid,
        reacted_at=reaction.reacted_at,
        reacted_by=_reacted_by(view.by),
    )


def _reacted_by(view: UserView) -> ReactedBy:
    user = view.user
    return ReactedBy(
        uid=user.uid,
        name=user.name,
        avatar=user.avatar,
        link=user.link,
        status=user.status,
        role=user.role,
        created_at=user.created_at,
        last_active_at=user.last_active_at,
        conversation_id=view.relation.conversation_id,
    )


REACTIONS = "/messages/{id}/reactions"
REACTION = "/messages/{id}/reactions/{reaction}"
ERRORS = (UidNotFound, MessageIdNotFound, ScopeForbids)
REACTING = (MessageActionNotAllowed, BlockedSender, BlockedReceiver)


@operation.get(REACTIONS, tag=TAG, acting=Acting.OPTIONAL, errors=ERRORS)
async def list_all_reactions(
    call: Call,
    message_id: path.MessageId,
    query: SliceQuery,
) -> ReactionList:
    """List the reactions to a message, in the order in which they were given.

    Each entry is the reaction of one user, with the time. The message itself has only the counts,
    as `data.reactions`.
    """
    found = await find.list_reactions(
        call.runtime, call.app_id, call.actor, message_id, query.request()
    )
    return reaction_list(found)


@operation.get(REACTION, tag=TAG, acting=Acting.OPTIONAL, errors=ERRORS)
async def get_message_reactions(
    call: Call,
    message_id: path.MessageId,
    reaction: path.Reaction,
    query: SliceQuery,
) -> ReactionList:
    """List the users who gave one reaction to a message.

    The reaction is percent-encoded in the path, such as `%F0%9F%91%8D` for a thumb. Each entry
    has the user and the time.
    """
    found = await find.list_reactions(
        call.runtime, call.app_id, call.actor, message_id, query.request(), reaction
    )
    return reaction_list(found)


@operation.post(
    REACTION, tag=TAG, acting=Acting.REQUIRED, errors=(*ERRORS, *REACTING, TooManyReactions)
)
async def add_message_reactions(
    call: Call,
    message_id: path.MessageId,
    reaction: path.Reaction,
) -> MessageShape:
    """Add a reaction to a message; one that the acting user has given already stays.

    A user may give several different ones. Others who see the message hear
    `message_reaction_added`.
    """
    return await _react(call, ReactionRequest(call.actor, message_id, reaction))


@operation.delete(REACTION, tag=TAG, acting=Acting.REQUIRED, errors=(*ERRORS, *REACTING))
async def remove_message_reactions(
    call: Call,
    message_id: path.MessageId,
    reaction: path.Reaction,
) -> MessageShape:
    """Remove a reaction from a message, if the acting user has given it.

    Others who see the message hear `message_reaction_removed`.
    """
    return await _react(call, ReactionRequest(call.actor, message_id, reaction, is_removal=True))


async def _react(call: Call, wanted: ReactionRequest) -> MessageShape:
    await REACT.call(call.runtime.batches, call.app_id, wanted)
    view = await get_message(call.runtime, call.app_id, call.actor, wanted.message_id)
    return message_shape(view, with_tags=True, is_app=False)
