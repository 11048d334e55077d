"""The shapes of reactions."""

from typing import Annotated, Literal

from msgspec import Meta

from hubbub.domain.reactions.find import Reactions, ReactionView, Stretch
from hubbub.domain.views.users import UserView
from hubbub.http.decode import parse_message_id
from hubbub.http.operation import Envelope
from hubbub.rest.messages.wire.messages import Current, MessageId
from hubbub.rest.wire.shapes import Shape


class ReactedBy(Shape, kw_only=True):
    """Who gave a reaction."""

    uid: str
    name: str
    avatar: str | None = None
    link: str | None = None
    status: str
    role: str
    created_at: int
    last_active_at: int | None = None
    conversation_id: str | None = None


class GivenReaction(Shape, kw_only=True):
    """Somebody's reaction to a message."""

    id: str
    message_id: str
    reaction: str
    uid: str
    reacted_at: int
    reacted_by: ReactedBy


class ListReactions(Shape):
    """Which reactions, and from where."""

    limit: Annotated[int, Meta(ge=1, le=1000)] = 100
    affix: Literal["append", "prepend"] = "append"
    id: MessageId | None = None

    def stretch(self) -> Stretch:
        return Stretch(
            limit=self.limit,
            is_before=self.affix == "prepend",
            id=None if self.id is None else parse_message_id(self.id),
        )


class ReactionCursor(Shape):
    """Where a list of reactions goes on, as query parameters."""

    affix: Literal["append", "prepend"]
    id: str


class ReactionsMeta(Shape):
    """About a stretch of reactions; `previous` is older, `next` newer, where there is more."""

    current: Current
    previous: ReactionCursor | None = None
    next: ReactionCursor | None = None


class ReactionList(Envelope):
    """A stretch of the reactions to a message, ascending."""

    data: list[GivenReaction]
    meta: ReactionsMeta


def reaction_list(found: Reactions) -> ReactionList:
    """A stretch of reactions as the interface shows it."""
    rows = [_given(each) for each in found.items]
    return ReactionList(
        data=rows,
        meta=ReactionsMeta(
            current=Current(limit=found.limit, count=len(rows)),
            previous=ReactionCursor(affix="prepend", id=rows[0].id) if found.has_older else None,
            next=ReactionCursor(affix="append", id=rows[-1].id) if found.has_newer else None,
        ),
    )


def _given(seen: ReactionView) -> GivenReaction:
    reaction = seen.reaction
    return GivenReaction(
        id=str(reaction.number),
        message_id=str(reaction.message),
        reaction=reaction.reaction,
        uid=reaction.uid,
        reacted_at=reaction.reacted_at,
        reacted_by=_reacted_by(seen.by),
    )


def _reacted_by(seen: UserView) -> ReactedBy:
    user = seen.user
    return ReactedBy(
        uid=user.uid,
        name=user.name,
        avatar=user.avatar,
        link=user.link,
        status=user.status,
        role=user.role,
        created_at=user.created_at,
        last_active_at=user.last_active_at,
        conversation_id=seen.relation.conversation_id,
    )
