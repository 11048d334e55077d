"""Stored messages, reactions and read positions as lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from hubbub.domain.messages.compose import WRITTEN_BY_SERVER
from hubbub.files.links import file_of, file_of_link
from hubbub.moving.compare import key_of
from hubbub.moving.lines import (
    FILE,
    GROWN,
    MessageLine,
    PlainLine,
    ReactionLine,
    ReceiptLine,
)
from hubbub.moving.plain import stored_as
from hubbub.records.attachments.store import list_of_messages
from hubbub.records.conversations.model import GROUP, group_key, user_key
from hubbub.records.conversations.store import find_conversations, find_participants
from hubbub.records.growing.model import FAILED, TextSoFar
from hubbub.records.growing.store import find_texts
from hubbub.records.messages import store
from hubbub.records.messages.actions import read_member_action
from hubbub.records.messages.model import (
    ACTION,
    HAS_ATTACHMENTS,
    IS_GROWING,
    IS_PINNED,
    Message,
)
from hubbub.records.pins.store import find_pin_times
from hubbub.records.reactions.store import find_reactions as find_stored_reactions
from hubbub.rest.messages.wire.send import LONGEST_MUID
from hubbub.storage.interface import Snapshot

WITHOUT_MUID = "hubbub-"
"""Messages that were sent without a muid are moved under one that begins so; their id follows."""
SERVERS_OWN = {*WRITTEN_BY_SERVER} - {GROWN}
"""What the server writes into data, and writes again."""
ELSEWHERE = IS_PINNED | HAS_ATTACHMENTS | IS_GROWING
"""The traits of messages of which other tables say more, as lines do."""
_decode = msgspec.json.Decoder(dict[str, object]).decode


async def find_messages(snapshot: Snapshot, lines: Sequence[MessageLine]) -> dict[str, MessageLine]:
    """Return the stored messages with the keys of the given ones, by key."""
    found = await store.find_by_muid(snapshot, [(line.sender, line.muid) for line in lines])
    whole = [message for message in found.values() if not message.is_erased]
    return {key_of(line): line for line in await message_lines(snapshot, whole)}


async def find_same(snapshot: Snapshot, given: Sequence[tuple[int, PlainLine]]) -> set[int]:
    """Return the numbers of those plain messages that are stored as they are given.

    Messages that were imported together, and in this order, are read by one range of ids.
    """
    _, first = given[0]
    found = await store.find_by_muid(snapshot, [(first.sender, first.muid)])
    if not found:
        return set()
    [begin] = found.values()
    rows = await store.list_whole(snapshot, begin.id, begin.id + len(given) - 1, ELSEWHERE)
    stored = {(row.sender, row.muid): row for row in rows}
    return {
        number for number, line in given if stored.get((line.sender, line.muid)) == stored_as(line)
    }


async def message_lines(snapshot: Snapshot, messages: Sequence[Message]) -> list[MessageLine]:
    """Return the lines of messages, in order."""
    about = await _look_up(snapshot, messages)
    return [_line(message, about) for message in messages]


def muid_of(message: Message) -> str:
    """Return the muid by which a message is moved."""
    if message.muid is None or len(message.muid) > LONGEST_MUID:
        return f"{WITHOUT_MUID}{message.id}"
    return message.muid


def path_of_file(file: str, name: str) -> str:
    """Return where a file lies beside the lines."""
    return f"files/{file}/{name}"


@dataclass(frozen=True, slots=True)
class _About:
    """What other tables say about messages."""

    others: Mapping[int, Message]
    """The messages that they reply to, or quote, and that users still see."""
    pins: Mapping[int, int]
    paths: Mapping[tuple[int, str], str]
    """Where files lie, by message and file."""
    texts: Mapping[int, TextSoFar]
    """The texts of messages that grow."""


async def _look_up(snapshot: Snapshot, messages: Sequence[Message]) -> _About:
    wanted = {id_ for each in messages for id_ in (each.parent_id, each.quoted_id) if id_}
    pinned = [each.id for each in messages if each.traits & IS_PINNED]
    attached = [each.id for each in messages if each.traits & HAS_ATTACHMENTS]
    growing = [each.id for each in messages if each.traits & IS_GROWING]
    others = await store.find_in_conversations(snapshot, sorted(wanted)) if wanted else {}
    files = await list_of_messages(snapshot, attached) if attached else []
    return _About(
        others={id_: each for id_, each in others.items() if not each.is_erased},
        pins=await find_pin_times(snapshot, pinned),
        paths={(each.message, each.id): path_of_file(each.id, each.name) for each in files},
        texts=await find_texts(snapshot, growing) if growing else {},
    )


def _line(message: Message, about: _About) -> MessageLine:
    parent = about.others.get(message.parent_id or 0)
    quoted = about.others.get(message.quoted_id or 0)
    options = _decode(message.options) if message.options else {}
    return MessageLine(
        muid=muid_of(message),
        sender=message.sender,
        receiver_type=message.receiver_type,  # type: ignore[arg-type]  # checked when stored
        receiver=message.receiver,
        sent_at=message.sent_at,
        category=message.category,
        message_type=message.type,
        data=_data(message, about) or None,
        tags=message.tag_list or None,
        parent_muid=muid_of(parent) if parent else None,
        parent_sender=parent.sender if parent else None,
        quoted_muid=muid_of(quoted) if quoted else None,
        quoted_sender=quoted.sender if quoted else None,
        edited_at=message.edited_at,
        deleted_at=message.deleted_at,
        pinned_at=about.pins.get(message.id),
        delivered_at=message.delivered_at,
        read_at=message.read_at,
        update_conversation=options.get("updateConversation"),  # type: ignore[arg-type]
        conversation_text=options.get("conversationText"),  # type: ignore[arg-type]
    )


def _data(message: Message, about: _About) -> dict[str, object]:
    """Return the data of a message, whose files are named by where they lie."""
    if message.category == ACTION:
        done = read_member_action(message.data)
        said = {"action": done.action, "on": done.on, "scope": done.scope}
        fields = {**said, "oldScope": done.old_scope}
        return {name: value for name, value in fields.items() if value is not None}
    data = _decode(message.data)
    if text := about.texts.get(message.id):
        data |= {"text": text.text, GROWN: {"status": FAILED, "appends": text.sequence}}
    for name in SERVERS_OWN & data.keys():
        del data[name]
    attachments = data.get("attachments")
    if isinstance(attachments, list):
        data["attachments"] = [_attachment(each, message.id, about) for each in attachments]
    return data


def _attachment(given: object, message_id: int, about: _About) -> object:
    url = given.get("url") if isinstance(given, dict) else None
    file = (file_of(url) or file_of_link(url, message_id)) if isinstance(url, str) else None
    path = about.paths.get((message_id, file)) if file is not None else None
    if not isinstance(given, dict) or path is None:
        return given
    kept = {name: value for name, value in given.items() if name != "thumbnail"}
    return {**kept, "url": f"{FILE}{path}"}


async def find_reactions(
    snapshot: Snapshot, lines: Sequence[ReactionLine]
) -> dict[str, ReactionLine]:
    """Return the stored reactions with the keys of the given ones, by key."""
    messages = await store.find_by_muid(snapshot, {(line.sender, line.muid) for line in lines})
    of_ids = {message.id: pair for pair, message in messages.items()}
    keys = [
        (messages[line.sender, line.muid].id, line.reaction, line.uid)
        for line in lines
        if (line.sender, line.muid) in messages
    ]
    found = await find_stored_reactions(snapshot, keys)
    stored = [
        ReactionLine(
            sender=of_ids[each.message][0],
            muid=of_ids[each.message][1],
            uid=each.uid,
            reaction=each.reaction,
            at=each.reacted_at,
        )
        for each in found.values()
    ]
    return {key_of(line): line for line in stored}


async def find_receipts(snapshot: Snapshot, lines: Sequence[ReceiptLine]) -> dict[str, ReceiptLine]:
    """Return those of the given lines whose user has read as far, or further, by key."""
    keys = [
        group_key(line.receiver)
        if line.receiver_type == GROUP
        else user_key(line.uid, line.receiver)
        for line in lines
    ]
    conversations = await find_conversations(snapshot, keys)
    messages = await store.find_by_muid(
        snapshot, {(each.sender, each.read_up_to) for each in lines}
    )
    pairs = [
        (conversations[key].number, line.uid)
        for key, line in zip(keys, lines, strict=True)
        if key in conversations
    ]
    participants = await find_participants(snapshot, pairs)
    found: dict[str, ReceiptLine] = {}
    for key, line in zip(keys, lines, strict=True):
        number = conversations[key].number if key in conversations else 0
        message = messages.get((line.sender, line.read_up_to))
        participant = participants.get((number, line.uid))
        if message and participant and participant.read_id >= message.id:
            found[key_of(line)] = line
    return found
