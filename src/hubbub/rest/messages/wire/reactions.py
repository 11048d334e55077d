"""The shapes of reactions."""

from typing import Annotated

from hubbub.domain.reactions.find import ReactionView
from hubbub.domain.views.users import UserView
from hubbub.http.documented import documented_as
from hubbub.kernel.pages import Slice
from hubbub.rest.wire.enums import UserStatus
from hubbub.rest.wire.shapes import Shape
from hubbub.rest.wire.slices import SliceList, slice_list


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
