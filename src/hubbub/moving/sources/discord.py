"""Discord: the JSON files that DiscordChatExporter writes, one for each channel and thread."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from hubbub.moving.lines import FILE
from hubbub.moving.sources.interface import Broken, Reading, Row, SourceUnreadable
from hubbub.moving.sources.json_stream import BrokenJson, first_keys, read_parts
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
    is_link,
    short_text,
)
from hubbub.moving.sources.senders import Senders
from hubbub.moving.sources.uids import Uids
from hubbub.moving.sources.values import (
    Object,
    object_of,
    objects_of,
    seconds_of_date,
    text_of,
    whole_of,
)
from hubbub.moving.tree import Tree

_ASSETS = ".json_Files/"
_MOST_LOOKED_AT = 20
_MESSAGE = "messages.item"
_AUTHOR = "messages.item.author"
_SAID = {"Default", "Reply", "ChatInputCommand", "ContextMenuCommand", "20", "23"}
"""The types of what people and bots said; all others are notices of Discord."""
_VECTOR_STICKER = "lottie"
_REFERENCE = re.compile(
    r"<@!?(?P<user>\d+)>|<#(?P<channel>\d+)>|<@&(?P<role>\d+)>|<a?:(?P<emoji>\w+):\d+>"
    r"|(?<![\w/])@(?:everyone|here)(?!\w)"
)
_DIGITS = re.compile(r"\d{1,20}")


@dataclass(slots=True)
class _File:
    """A file of an export, and the channel or thread that it is of."""

    name: str
    channel: Object

    @property
    def id(self) -> str:
        return text_of(self.channel.get("id"))

    @property
    def type(self) -> str:
        return text_of(self.channel.get("type"))

    @property
    def is_thread(self) -> bool:
        return self.type.endswith("Thread") and bool(text_of(self.channel.get("categoryId")))

    @property
    def folder(self) -> str:
        folder, slash, _ = self.name.rpartition("/")
        return folder + slash


@dataclass(slots=True)
class _Chat:
    """A conversation while its files are read: a group, or two users."""

    guid: str = ""
    uids: tuple[str, ...] = ()
    senders: Senders = field(default_factory=Senders)
    members: set[str] = field(default_factory=set)

    def to(self, sender: str) -> To:
        if self.guid:
            return To("group", self.guid)
        return To("user", next((uid for uid in self.uids if uid != sender), sender))


class Discord:
    """One file of DiscordChatExporter, or a folder or archive of them with their assets."""

    name = "discord"
    title = "Discord, by DiscordChatExporter"

    def detect(self, tree: Tree) -> bool:
        return any(_is_export(tree, name) for name in _candidates(tree)[:_MOST_LOOKED_AT])

    def read(self, tree: Tree, reading: Reading) -> Iterator[Row | Broken]:
        yield from _Exports(tree, reading).read()


def _candidates(tree: Tree) -> list[str]:
    return [name for name in tree.names() if name.endswith(".json") and _ASSETS not in name]


def _is_export(tree: Tree, name: str) -> bool:
    return {"guild", "channel"} <= first_keys(tree, name).keys()


class _Exports:
    def __init__(self, tree: Tree, reading: Reading) -> None:
        self._tree = tree
        self._reading = reading
        self._rows = Rows(tree, reading)
        self._people = KnownPeople(self._rows)
        self._uids = Uids()
        self._chats: dict[str, _Chat] = {}
        self._names: dict[str, str] = {}
        """Of channels, by their ids."""
        self._threads: dict[str, Named | None] = {}
        """The first messages of threads, by the ids of the threads: None before they are known."""

    def read(self) -> Iterator[Row | Broken]:
        files = [file for name in _candidates(self._tree) if (file := self._file(name))]
        if not files:
            raise SourceUnreadable(
                f"{self._tree.name} has no JSON file of DiscordChatExporter, with a guild, a"
                " channel and messages. Export with the format JSON."
            )
        # A thread begins with a message of its channel, and the parts of a file follow each other.
        files.sort(key=lambda each: (each.is_thread, each.id, len(each.name), each.name))
        self._names = {file.id: text_of(file.channel.get("name")) for file in files}
        self._threads = {file.id: None for file in files if file.is_thread}
        self._reading.dropped.update(
            {"names of threads": len(self._threads)} if self._threads else {}
        )
        for file in files:
            chat, rows = self._chat(file)
            yield from rows
            yield from self._messages(file, chat)
        yield from self._people.strangers()

    def _file(self, name: str) -> _File | None:
        """Return what a file is of; None for one that is no export."""
        if not _is_export(self._tree, name):
            return None
        with self._tree.open(name) as opened:
            try:
                for path, value in read_parts(opened, {"channel"}, {_MESSAGE}):
                    if path == "channel" and isinstance(value, dict) and text_of(value.get("id")):
                        return _File(name, value)
                    break
            except BrokenJson:
                pass
        self._reading.drop("files that do not say which channel they are of")
        return None

    def _chat(self, file: _File) -> tuple[_Chat, list[Row]]:
        """Return the conversation of a file, and the row of its group if it is new."""
        channel, id_, name = file.channel, file.id, text_of(file.channel.get("name"))
        if file.is_thread:
            id_, name = text_of(channel.get("categoryId")), text_of(channel.get("category"))
        if id_ in self._chats:
            return self._chats[id_], []
        place = SourcePlace(file.name, 1)
        if file.type == "DirectTextChat":
            self._chats[id_] = _Chat(uids=self._both(place, file))
            return self._chats[id_], []
        guid = self._uids.of(id_)
        self._chats[id_] = _Chat(guid)
        about = None if file.is_thread else short_text(text_of(channel.get("topic")))
        icon = text_of(channel.get("iconUrl"))
        shown = icon if is_link(icon) and not file.is_thread else None
        return self._chats[id_], [
            self._rows.group(place, guid, name, "private", icon=shown, description=about)
        ]

    def _both(self, place: SourcePlace, file: _File) -> tuple[str, ...]:
        """Return the two of direct messages; one who never wrote is named as the channel is."""
        found: dict[str, str] = {}
        with self._tree.open(file.name) as opened:
            try:
                for _, author in read_parts(opened, {_AUTHOR}):
                    if uid := self._met(place, author):
                        found[uid] = uid
                    if len(found) == 2:
                        break
            except BrokenJson:
                pass  # it is reported where the messages are read
        if len(found) < 2:
            name = text_of(file.channel.get("name"))
            found[self._people.met(place, self._uids.of(f"other-{file.id}"), name)] = ""
        return tuple(found)

    # --- Messages

    def _messages(self, file: _File, chat: _Chat) -> Iterator[Row | Broken]:
        number = 0
        with self._tree.open(file.name) as opened:
            try:
                for _, message in read_parts(opened, {_MESSAGE}, reading=self._reading):
                    number += 1
                    place = SourcePlace(file.name, number)
                    if isinstance(message, dict):
                        yield from self._message(place, file, chat, message)
                    else:
                        yield broken(place, NO_OBJECT, message)
            except BrokenJson as fault:
                yield broken(SourcePlace(file.name, number + 1), f"{REST_BROKEN}: {fault}.")

    def _message(
        self, place: SourcePlace, file: _File, chat: _Chat, message: Object
    ) -> Iterator[Row | Broken]:
        if text_of(message.get("type")) not in _SAID:
            self._reading.drop("system messages")
            return
        id_, sender = text_of(message.get("id")), self._met(place, message.get("author"))
        if not _DIGITS.fullmatch(id_) or not sender:
            yield broken(place, "The message has no id or no author.", message)
            return
        named = (sender, id_)
        sent_at = seconds_of_date(message.get("timestamp"), self._reading.timezone)
        said = Said(
            muid=id_,
            sender=sender,
            to=chat.to(sender),
            sent_at=sent_at,
            text=self._text(place, message),
            attached=list(self._attached(file, message)),
            parent=self._threads.get(file.id) if file.is_thread else None,
            quoted=self._quoted(chat, file, message),
            edited_at=self._edited(message),
            pinned_at=sent_at if message.get("isPinned") is True else None,
        )
        rows = list(self._rows.message(place, said))
        if not rows:
            return
        yield from rows
        yield from self._joined(place, chat, sender)
        yield from self._reactions(place, chat, named, message)
        chat.senders.add(int(id_), sender)
        thread = file.id if file.is_thread else id_
        if thread in self._threads and self._threads[thread] is None:
            self._threads[thread] = named

    def _edited(self, message: Object) -> Any:
        edited = message.get("timestampEdited")
        return seconds_of_date(edited, self._reading.timezone) if edited else None

    def _quoted(self, chat: _Chat, file: _File, message: Object) -> Named | None:
        """Return the message that a reply is to."""
        reference = object_of(message.get("reference"))
        id_ = text_of(reference.get("messageId"))
        if text_of(message.get("type")) != "Reply" or not _DIGITS.fullmatch(id_):
            return None
        sender = chat.senders.find(int(id_))
        if sender is None:
            self._reading.drop("quotes of messages that are not in the export")
            return None
        return sender, id_

    def _met(self, place: SourcePlace, user: Any) -> str:
        """Return the uid of a user; an empty text if it is none."""
        user = object_of(user)
        id_, username = text_of(user.get("id")), text_of(user.get("name"))
        if not id_:
            return ""
        return self._people.met(
            place,
            self._uids.of(id_),
            text_of(user.get("nickname")) or username,
            isBot=True if user.get("isBot") is True else None,
            avatar=text_of(user.get("avatarUrl")),
            metadata={"username": username} if username else None,
        )

    def _joined(self, place: SourcePlace, chat: _Chat, uid: str) -> Iterator[Row]:
        """Yield a member of a group who occurs first: exports have no lists of members."""
        if chat.guid and uid not in chat.members:
            chat.members.add(uid)
            yield self._rows.member(place, chat.guid, uid)

    def _reactions(
        self, place: SourcePlace, chat: _Chat, to: Named, message: Object
    ) -> Iterator[Row]:
        for each in objects_of(message.get("reactions")):
            emoji, users = object_of(each.get("emoji")), objects_of(each.get("users"))
            uids = dict.fromkeys(filter(None, (self._met(place, user) for user in users)))
            for uid in uids:
                yield from self._joined(place, chat, uid)
                yield self._rows.reaction(place, to, uid, text_of(emoji.get("name")))
            unnamed = (whole_of(each.get("count")) or 0) - len(uids)
            if unnamed > 0:
                self._reading.drop("reactions of which the export does not say by whom", unnamed)

    # --- What a message says

    def _text(self, place: SourcePlace, message: Object) -> str:
        content = text_of(message.get("content"))
        forwarded = object_of(message.get("forwardedMessage"))
        parts = [
            self._marked(place, message, content),
            _quotation(self._marked(place, message, text_of(forwarded.get("content")))),
            *(self._card(each, content) for each in objects_of(message.get("embeds"))),
            *(f":{text_of(each.get('name'))}:" for each in _stickers(message) if _is_vector(each)),
        ]
        return "\n\n".join(filter(str.strip, parts))

    def _marked(self, place: SourcePlace, message: Object, text: str) -> str:
        """Return a text with mentions, whether the exporter kept them or wrote the names."""
        text = _REFERENCE.sub(lambda found: self._reference(place, found), text)
        uids: dict[str, str] = {}
        for user in objects_of(message.get("mentions")):
            uid = self._met(place, user)
            for name in (text_of(user.get("nickname")), text_of(user.get("name"))):
                if name and uid:
                    uids.setdefault(name, uid)
        if not uids or "@" not in text:
            return text
        names = "|".join(map(re.escape, sorted(uids, key=len, reverse=True)))
        return re.sub(
            rf"(?<![\w<])@({names})(?!\w)", lambda found: f"<@uid:{uids[found[1]]}>", text
        )

    def _reference(self, place: SourcePlace, found: re.Match[str]) -> str:
        if found["user"]:
            return f"<@uid:{self._people.met(place, self._uids.of(found['user']))}>"
        if found["channel"]:
            return "#" + (self._names.get(found["channel"]) or found["channel"])
        if found["role"]:
            return f"@{found['role']}"
        return f":{found['emoji']}:" if found["emoji"] else "<@all>"

    def _card(self, card: Object, content: str) -> str:
        """Return the text of a card of a bot; of a preview of a link nothing."""
        title, link = text_of(card.get("title")), text_of(card.get("url"))
        if link and link in content:
            self._reading.drop("previews of links")
            return ""
        lines = [
            text_of(object_of(card.get("author")).get("name")),
            f"[{title}]({link})" if title and link else title or link,
            text_of(card.get("description")),
            *(
                f"**{text_of(each.get('name'))}**: {text_of(each.get('value'))}"
                for each in objects_of(card.get("fields"))
            ),
            *(text_of(object_of(card.get(each)).get("url")) for each in ("image", "video")),
            text_of(object_of(card.get("footer")).get("text")),
        ]
        return "\n".join(filter(None, lines))

    def _attached(self, file: _File, message: Object) -> Iterator[Attached]:
        forwarded = object_of(message.get("forwardedMessage"))
        files = [
            each for one in (message, forwarded) for each in objects_of(one.get("attachments"))
        ]
        for each in files:
            name, size = text_of(each.get("fileName")), whole_of(each.get("fileSizeBytes"))
            yield from self._found(file, text_of(each.get("url")), name, size)
        for each in _stickers(message):
            if not _is_vector(each):
                url, name = text_of(each.get("sourceUrl")), text_of(each.get("name"))
                yield from self._found(file, url, f"{name}.png", None)

    def _found(self, file: _File, url: str, name: str, size: int | None) -> Iterator[Attached]:
        if is_link(url):
            self._reading.drop("contents of files that are not in the export: links are kept")
            yield Attached(url, name, size=size)
            return
        path = url.replace("\\", "/")
        for candidate in (file.folder + path, file.folder + unquote(path)):
            if path and self._tree.has(candidate):
                yield Attached(FILE + candidate, name, size=size)
                return
        self._reading.drop("files that are not in the export")


def _stickers(message: Object) -> list[Object]:
    return objects_of(message.get("stickers"))


def _is_vector(sticker: Object) -> bool:
    """Return whether a sticker is an animation that is no picture."""
    return text_of(sticker.get("format")).lower() == _VECTOR_STICKER


def _quotation(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())
