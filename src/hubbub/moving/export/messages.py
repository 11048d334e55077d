"""Write messages with their files, and the reactions to them."""

from collections.abc import AsyncIterator, Sequence
from functools import partial
from operator import attrgetter

from hubbub.files.links import reference
from hubbub.files.names import extension_of
from hubbub.moving.apply.files import attachments_with_files, files_of
from hubbub.moving.compare import SEPARATOR, conversation_of
from hubbub.moving.export.output import encode
from hubbub.moving.export.person_page import BY_CONVERSATION
from hubbub.moving.export.writing import EXPORT, Exporting, Show
from hubbub.moving.lines import FILE, MessageLine, ReactionLine
from hubbub.moving.stored.messages import message_lines, muid_of, path_of_file
from hubbub.records.attachments.store import list_of_messages
from hubbub.records.messages.model import HAS_ATTACHMENTS, HAS_REACTIONS, Message
from hubbub.records.messages.store import (
    find_in_conversations,
    list_carried,
    list_carried_in,
    list_carried_of,
)
from hubbub.records.reactions.model import Reaction
from hubbub.records.reactions.store import list_given
from hubbub.records.reactions.store import list_of_messages as list_reactions_to

Pages = AsyncIterator[Sequence[Message]]
NOT_REFERRED = "references to messages that were deleted permanently"


def pages_of_app(writing: Exporting) -> Pages:
    """Return the messages of an app by age, some at a time."""
    selection = writing.selection
    list_after = partial(list_carried, until=selection.until)
    return writing.pages(list_after, (selection.since, 0), _position)


def pages_of_conversation(writing: Exporting, number: int) -> Pages:
    """Return the messages of a conversation by age, some at a time."""
    selection = writing.selection
    list_after = partial(list_carried_in, conversation=number, until=selection.until)
    return writing.pages(list_after, (selection.since, 0), _position)


_position = attrgetter("sent_at", "id")


def pages_of_sender(writing: Exporting, uid: str) -> Pages:
    """Return what a user sent to groups, some messages at a time."""
    since, until = writing.selection.since, writing.selection.until
    list_after = partial(list_carried_of, sender=uid, since=since, until=until)
    return writing.pages(list_after, 0, attrgetter("id"))


async def write_messages(writing: Exporting, pages: Pages, show: Show, total: int = 0) -> None:
    """Write messages with their files; reactions are sorted to come later, unless one user asks.

    Of one user's data, those are sorted that they gave: see `sort_reactions_of`.
    """
    done = 0
    async for page in pages:
        await _write_page(writing, page)
        if writing.selection.user is None:
            await _sort_reactions_to(writing, page)
        done += len(page)
        show(EXPORT, done, max(done, total) if total else 0)


async def _write_page(writing: Exporting, page: Sequence[Message]) -> None:
    lines = await writing.read(lambda tx: message_lines(tx, page))
    attached = [each.id for each in page if each.traits & HAS_ATTACHMENTS]
    missing: set[str] = set()
    if attached:
        named = {path for line in lines for path in files_of(line)}
        for file in await writing.read(lambda tx: list_of_messages(tx, attached)):
            path = path_of_file(file.id, file.name)
            # An edit may have removed an attachment, whose file the message still holds.
            if path in named and not writing.add_file(file, path):
                missing.add(path)
    for message, line in zip(page, lines, strict=True):
        if missing:
            _restore_references(line, missing)
        has_parent, has_quoted = line.parent_muid is not None, line.quoted_muid is not None
        writing.dropped[NOT_REFERRED] += (message.parent_id is not None) - has_parent
        writing.dropped[NOT_REFERRED] += (message.quoted_id is not None) - has_quoted
        _name_users(writing, line)
        key = f"{message.sent_at:011d}{SEPARATOR}{message.id:019d}"
        writing.put(line, key)
        if writing.selection.user is not None:
            place = f"{line.receiver_type}{SEPARATOR}{conversation_of(line)}{SEPARATOR}{key}"
            writing.sorting.add(BY_CONVERSATION, place, encode(line))


def _restore_references(line: MessageLine, missing: set[str]) -> None:
    """Name files that are missing as the store does: by a link that leads nowhere."""
    for attachment in attachments_with_files(line):
        path = str(attachment["url"]).removeprefix(FILE)
        if path in missing:
            _, file, name = path.split("/", 2)
            attachment["url"] = reference(file, extension_of(name))


def _name_users(writing: Exporting, line: MessageLine) -> None:
    for uid in (line.sender, line.parent_sender, line.quoted_sender):
        if uid is not None:
            writing.name_user(uid)
    if line.category == "action" and isinstance(line.data, dict):
        writing.name_user(str(line.data.get("on", "")))


async def _sort_reactions_to(writing: Exporting, page: Sequence[Message]) -> None:
    messages = {each.id: each for each in page if each.traits & HAS_REACTIONS}
    if not messages:
        return
    list_after = partial(list_reactions_to, message_ids=sorted(messages))
    async for found in writing.pages(list_after, (0, "", ""), attrgetter("key")):
        for each in found:
            writing.name_user(each.uid)
            writing.sort(reaction_line(each, messages[each.message]))


def reaction_line(reaction: Reaction, message: Message) -> ReactionLine:
    """Return the line of a reaction to a message."""
    return ReactionLine(
        muid=muid_of(message),
        sender=message.sender,
        uid=reaction.uid,
        reaction=reaction.reaction,
        at=reaction.reacted_at,
    )


async def sort_reactions_of(writing: Exporting, uid: str) -> None:
    """Sort the reactions that a user gave to messages within the times of the export."""
    since, until = writing.selection.since, writing.selection.until
    position = attrgetter("message", "reaction")
    async for given in writing.pages(partial(list_given, uid=uid), (0, ""), position):
        ids = [each.message for each in given]
        messages = await writing.read(partial(find_in_conversations, message_ids=ids))
        for each in given:
            message = messages.get(each.message)
            if message and not message.is_erased and since <= message.sent_at < until:
                writing.sort(reaction_line(each, message))
