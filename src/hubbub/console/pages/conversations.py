"""Conversations, read as a chat: the latest ones or those of a user, and the messages of one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec

from hubbub.console import page
from hubbub.console.page import MODERATORS, PageForm, PageShown, show
from hubbub.console.shown_messages import place_of, shown_history
from hubbub.console.visit import Visit
from hubbub.domain.access.actor import APP, Actor
from hubbub.domain.conversations import find
from hubbub.domain.messages.find import HistoryRequest, list_all
from hubbub.kernel.errors import BadInput
from hubbub.kernel.pages import Page, PageRequest
from hubbub.records.conversations.listing import ConversationFilter
from hubbub.records.conversations.model import ConversationKey, conversation_id
from hubbub.records.messages.listing import MessageCursor, MessageFilter
from hubbub.records.messages.model import Includes
from hubbub.records.users.model import UidNotFound

CONVERSATIONS = "/apps/{app}/conversations"
CONVERSATION = CONVERSATIONS + "/{conversation}"
PER_PAGE = 50
LATEST = 300
"""The conversations of so many of the latest messages are listed."""
LONGEST_PLACE = 40
Place = Annotated[str, msgspec.Meta(max_length=LONGEST_PLACE)]


class ConversationsQuery(PageForm):
    """Whose conversations are wanted; without a uid the latest of all."""

    user: Annotated[str, msgspec.Meta(max_length=100)] = ""
    page: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 1


class PlaceQuery(PageForm):
    """From where a history is read: before a place, or after one."""

    before: Place = ""
    after: Place = ""

    @property
    def is_before(self) -> bool:
        return not self.after

    def cursor(self) -> MessageCursor | None:
        """Return the place; None is the end of the history.

        Raises:
            BadInput: it is none.
        """
        return parse_place(self.after or self.before)


@dataclass(frozen=True, slots=True)
class ListedConversation:
    """A conversation of a list."""

    key: ConversationKey
    at: int
    """When the latest message was sent, in seconds."""

    @property
    def id(self) -> str:
        return conversation_id(self.key)


def parse_place(text: str) -> MessageCursor | None:
    """Return a position in a history from text; None of an empty one.

    Raises:
        BadInput: it is none.
    """
    if not text:
        return None
    at, _, id_ = text.partition("-")
    if not all(each.isascii() and each.isdecimal() and len(each) < 17 for each in (at, id_)):
        raise BadInput.field("before", "The place must be like 1764250000-17.")
    return MessageCursor(int(at), int(id_))


@page.get(CONVERSATIONS, title="Conversations", roles=MODERATORS)
async def list_conversations(visit: Visit, app: str, query: ConversationsQuery) -> PageShown:
    """List conversations, without what was said in them."""
    listed, found = await (
        _of_user(visit, app, query) if query.user else _latest(visit, app, query)
    )
    return show("conversations.html", listed=listed, page=found, query=query)


async def _of_user(
    visit: Visit, app: str, query: ConversationsQuery
) -> tuple[Sequence[ListedConversation], Page[find.ConversationView] | None]:
    request = PageRequest(query.page, PER_PAGE)
    actor, wanted = Actor(query.user.lower()), ConversationFilter(with_blocked=True)
    try:
        found = await find.list_conversations(visit.runtime, app, actor, wanted, request)
    except UidNotFound:
        return [], None
    each = [view.listed.conversation for view in found.items]
    return [ListedConversation(one.key, one.updated_at) for one in each], found


async def _latest(
    visit: Visit, app: str, query: ConversationsQuery
) -> tuple[Sequence[ListedConversation], None]:
    request = HistoryRequest(wanted=MessageFilter(), limit=LATEST, is_before=True)
    history = await list_all(visit.runtime, app, APP, request)
    messages = history.page.messages if history.page else ()
    latest = {each.key: each.sent_at for each in messages}
    ordered = sorted(latest.items(), key=lambda each: each[1], reverse=True)
    return [ListedConversation(*each) for each in ordered], None


@page.get(CONVERSATION, title="Conversation", roles=MODERATORS)
async def show_conversation(
    visit: Visit, app: str, conversation: str, query: PlaceQuery
) -> PageShown:
    """Show messages of a conversation as a chat."""
    cursor = query.cursor()
    request = HistoryRequest(
        wanted=MessageFilter(),
        limit=PER_PAGE,
        is_before=query.is_before,
        id=cursor.id if cursor else None,
        sent_at=cursor.sent_at if cursor else None,
        includes=Includes(parents=True),
    )
    await visit.look("conversation.read", conversation)
    history = await list_all(visit.runtime, app, APP, request, conversation)
    return show(
        "conversation.html",
        title=conversation,
        conversation=conversation,
        messages=shown_history(visit, history),
        older=place_of(history.older),
        newer=place_of(history.newer),
        guid=conversation.removeprefix("group_") if conversation.startswith("group_") else "",
    )
