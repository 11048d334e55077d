"""Slack: the export of a workspace, with a file for each day of each conversation."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from hubbub.kernel.text import is_id
from hubbub.moving.lines import FILE
from hubbub.moving.sources.interface import Broken, Reading, Row, SourceUnreadable
from hubbub.moving.sources.json_stream import BrokenJson, read_parts
from hubbub.moving.sources.mrkdwn import to_markdown
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
    to_conversation,
)
from hubbub.moving.sources.shortcodes import emoji_of
from hubbub.moving.sources.uids import Uids
from hubbub.moving.sources.values import (
    Object,
    object_of,
    objects_of,
    seconds_of,
    text_of,
    texts_of,
    whole_of,
)
from hubbub.moving.tree import DAMAGED, Tree

_USERS = ("users.json", "org_users.json")
_GROUPS = {"channels.json": "public", "groups.json": "private", "mpims.json": "private"}
"""The files that list the conversations of groups, with the kind of group that each becomes."""
_DIRECT = "dms.json"
_DAY = re.compile(r"([^/]+)/\d{4}-\d{2}-\d{2}\.json")
_TS = re.compile(r"\d{1,12}\.\d{1,9}")
_SAID = {"", "bot_message", "me_message", "file_share", "thread_broadcast", "reply_broadcast"}
"""The subtypes of what people said; all others but `_DELETED` are notices of Slack."""
_DELETED = "tombstone"
_KEPT_RECORDS = {"message_changed", "message_deleted", "message_replied"}
_GONE_FILES = {"tombstone", "hidden_by_limit", "access_denied"}
_SLACKBOT = "USLACKBOT"
_SHARED = ("is_share", "is_msg_unfurl")
_TOKENS = {"t", "pub_secret"}
"""The parameters of links to files that open them to everybody who knows the link."""


@dataclass(frozen=True, slots=True)
class _Room:
    """A conversation: a group by its guid, or direct messages between members."""

    id: str
    name: str = ""
    guid: str = ""
    members: tuple[str, ...] = ()
    owner: str | None = None
    pins: Mapping[str, Any] = field(default_factory=dict)

    def to(self, sender: str) -> To | None:
        """Return where a message of `sender` goes; None if they are not in the conversation."""
        return to_conversation(self.guid, self.members, sender)


class Slack:
    """The folder or zip file that Slack exports, or a program that writes the same."""

    name = "slack"
    title = "Slack"

    def detect(self, tree: Tree) -> bool:
        root = _root(tree)
        if root is None or not any(tree.has(root + name) for name in (*_GROUPS, _DIRECT)):
            return False
        return any(_is_list(tree, root + name) for name in _USERS)

    def read(self, tree: Tree, reading: Reading) -> Iterator[Row | Broken]:
        root = _root(tree)
        if root is None:
            raise SourceUnreadable(
                f"{tree.name} has no users.json, so it is no export of Slack. Give the .zip file"
                " that Slack made, or the folder that it unpacks to."
            )
        yield from _Export(tree, reading, root).read()


def _root(tree: Tree) -> str | None:
    """Return the folder with the list of users, ending in `/` unless it is the top."""
    found = [name for name in tree.names() if name.rpartition("/")[2] in _USERS]
    if not found:
        return None
    folder, slash, _ = min(found, key=lambda name: (name.count("/"), name)).rpartition("/")
    return folder + slash


def _is_list(tree: Tree, name: str) -> bool:
    if not tree.has(name):
        return False
    with tree.open(name) as file, suppress(*DAMAGED):
        return file.read(100).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")
    return False


class _Export:
    def __init__(self, tree: Tree, reading: Reading, root: str) -> None:
        self._tree = tree
        self._reading = reading
        self._root = root
        self._rows = Rows(tree, reading)
        self._people = KnownPeople(self._rows)
        self._uids = Uids()
        self._bots: dict[str, str] = {}
        """The ids of users that are bots, by their ids as bots: messages have either."""
        self._rooms: dict[str, _Room] = {}
        """By id, and by the name that folders have."""
        self._files = _FilesBeside(tree, root)

    def read(self) -> Iterator[Row | Broken]:
        for name in _USERS:
            for place, user in self._objects(name):
                yield from self._user(place, user) if isinstance(user, dict) else [user]
        for name, kind in _GROUPS.items():
            for place, room in self._objects(name):
                yield from self._group(place, room, kind) if isinstance(room, dict) else [room]
        for place, room in self._objects(_DIRECT):
            yield from self._direct(place, room) if isinstance(room, dict) else [room]
        days = [name for name in self._tree.names() if self._folder(name)]
        for folder, names in groupby(days, key=self._folder):
            yield from self._conversation(folder, list(names))
        yield from self._people.strangers()

    def _folder(self, name: str) -> str:
        """Return the folder of a conversation that a file of a day lies in; else an empty text."""
        if not name.startswith(self._root):
            return ""
        found = _DAY.fullmatch(name, len(self._root))
        return found[1] if found else ""

    def _objects(
        self, name: str, *, is_whole_name: bool = False
    ) -> Iterator[tuple[SourcePlace, Any]]:
        """Yield the objects of a list with their places; `Broken` in place of others."""
        source = name if is_whole_name else self._root + name
        number = 0
        if not self._tree.has(source):
            return
        with self._tree.open(source) as file:
            try:
                for number, (_, value) in enumerate(
                    read_parts(file, {"item"}, reading=self._reading), start=1
                ):
                    place = SourcePlace(source, number)
                    is_object = isinstance(value, dict)
                    yield place, value if is_object else broken(place, NO_OBJECT, value)
            except BrokenJson as fault:
                place = SourcePlace(source, number + 1)
                yield place, broken(place, f"{REST_BROKEN}: {fault}.")

    # --- Users and conversations

    def _uid(self, id_: str) -> str:
        return id_.lower() if is_id(id_.lower()) else self._uids.of(id_)

    def _user(self, place: SourcePlace, user: Object) -> Iterator[Row | Broken]:
        id_, profile = text_of(user.get("id")), object_of(user.get("profile"))
        if not id_:
            yield broken(place, "The user has no id.", user)
            return
        is_bot = user.get("is_bot") is True or id_ == _SLACKBOT
        if bot_id := text_of(profile.get("bot_id")):
            self._bots[bot_id] = id_
        yield from self._people.described(
            place,
            self._uid(id_),
            _name_of(user, profile),
            avatar=text_of(profile.get("image_192") or profile.get("image_72")),
            statusMessage=short_text(text_of(profile.get("status_text"))),
            isBot=is_bot or None,
            deactivatedAt=seconds_of(user.get("updated", 0)) if user.get("deleted") else None,
            metadata={"username": user["name"]} if text_of(user.get("name")) else None,
        )

    def _group(self, place: SourcePlace, room: Object, kind: str) -> Iterator[Row | Broken]:
        id_, name = text_of(room.get("id")), text_of(room.get("name"))
        if not (id_ or name):
            yield broken(place, "The channel has no id.", room)
            return
        guid = self._uid(id_ or name)
        members = [self._met(place, each) for each in dict.fromkeys(texts_of(room.get("members")))]
        creator = text_of(room.get("creator"))
        owner = self._met(place, creator) if creator else None
        pins = {text_of(pin.get("id")): pin.get("created") for pin in objects_of(room.get("pins"))}
        known = _Room(id_ or name, name, guid, tuple(members), owner, pins)
        self._rooms |= {id_ or name: known, name or id_: known}
        is_nameless = name.startswith("mpdm-")
        shown = ", ".join(map(self._people.name_of, members)) if is_nameless else name
        created = seconds_of(room["created"]) if "created" in room else None
        described = (_value(room.get(each)) for each in ("purpose", "topic"))
        if room.get("is_archived") is True:
            self._reading.drop("that channels are archived")
        yield self._rows.group(
            place,
            guid,
            shown or name,
            kind,
            owner=owner,
            description=short_text(next(filter(None, described), "")),
            createdAt=created,
        )
        for uid in members:
            if uid != owner:
                yield self._rows.member(place, guid, uid, joinedAt=created)

    def _direct(self, place: SourcePlace, room: Object) -> Iterator[Row | Broken]:
        id_, members = text_of(room.get("id")), dict.fromkeys(texts_of(room.get("members")))
        if not id_ or not 1 <= len(members) <= 2:
            yield broken(place, "The direct messages need an id and two members.", room)
            return
        uids = tuple(self._met(place, each) for each in members)
        self._rooms[id_] = _Room(id_, members=uids)

    def _met(self, place: SourcePlace, id_: str, name: str = "", **fields: Any) -> str:
        if id_ == _SLACKBOT:
            return self._people.met(place, self._uid(id_), "Slackbot", isBot=True)
        return self._people.met(place, self._uid(id_), name, **fields)

    # --- Messages

    def _conversation(self, folder: str, names: list[str]) -> Iterator[Row | Broken]:
        room = self._rooms.get(folder)
        if room is None:
            room = _Room(folder, folder, self._uids.of(folder))
            yield self._rows.group(SourcePlace(names[0], 1), room.guid, folder, "private")
        threads: dict[str, Named] = {}
        authors = {*room.members, room.owner}
        for name in names:
            for place, message in self._objects(name, is_whole_name=True):
                if not isinstance(message, dict):
                    yield message
                    continue
                yield from self._message(place, room, message, threads)
                if room.guid and not room.members:
                    yield from self._joined(place, room, message, authors)

    def _joined(
        self, place: SourcePlace, room: _Room, message: Object, authors: set[str | None]
    ) -> Iterator[Row]:
        """Yield the author as a member, in a conversation whose members the export does not say."""
        author = self._author(place, message)
        if author and author not in authors:
            authors.add(author)
            yield self._rows.member(place, room.guid, author)

    def _message(
        self, place: SourcePlace, room: _Room, message: Object, threads: dict[str, Named]
    ) -> Iterator[Row | Broken]:
        subtype, ts = text_of(message.get("subtype")), text_of(message.get("ts"))
        if subtype not in _SAID and subtype != _DELETED:
            records = subtype in _KEPT_RECORDS
            self._reading.drop("records of edits and deletions" if records else "system messages")
            return
        sender = self._author(place, message)
        if not sender or not _TS.fullmatch(ts):
            error = "The message has no author." if not sender else "The message has no time (ts)."
            yield broken(place, error, message)
            return
        to = room.to(sender)
        if to is None:
            self._reading.drop("direct messages by neither of the two")
            return
        named = (sender, f"{room.id}-{ts}")
        thread = text_of(message.get("thread_ts"))
        if thread in ("", ts):
            threads[ts] = named
        elif thread not in threads:
            self._reading.drop("threads of replies whose first message is not in the export")
        is_deleted = subtype == _DELETED
        said = Said(
            muid=named[1],
            sender=sender,
            to=to,
            sent_at=seconds_of(ts),
            text="" if is_deleted else self._text(place, message),
            attached=[] if is_deleted else list(self._attached(message)),
            parent=threads.get(thread) if thread != ts else None,
            edited_at=_edited(message),
            deleted_at=seconds_of(ts) if is_deleted else None,
            pinned_at=seconds_of(room.pins[ts]) if ts in room.pins else None,
        )
        rows = list(self._rows.message(place, said))
        yield from rows
        if rows and not is_deleted:
            yield from self._reactions(place, named, message)

    def _author(self, place: SourcePlace, message: Object) -> str:
        """Return the uid of the author; an empty text if there is none."""
        profile, bot = object_of(message.get("user_profile")), object_of(message.get("bot_profile"))
        username = text_of(message.get("username"))
        if id_ := text_of(message.get("user")):
            name = _name_of({}, profile) or username
            return self._met(place, id_, name, avatar=text_of(profile.get("image_72")))
        icons = object_of(bot.get("icons")) or object_of(message.get("icons"))
        avatar = text_of(icons.get("image_72") or icons.get("image_48"))
        name = username or text_of(bot.get("name"))
        if id_ := text_of(message.get("bot_id")):
            return self._met(place, self._bots.get(id_, id_), name, isBot=True, avatar=avatar)
        if not name:
            return ""
        return self._people.met(place, self._uids.of(f"bot-{name}"), name, isBot=True)

    def _text(self, place: SourcePlace, message: Object) -> str:
        references = _Ids(self, place)
        text = text_of(message.get("text"))
        parts = [
            text or "\n".join(_block_texts(message.get("blocks"))),
            *map(self._card, objects_of(message.get("attachments"))),
        ]
        said = "\n\n".join(to_markdown(part, references) for part in parts if part.strip())
        is_action = text_of(message.get("subtype")) == "me_message"
        return f"_{said}_" if is_action and said else said

    def _card(self, card: Object) -> str:
        """Return the text of a card that a bot, or one who shares a message, added to a text."""
        is_preview = card.get("from_url") or card.get("original_url")
        if is_preview and not any(card.get(each) for each in _SHARED):
            self._reading.drop("previews of links")
            return ""
        title, link = text_of(card.get("title")), text_of(card.get("title_link"))
        lines = [
            text_of(card.get("pretext")),
            f"<{link}|{title}>" if title and link else title,
            text_of(card.get("text")),
            *(
                f"*{text_of(each.get('title'))}*: {text_of(each.get('value'))}"
                for each in objects_of(card.get("fields"))
            ),
        ]
        return "\n".join(filter(None, lines)) or text_of(card.get("fallback"))

    def _attached(self, message: Object) -> Iterator[Attached]:
        files = objects_of(message.get("files")) or [object_of(message.get("file"))]
        for file in filter(None, files):
            attached = self._files.find(file)
            if text_of(file.get("mode")) in _GONE_FILES and not attached.url.startswith(FILE):
                self._reading.drop("files that Slack has deleted or hidden")
            elif attached.url.startswith(FILE):
                yield attached
            elif is_link(attached.url):
                self._reading.drop("contents of files that are not in the export: links are kept")
                yield attached
            else:
                self._reading.drop("files without a link")

    def _reactions(self, place: SourcePlace, to: Named, message: Object) -> Iterator[Row]:
        for each in objects_of(message.get("reactions")):
            name, users = text_of(each.get("name")), texts_of(each.get("users"))
            for id_ in dict.fromkeys(users):
                reaction = emoji_of(name) or name
                yield self._rows.reaction(place, to, self._met(place, id_), reaction)
            unnamed = (whole_of(each.get("count")) or 0) - len(users)
            if unnamed > 0:
                self._reading.drop("reactions of which the export does not say by whom", unnamed)


class _Ids:
    """Finds what the ids in a text stand for."""

    def __init__(self, export: _Export, place: SourcePlace) -> None:
        self._export = export
        self._place = place

    def user(self, id_: str, label: str) -> str:
        return f"<@uid:{self._export._met(self._place, id_, label.removeprefix('@'))}>"

    def channel(self, id_: str, label: str) -> str:
        room = self._export._rooms.get(id_)
        return label or (room.name if room else "") or id_


class _FilesBeside:
    """Finds files that a program stored beside the messages."""

    def __init__(self, tree: Tree, root: str) -> None:
        self._paths: dict[str, str] = {}
        for name in tree.names():
            if name.startswith(root) and "/" in name[len(root) :]:
                self._remember(name)

    def _remember(self, name: str) -> None:
        """Remember `__uploads/<id>/<name>` and `<channel>/attachments/<id>-<name>` by the id."""
        *folders, last = name.split("/")
        if len(folders) >= 2 and folders[-2] == "__uploads":
            self._paths[folders[-1]] = name
        elif folders[-1] == "attachments":
            self._paths[last.partition("-")[0]] = name

    def find(self, file: Object) -> Attached:
        """Return a file as attachments have it: beside the messages, or by its link."""
        path = self._paths.get(text_of(file.get("id")))
        link = text_of(file.get("url_private")) or text_of(file.get("permalink"))
        return Attached(
            url=FILE + path if path else _without_token(link),
            name=text_of(file.get("name")) or text_of(file.get("title")),
            mime_type=text_of(file.get("mimetype")),
            size=whole_of(file.get("size")),
            width=whole_of(file.get("original_w")),
            height=whole_of(file.get("original_h")),
        )


def _without_token(link: str) -> str:
    """Return a link without the token of an export, which opens all files of the workspace."""
    try:
        parts = urlsplit(link)
    except ValueError:
        return ""
    kept = [each for each in parse_qsl(parts.query) if each[0] not in _TOKENS]
    return urlunsplit(parts._replace(query=urlencode(kept)))


def _block_texts(blocks: Any) -> Iterator[str]:
    """Yield the texts of blocks, which are all that some bots send."""
    for block in objects_of(blocks):
        for each in (block.get("text"), *objects_of(block.get("fields")), block.get("title")):
            if text := text_of(object_of(each).get("text")):
                yield text
        for each in objects_of(block.get("elements")):
            if isinstance(each.get("text"), str):
                yield each["text"]


def _name_of(user: Object, profile: Object) -> str:
    names = (
        profile.get("real_name"),
        user.get("real_name"),
        profile.get("display_name"),
        profile.get("name"),
        user.get("name"),
    )
    return next((name for name in map(text_of, names) if name.strip()), "")


def _edited(message: Object) -> Any:
    edited = object_of(message.get("edited"))
    return seconds_of(edited["ts"]) if "ts" in edited else None


def _value(about: Any) -> str:
    return text_of(object_of(about).get("value")).strip()
