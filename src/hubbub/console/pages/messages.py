"""Messages: the search in all conversations of an app, and one message with its thread."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from hubbub.console import page
from hubbub.console.page import MODERATORS, ChangeMade, PageForm, PageShown, show
from hubbub.console.pages.conversations import Place, PlaceQuery, parse_place
from hubbub.console.shown_messages import place_of, shown_history, shown_message
from hubbub.console.visit import Visit
from hubbub.domain.access.actor import APP
from hubbub.domain.messages import delete
from hubbub.domain.messages.find import (
    History,
    HistoryRequest,
    get_message,
    list_all,
    list_in_thread,
    look_through,
)
from hubbub.domain.messages.history import list_versions
from hubbub.kernel.pages import PageRequest
from hubbub.records.conversations.model import conversation_id
from hubbub.records.history.model import MessageVersion
from hubbub.records.messages.listing import MessageFilter
from hubbub.records.messages.model import Includes, MessageIdNotFound
from hubbub.rest.wire.path import parse_message_id

MESSAGES = "/apps/{app}/messages"
MESSAGE = MESSAGES + "/{message}"
PER_PAGE = 50
LOOKED_THROUGH = 20_000
"""So many messages are looked through at once for those of a sender."""
Text = Annotated[str, msgspec.Meta(max_length=100)]


class MessagesQuery(PageForm):
    """Which messages are wanted; empty fields are no condition."""

    search: Text = ""
    sender: Text = ""
    deleted: Literal["no", "only"] | None = None
    before: Place = ""

    def wanted(self) -> MessageFilter:
        """Return the conditions."""
        return MessageFilter(
            search=self.search,
            sender=self.sender.lower(),
            hide_deleted=self.deleted == "no",
            only_deleted=self.deleted == "only",
        )


class Deletion(PageForm):
    """How a message is deleted."""

    how: Literal["soft", "hard"]


@dataclass(frozen=True, slots=True)
class FormerText:
    """What a message was before an edit: its text, or its data as JSON if it had none."""

    text: str
    by: str
    at: int

    @classmethod
    def of(cls, version: MessageVersion) -> "FormerText":
        """Return what is shown of a version."""
        text = msgspec.json.decode(version.data).get("text")
        shown = text if isinstance(text, str) else version.data
        return cls(shown, version.written_by, version.written_at)


@page.get(MESSAGES, title="Messages", roles=MODERATORS)
async def search_messages(visit: Visit, app: str, query: MessagesQuery) -> PageShown:
    """Search the messages of all conversations; without conditions the latest are shown."""
    cursor = parse_place(query.before)
    request = HistoryRequest(
        wanted=query.wanted(),
        limit=PER_PAGE,
        is_before=True,
        id=cursor.id if cursor else None,
        sent_at=cursor.sent_at if cursor else None,
    )
    given = {name: text for name, text in msgspec.to_builtins(query).items() if text}
    given.pop("before", None)
    await visit.look("message.search", query.sender, after=given)
    history = await _find(visit, app, request)
    return show(
        "messages.html",
        messages=shown_history(visit, history)[::-1],
        is_incomplete=history.is_incomplete,
        looked_through=LOOKED_THROUGH,
        older=place_of(history.older),
        query=query,
        given=given,
    )


async def _find(visit: Visit, app: str, request: HistoryRequest) -> History:
    """Return a page; no index finds the messages of a sender among those of all conversations."""
    wanted = request.wanted
    if wanted.search or not wanted.sender:
        return await list_all(visit.runtime, app, APP, request)
    return await look_through(visit.runtime, app, request, count=LOOKED_THROUGH)


@page.get(MESSAGE, title="Message", roles=MODERATORS)
async def show_message(visit: Visit, app: str, message: str, query: PlaceQuery) -> PageShown:
    """Show a message with all that is stored with it, and the replies to it."""
    number, cursor = parse_message_id(message), query.cursor()
    request = HistoryRequest(
        wanted=MessageFilter(),
        limit=PER_PAGE,
        is_before=bool(query.before),
        id=cursor.id if cursor else None,
        sent_at=cursor.sent_at if cursor else None,
        includes=Includes(),
    )
    await visit.look("message.read", str(number))
    view = await get_message(visit.runtime, app, APP, number)
    replies = await list_in_thread(visit.runtime, app, APP, number, request)
    is_edited = view.message.edited_at is not None
    return show(
        "message.html",
        title=f"Message {number}",
        shown=shown_message(visit, view),
        versions=await _versions(visit, app, number) if is_edited else [],
        replies=shown_history(visit, replies),
        older=place_of(replies.older),
        newer=place_of(replies.newer),
    )


async def _versions(visit: Visit, app: str, number: int) -> list[FormerText]:
    """Return what an edited message was before, the newest first; held ones have no history."""
    with suppress(MessageIdNotFound):
        found = await list_versions(visit.runtime, app, APP, number, PageRequest(1, PER_PAGE))
        return [FormerText.of(each) for each in found.items]
    return []


@page.post(MESSAGE + "/delete", roles=MODERATORS, back=MESSAGE)
async def delete_message(visit: Visit, app: str, message: str, form: Deletion) -> ChangeMade:
    """Delete a message: softly, so that only the app still sees it, or for good."""
    number, is_hard = parse_message_id(message), form.how == "hard"
    found = (await get_message(visit.runtime, app, APP, number)).message
    await visit.change(
        "message.erase" if is_hard else "message.delete",
        str(number),
        lambda runtime: delete.delete_message(runtime, app, APP, number, is_permanent=is_hard),
    )
    if not is_hard:
        return ChangeMade("The message is deleted: nobody in the conversation sees it any more.")
    where = page.quote_part(conversation_id(found.key))
    return ChangeMade("The message is erased.", to=f"/apps/{app}/conversations/{where}")
