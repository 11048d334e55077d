"""Votes in polls: read the request, call the domain, write the answer."""

from typing import Annotated

from msgspec import Meta

from hubbub.domain.messages.find import get_message
from hubbub.domain.polls import find
from hubbub.domain.polls.close import close_poll
from hubbub.domain.polls.find import VoteView
from hubbub.domain.polls.vote import VOTE, VoteRequest
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting
from hubbub.kernel.pages import Slice
from hubbub.records.blocks.model import BlockedReceiver, BlockedSender
from hubbub.records.messages.model import MessageActionNotAllowed, MessageIdNotFound
from hubbub.records.polls.model import (
    MOST_OPTIONS,
    NotAPoll,
    PollIsClosed,
    VotesAreAnonymous,
    options_in,
)
from hubbub.records.users.model import UidNotFound
from hubbub.rest.messages.changes import ERRORS as CHANGING
from hubbub.rest.messages.messages import TAG
from hubbub.rest.messages.wire.entities import UserEntity, user_entity
from hubbub.rest.messages.wire.message import MessageShape, message_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Shape
from hubbub.rest.wire.slices import SliceList, SliceQuery, slice_list

OptionNumber = Annotated[
    int,
    Meta(ge=0, lt=MOST_OPTIONS, description="The number of an option of the poll, from 0."),
]


class VoteInPoll(Shape):
    """The options for which the acting user votes."""

    options: Annotated[
        list[OptionNumber],
        Meta(
            min_length=1,
            max_length=MOST_OPTIONS,
            description="The numbers of options of the poll, from 0: all that the user votes for.",
        ),
    ]


class VoteQuery(SliceQuery):
    """A slice of the votes, of all or for one option."""

    option: OptionNumber | None = None


class GivenVote(Shape, kw_only=True):
    """The votes of a user in a poll."""

    id: str
    message_id: str
    uid: str
    options: Annotated[list[OptionNumber], Meta(description="What the user has voted for.")]
    voted_at: int
    voted_by: UserEntity


VoteList = SliceList[GivenVote]
VOTES = "/messages/{id}/votes"
ERRORS = (UidNotFound, MessageIdNotFound, NotAPoll)
VOTING = (*ERRORS, MessageActionNotAllowed, BlockedSender, BlockedReceiver, PollIsClosed)


@operation.get(
    VOTES, tag=TAG, acting=Acting.OPTIONAL, errors=(*ERRORS, VotesAreAnonymous), is_own=True
)
async def list_poll_votes(
    call: Call,
    message_id: path.MessageId,
    query: VoteQuery,
) -> VoteList:
    """List who has voted in a poll, in the order in which they did.

    With `option`, only who has voted for that one. Nobody is told it of an anonymous poll. The
    message itself has only the counts, as `data.poll`.
    """
    found = await find.list_votes(
        call.runtime, call.app_id, call.actor, message_id, query.request(), query.option
    )
    return _vote_list(found)


def _vote_list(found: Slice[VoteView]) -> VoteList:
    return slice_list(
        found,
        [
            GivenVote(
                id=str(each.vote.number),
                message_id=str(each.vote.message),
                uid=each.vote.uid,
                options=options_in(each.vote.options),
                voted_at=each.vote.voted_at,
                voted_by=user_entity(each.by),
            )
            for each in found.items
        ],
    )


@operation.post(VOTES, tag=TAG, acting=Acting.REQUIRED, errors=VOTING, is_own=True)
async def vote_in_poll(call: Call, message_id: path.MessageId, body: VoteInPoll) -> MessageShape:
    """Vote in a poll: for these options, and for no others.

    They replace what the acting user has voted for before, so a repeated call changes nothing.
    There may be up to `votesPerUser` of them. All who see the message hear `poll_updated` with the
    new counts, at most once a second; the user's own sessions hear `poll_voted` at once.
    """
    return await _vote(call, VoteRequest(call.actor, message_id, frozenset(body.options)))


@operation.delete(VOTES, tag=TAG, acting=Acting.REQUIRED, errors=VOTING, is_own=True)
async def take_votes_back(call: Call, message_id: path.MessageId) -> MessageShape:
    """Take back all votes of the acting user in a poll, while it is open.

    The events are those of a vote.
    """
    return await _vote(call, VoteRequest(call.actor, message_id))


async def _vote(call: Call, wanted: VoteRequest) -> MessageShape:
    await VOTE.call(call.runtime.batches, call.app_id, wanted)
    view = await get_message(call.runtime, call.app_id, call.actor, wanted.message_id)
    return message_shape(view, with_tags=True, is_app=False)


@operation.post(
    "/messages/{id}/votes/close",
    tag=TAG,
    acting=Acting.OPTIONAL,
    errors=(*CHANGING, NotAPoll),
    is_own=True,
)
async def close_message_poll(call: Call, message_id: path.MessageId) -> MessageShape:
    """Close a poll before its time: nobody may vote any more.

    Its author may, the moderators of its group, and the app. A poll with `closesAt` closes by
    itself. All who see the message hear `poll_closed`, once.
    """
    await close_poll(call.runtime, call.app_id, call.actor, message_id)
    view = await get_message(call.runtime, call.app_id, call.actor, message_id)
    return message_shape(view, with_tags=True, is_app=call.actor.is_app)
