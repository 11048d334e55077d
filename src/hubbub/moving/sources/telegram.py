"""Telegram: the file result.json of Telegram Desktop, of one chat or of an account."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from hubbub.moving.lines import FILE
from hubbub.moving.sources.interface import Broken, Reading, Row, SourceUnreadable
from hubbub.moving.sources.json_stream import BEGINS, BrokenJson, first_keys, read_parts
from hubbub.moving.sources.people import KnownPeople
from hubbub.moving.sources.rows import (
    NO_OBJECT,
    REST_BROKEN,
    Attached,
    Named,
    Rows,
    Said,
    SourcePlace,
    To,
    broken,
)
from hubbub.moving.sources.senders import Senders
from hubbub.moving.sources.uids import Uids
from hubbub.moving.sources.values import (
    Object,
    object_of,
    objects_of,
    seconds_of,
    seconds_of_date,
    text_of,
    whole_of,
)
from hubbub.moving.tree import Tree

_FILE = "result.json"
_LISTS = ("chats.list.item", "left_chats.list.item")
_OWNER = "personal_information"
_ONE_TO_ONE = {"personal_chat", "bot_chat"}
_SAVED = {"saved_messages", "replies", "verification_codes"}
_GROUPS = {
    "private_group": "private",
    "private_supergroup": "private",
    "private_channel": "private",
    "public_group": "public",
    "public_supergroup": "public",
    "public_channel": "public",
}
_TYPES = {*_ONE_TO_ONE, *_SAVED, *_GROUPS}
_DELETED_ACCOUNT = "Deleted account"
_MARKS = {"bold": "**", "italic": "_", "strikethrough": "~~", "code": "`"}
_BLOCKS = {"pre", "blockquote"}
"""The kinds of marked texts that have lines of their own."""
_MEDIA = ("photo", "file")
_LEFT_OUT = re.compile(r"\((?:File|Photo) (?:not included|unavailable|exceeds)")


@dataclass(slots=True)
class _TelegramChat:
    """A chat while its messages are read; its fields come before them."""

    id: str = ""
    name: str = ""
    type: str = ""
    to_group: To | None = None
    other: str = ""
    is_begun: bool = False
    senders: Senders = field(default_factory=Senders)
    members: set[str] = field(default_factory=set)

    def muid(self, number: int) -> str:
        return f"{self.type.partition('_')[2] or 'chat'}-{self.id}-{number}"


class Telegram:
    """The folder that Telegram Desktop exports in the format JSON, or its file result.json."""

    name = "telegram"
    title = "Telegram"

    def detect(self, tree: Tree) -> bool:
        return any(_is_export(tree, name) for name in _candidates(tree))

    def read(self, tree: Tree, reading: Reading) -> Iterator[Row | Broken]:
        found = [name for name in _candidates(tree) if _is_export(tree, name)]
        if not found:
            raise SourceUnreadable(
                f"{tree.name} has no {_FILE} of Telegram. Export with Telegram Desktop in the"
                " format “Machine-readable JSON”, and give the folder that it makes."
            )
        yield from _AccountChats(tree, reading, found).read()


def _candidates(tree: Tree) -> list[str]:
    names = tree.names()
    if len(names) == 1:
        return [name for name in names if name.endswith(".json")]
    return [name for name in names if name.rpartition("/")[2] == _FILE]


def _is_export(tree: Tree, name: str) -> bool:
    keys = first_keys(tree, name)
    if "messages" in keys:
        return keys.get("type") in _TYPES and "id" in keys
    return _OWNER in keys or {"about", "chats"} <= keys.keys()


class _AccountChats:
    def __init__(self, tree: Tree, reading: Reading, names: list[str]) -> None:
        self._tree = tree
        self._reading = reading
        self._names = names
        self._rows = Rows(tree, reading)
        self._people = KnownPeople(self._rows)
        self._uids = Uids()
        self._groups: set[str] = set()
        self._owner = ""

    def read(self) -> Iterator[Row | Broken]:
        for name in self._names:
            self._owner = self._find_owner(name) or self._owner
            yield from self._chats(name)
        yield from self._people.strangers()

    def _find_owner(self, name: str) -> str:
        """Return the uid of whose account it is; an empty text if the file does not say it.

        Without a description it is who is not the other one in a chat of two.
        """
        place, seen = SourcePlace(name, 1), dict[str, str]()
        fields = ("type", "id", "messages.item.from", "messages.item.from_id")
        wanted = {_OWNER, *_paths(*fields)}
        with self._tree.open(name) as file, suppress(BrokenJson):
            for path, value in read_parts(file, wanted, _LISTS):
                if path == _OWNER and (owner := self._described_owner(place, object_of(value))):
                    return owner
                if value is BEGINS:
                    seen = {}
                    continue
                part = path.rpartition(".")[2]
                seen[part] = text_of(value)
                is_of_two = seen.get("type") in _ONE_TO_ONE and bool(seen.get("id"))
                if part == "type" and path == part and not is_of_two and "id" in seen:
                    return ""
                if part == "from_id" and is_of_two and seen[part] != f"user{seen['id']}":
                    return self._met(place, seen[part], seen.get("from", ""))
        return ""

    def _described_owner(self, place: SourcePlace, about: Object) -> str:
        id_ = text_of(about.get("user_id"))
        if not id_:
            return ""
        names = text_of(about.get("first_name")), text_of(about.get("last_name"))
        return self._met(place, f"user{id_}", " ".join(filter(None, names)))

    def _chats(self, name: str) -> Iterator[Row | Broken]:
        """Yield the rows of all chats of a file."""
        folder, slash, _ = name.rpartition("/")
        chat, number = _TelegramChat(), 0
        wanted = _paths("id", "name", "type", "messages.item")
        with self._tree.open(name) as file:
            try:
                for path, value in read_parts(file, wanted, _LISTS, self._reading):
                    part = path.rpartition(".")[2]
                    if value is BEGINS:
                        chat = _TelegramChat()
                    elif part != "item":
                        if not chat.is_begun:
                            setattr(chat, part, text_of(value))
                    else:
                        number += 1
                        place = SourcePlace(name, number)
                        yield from self._begun(place, chat)
                        if isinstance(value, dict):
                            yield from self._message(place, folder + slash, chat, value)
                        else:
                            yield broken(place, NO_OBJECT, value)
            except BrokenJson as fault:
                yield broken(SourcePlace(name, number + 1), f"{REST_BROKEN}: {fault}.")

    def _begun(self, place: SourcePlace, chat: _TelegramChat) -> Iterator[Row]:
        """Yield the row of the group that a chat is, before its first message."""
        if chat.is_begun:
            return
        chat.is_begun = True
        chat.id = chat.id or "0"
        if chat.type in _ONE_TO_ONE:
            is_bot = True if chat.type == "bot_chat" else None
            chat.other = self._met(place, f"user{chat.id}", chat.name, isBot=is_bot)
            return
        if chat.type in _SAVED:
            return
        kind = "group" if chat.type.endswith("_group") else "channel"
        guid = self._uids.of(f"{kind}{chat.id}")
        chat.to_group = To("group", guid)
        if guid not in self._groups:
            self._groups.add(guid)
            yield self._rows.group(place, guid, chat.name, _GROUPS.get(chat.type, "private"))

    def _met(self, place: SourcePlace, id_: str, name: str = "", **fields: Any) -> str:
        return self._people.met(place, self._uids.of(id_), name or _DELETED_ACCOUNT, **fields)

    def _own(self, place: SourcePlace) -> str:
        """Return the uid of whose account it is; if they never wrote, one that stands for them."""
        self._owner = self._owner or self._met(place, "owner", "Owner of the export")
        return self._owner

    # --- Messages

    def _message(
        self, place: SourcePlace, folder: str, chat: _TelegramChat, message: Object
    ) -> Iterator[Row | Broken]:
        kind = text_of(message.get("type"))
        if kind != "message":
            is_unknown = kind == "unsupported"
            self._reading.drop(
                "messages that the export has no text of" if is_unknown else "system messages"
            )
            return
        number, from_id = whole_of(message.get("id")), text_of(message.get("from_id"))
        if number is None or not from_id:
            yield broken(place, "The message has no id or no author (from_id).", message)
            return
        sender = self._met(place, from_id, text_of(message.get("from")))
        named = (sender, chat.muid(number))
        said = Said(
            muid=named[1],
            sender=sender,
            to=self._to(place, chat, sender),
            sent_at=self._time(message, "date"),
            text=self._text(place, message),
            attached=list(self._attached(folder, message)),
            quoted=self._quoted(chat, message),
            edited_at=self._time(message, "edited") if "edited" in message else None,
        )
        rows = list(self._rows.message(place, said))
        if not rows:
            return
        yield from rows
        chat.senders.add(number, sender)
        yield from self._joined(place, chat, sender)
        yield from self._reactions(place, chat, named, message)

    def _to(self, place: SourcePlace, chat: _TelegramChat, sender: str) -> To:
        if chat.to_group is not None:
            return chat.to_group
        if chat.type in _SAVED:
            return To("user", sender)
        return To("user", chat.other if sender != chat.other else self._own(place))

    def _joined(self, place: SourcePlace, chat: _TelegramChat, uid: str) -> Iterator[Row]:
        """Yield a member of a group who occurs first: exports have no lists of members."""
        if chat.to_group is not None and uid not in chat.members:
            chat.members.add(uid)
            yield self._rows.member(place, chat.to_group.receiver, uid)

    def _time(self, message: Object, name: str) -> Any:
        """Return a time; older exports have only the local time of where they were made."""
        if (seconds := message.get(f"{name}_unixtime")) is not None:
            return seconds_of(seconds)
        return seconds_of_date(message.get(name), self._reading.timezone)

    def _quoted(self, chat: _TelegramChat, message: Object) -> Named | None:
        number = whole_of(message.get("reply_to_message_id"))
        if number is None:
            return None
        in_other = "reply_to_peer_id" in message
        sender = None if in_other else chat.senders.find(number)
        if sender is None:
            self._reading.drop("quotes of messages that are not in the export")
            return None
        return sender, chat.muid(number)

    def _reactions(
        self, place: SourcePlace, chat: _TelegramChat, to: Named, message: Object
    ) -> Iterator[Row]:
        for each in objects_of(message.get("reactions")):
            emoji, count = text_of(each.get("emoji")), whole_of(each.get("count")) or 0
            if not emoji:
                self._reading.drop("reactions with custom emoji or stars", count or 1)
                continue
            named = [one for one in objects_of(each.get("recent")) if text_of(one.get("from_id"))]
            for one in {text_of(one.get("from_id")): one for one in named}.values():
                uid = self._met(place, text_of(one.get("from_id")), text_of(one.get("from")))
                at = self._time(one, "date") if one.get("date") else None
                yield from self._joined(place, chat, uid)
                yield self._rows.reaction(place, to, uid, emoji, at)
            if count > len(named):
                unnamed = "reactions of which the export does not say by whom"
                self._reading.drop(unnamed, count - len(named))

    # --- What a message says

    def _text(self, place: SourcePlace, message: Object) -> str:
        forwarded = text_of(message.get("forwarded_from"))
        parts = [
            f"_Forwarded from {forwarded}:_" if forwarded else "",
            self._marked(place, message),
            *_described(message),
        ]
        return "\n\n".join(filter(str.strip, parts))

    def _marked(self, place: SourcePlace, message: Object) -> str:
        """Return the text as Markdown: a text, or a list of texts and of marked ones."""
        text = message.get("text") or message.get("text_entities")
        if not isinstance(text, list):
            return text_of(text)
        marked = ""
        for part in text:
            is_block = text_of(object_of(part).get("type")) in _BLOCKS
            between = "\n" if is_block and marked and not marked.endswith("\n") else ""
            marked += between + self._part(place, part)
        return marked

    def _part(self, place: SourcePlace, part: Any) -> str:
        if not isinstance(part, dict):
            return text_of(part)
        kind, text = text_of(part.get("type")), text_of(part.get("text"))
        if kind == "mention_name" and (id_ := text_of(part.get("user_id"))):
            return f"<@uid:{self._met(place, f'user{id_}', text.removeprefix('@'))}>"
        if kind == "text_link" and (link := text_of(part.get("href"))):
            return f"[{text}]({link})"
        if kind == "pre":
            return f"```{text_of(part.get('language'))}\n{text}\n```\n"
        if kind == "blockquote":
            return "\n".join(f"> {line}" for line in text.splitlines()) + "\n"
        return _between(text, _MARKS.get(kind, ""))

    def _attached(self, folder: str, message: Object) -> Iterator[Attached]:
        for kind in _MEDIA:
            path = text_of(message.get(kind))
            if not path:
                continue
            name = text_of(message.get("file_name")) or path.rpartition("/")[2]
            if not self._tree.has(folder + path):
                self._reading.drop("files that are not in the export")
                continue
            yield Attached(
                FILE + folder + path,
                name,
                text_of(message.get("mime_type")),
                width=whole_of(message.get("width")),
                height=whole_of(message.get("height")),
            )


def _paths(*fields: str) -> set[str]:
    """Return the paths of fields of chats: of the one chat of a file, or of lists."""
    return {*fields, *(f"{path}.{each}" for path in _LISTS for each in fields)}


def _between(text: str, mark: str) -> str:
    """Return a text between marks, which stand next to its words: spaces stay outside."""
    inner = text.strip()
    if not mark or not inner:
        return text
    before, _, after = text.partition(inner)
    return f"{before}{mark}{inner}{mark}{after}"


def _described(message: Object) -> Iterator[str]:
    """Yield what a message has beside a text and files: places, contacts, polls and games."""
    place = object_of(message.get("location_information"))
    if place or message.get("place_name"):
        at = [str(place[each]) for each in ("latitude", "longitude") if each in place]
        named = [text_of(message.get("place_name")), text_of(message.get("address")), ", ".join(at)]
        yield "📍 " + ", ".join(filter(None, named))
    if contact := object_of(message.get("contact_information")):
        fields = ("first_name", "last_name", "phone_number")
        yield "👤 " + " ".join(filter(None, (text_of(contact.get(each)) for each in fields)))
    if poll := object_of(message.get("poll")):
        answers = (
            f"- {text_of(each.get('text'))}: {whole_of(each.get('voters')) or 0}"
            for each in objects_of(poll.get("answers"))
        )
        yield "\n".join(["📊 " + text_of(poll.get("question")), *answers])
    if title := text_of(message.get("game_title")):
        yield f"🎮 {title}"
    if title := text_of(object_of(message.get("invoice_information")).get("title")):
        yield f"🧾 {title}"
    for kind in _MEDIA:
        if _LEFT_OUT.search(text_of(message.get(kind))):
            yield "📎 " + (text_of(message.get("file_name")) or kind)
