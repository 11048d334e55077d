"""Zulip: the export of an organization, with its tables in JSON and its uploads."""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from hubbub.moving.lines import FILE
from hubbub.moving.sources.interface import Broken, Reading, Row, SourceUnreadable
from hubbub.moving.sources.json_stream import BrokenJson, read_parts
from hubbub.moving.sources.people import KnownPeople
from hubbub.moving.sources.rows import Attached, Rows, Said, SourcePlace, To, short_text
from hubbub.moving.sources.scratch import Scratch
from hubbub.moving.sources.shortcodes import emoji_of, with_emoji
from hubbub.moving.sources.uids import Uids
from hubbub.moving.sources.values import Object, object_of, seconds_of, text_of, whole_of
from hubbub.moving.tree import Tree

_REALM = "realm.json"
_MESSAGES = re.compile(r"messages-\d{6,}\.json")
_PROFILES = (
    "zerver_userprofile",
    "zerver_userprofile_mirrordummy",
    "zerver_userprofile_crossrealm",
)
_OF_USER, _OF_STREAM, _OF_SEVERAL = 1, 2, 3
"""The types of a recipient."""
LONGEST_TAG = 100
UNFOUND_FILES = "files that are not in the export"

_MENTION = re.compile(r"@_?\*\*([^*\n|]+)(?:\|(\d+))?\*\*")
_EVERYBODY = {"all", "everyone", "channel", "stream", "topic"}
_STREAM_LINK = re.compile(r"#\*\*([^*\n>]+)(?:>([^*\n]*))?\*\*")
_UPLOAD = re.compile(r"!?\[([^\]\n]*)\]\((?:https?://[^\s/)]+)?/user_uploads/([^)\s]+)\)")
_CODES = re.compile(r"[0-9a-f]{1,6}(?:-[0-9a-f]{1,6}){0,15}")
_ACTION = "/me "

Reader = Callable[[SourcePlace, Object], Iterator[Row | Broken]]


class Zulip:
    """The folder or `.tar.gz` that Zulip makes."""

    name = "zulip"
    title = "Zulip"

    def detect(self, tree: Tree) -> bool:
        return _root(tree) is not None

    def read(self, tree: Tree, reading: Reading) -> Iterator[Row | Broken]:
        root = _root(tree)
        if root is None:
            raise SourceUnreadable(
                f"{tree.name} has no realm.json with messages-000001.json beside it, so it is no"
                " export of Zulip. Give the .tar.gz file that Zulip made, or the folder in it."
            )
        with Scratch() as senders:
            yield from _Organization(tree, reading, root, senders).read()


def _root(tree: Tree) -> str | None:
    """Return the folder of the tables, ending in `/` unless it is the top."""
    names = set(tree.names())
    for name in sorted(names, key=lambda name: (name.count("/"), name)):
        root = name.removesuffix(_REALM)
        if root != name and (root == "" or root.endswith("/")):
            beside = {f"{root}messages-000001.json", f"{root}attachment.json"}
            if beside & names:
                return root
    return None


@dataclass(slots=True)
class _Recipient:
    """What messages are sent to."""

    kind: int
    id: str
    """Of the user, the stream, or the conversation of several."""
    members: dict[str, None] = field(default_factory=dict)
    """The ids of those who are subscribed."""


class _Organization:
    def __init__(self, tree: Tree, reading: Reading, root: str, senders: Scratch) -> None:
        self._tree, self._reading, self._root = tree, reading, root
        self._senders = senders
        self._rows = Rows(tree, reading)
        self._people = KnownPeople(self._rows)
        self._uids = Uids()
        self._recipients: dict[str, _Recipient] = {}
        self._ids_of_names: dict[str, str] = {}
        self._streams: set[str] = set()
        self._groups: dict[str, To] = {}
        """The conversations of several that have a group already, by recipient."""

    def read(self) -> Iterator[Row | Broken]:
        yield from self._tables()
        for id_, recipient in self._recipients.items():
            yield from self._members(id_, recipient)
        for name in self._message_files():
            yield from self._table(name, "zerver_message.item", self._message, is_first=True)
        for name in (_REALM, *self._message_files()):
            yield from self._table(name, "zerver_reaction.item", self._reaction)
        yield from self._people.strangers()

    def _message_files(self) -> list[str]:
        """Return the files of messages; what an unfinished export left is not among them."""
        found = (name.removeprefix(self._root) for name in self._tree.names())
        return [name for name in found if _MESSAGES.fullmatch(name)]

    def _tables(self) -> Iterator[Row | Broken]:
        tables: dict[str, Reader] = {
            **dict.fromkeys(_PROFILES, self._user),
            "zerver_stream": self._stream,
            "zerver_recipient": self._recipient,
        }
        paths = [f"{table}.item" for table in tables]
        for place, path, value in self._parts(_REALM, paths, is_first=True):
            if isinstance(value, Broken):
                yield value
            else:
                yield from tables[path.partition(".")[0]](place, value)
        # Subscriptions name recipients, whose table may come later.
        yield from self._table(_REALM, "zerver_subscription.item", self._subscription)

    def _table(
        self, name: str, path: str, read: Reader, *, is_first: bool = False
    ) -> Iterator[Row | Broken]:
        """Yield the rows of a table; what can't be read is told by the first reading of a file."""
        for place, _, value in self._parts(name, [path], is_first=is_first):
            if not isinstance(value, Broken):
                yield from read(place, value)
            elif is_first:
                yield value

    def _parts(
        self, name: str, paths: Collection[str], *, is_first: bool
    ) -> Iterator[tuple[SourcePlace, str, Any]]:
        """Yield the objects of tables with their places; `Broken` in place of others."""
        source, number = self._root + name, 0
        if not self._tree.has(source):
            return
        reading = self._reading if is_first else None
        with self._tree.open(source) as file:
            try:
                for path, value in read_parts(file, paths, reading=reading):
                    number += 1
                    error = Broken(source, number, "It is no JSON object.", str(value)[:2000])
                    yield (
                        SourcePlace(source, number),
                        path,
                        value if isinstance(value, dict) else error,
                    )
            except BrokenJson as fault:
                number += 1
                error = Broken(source, number, f"The rest is no JSON: {fault}.", "")
                yield SourcePlace(source, number), "", error

    # --- Users and conversations

    def _uid(self, id_: str) -> str:
        return self._uids.of(f"zulip-{id_}")

    def _met(self, place: SourcePlace, id_: str) -> str:
        return self._people.met(place, self._uid(id_))

    def _user(self, place: SourcePlace, user: Object) -> Iterator[Row | Broken]:
        id_, name = _id(user, "id"), text_of(user.get("full_name"))
        email = text_of(user.get("delivery_email")) or text_of(user.get("email"))
        if not id_:
            yield Broken(place.source, place.number, "The user has no id.", str(user)[:2000])
            return
        self._ids_of_names.setdefault(name, id_)
        joined, seen = user.get("date_joined"), user.get("last_login")
        created_at = None if joined is None else seconds_of(joined)
        is_gone = user.get("is_active") is False
        yield from self._people.described(
            place,
            self._uid(id_),
            name or email.partition("@")[0],
            isBot=True if user.get("is_bot") is True or not name else None,
            createdAt=created_at,
            lastActiveAt=None if seen is None else seconds_of(seen),
            deactivatedAt=seconds_of(seen or joined or 0) if is_gone else None,
            metadata={"email": email[:255]} if email else None,
        )

    def _stream(self, place: SourcePlace, stream: Object) -> Iterator[Row | Broken]:
        id_, creator = _id(stream, "id"), _id(stream, "creator")
        if not id_:
            yield Broken(place.source, place.number, "The channel has no id.", str(stream)[:2000])
            return
        self._streams.add(id_)
        created = stream.get("date_created")
        yield self._rows.group(
            place,
            self._uid(id_),
            text_of(stream.get("name")),
            "private" if stream.get("invite_only") is True else "public",
            description=short_text(text_of(stream.get("description"))),
            owner=self._met(place, creator) if creator else None,
            createdAt=None if created is None else seconds_of(created),
        )

    def _recipient(self, place: SourcePlace, recipient: Object) -> Iterator[Row | Broken]:
        kind = whole_of(recipient.get("type")) or 0
        found = _Recipient(kind, _id(recipient, "type_id"))
        self._recipients[_id(recipient, "id")] = found
        yield from ()

    def _subscription(self, place: SourcePlace, subscription: Object) -> Iterator[Row | Broken]:
        recipient = self._recipients.get(_id(subscription, "recipient"))
        user = _id(subscription, "user_profile")
        is_there = subscription.get("active") is not False
        if recipient and user and (is_there or recipient.kind == _OF_SEVERAL):
            recipient.members[user] = None
        yield from ()

    def _members(self, id_: str, recipient: _Recipient) -> Iterator[Row]:
        """Yield the members of a stream, and a group with members for a conversation of several."""
        place = SourcePlace(self._root + _REALM, 1)
        if recipient.kind == _OF_STREAM and recipient.id in self._streams:
            guid = self._uid(recipient.id)
        elif recipient.kind == _OF_SEVERAL and len(recipient.members) > 2:
            guid = self._uids.of(f"zulip-dm-{id_}")
            uids = [self._met(place, member) for member in recipient.members]
            name = ", ".join(map(self._people.name_of, uids))
            yield self._rows.group(place, guid, name, "private")
        else:
            return
        self._groups[id_] = To("group", guid)
        for member in recipient.members:
            yield self._rows.member(place, guid, self._met(place, member))

    # --- Messages

    def _to(self, place: SourcePlace, id_: str, sender: str) -> To | None:
        """Return what a message is sent to; None if the export does not say it."""
        recipient = self._recipients.get(id_)
        if recipient is None:
            return None
        if recipient.kind == _OF_USER:
            return To("user", self._met(place, recipient.id))
        if recipient.kind == _OF_SEVERAL and id_ not in self._groups:
            others = [member for member in recipient.members if member != sender]
            return To("user", self._met(place, (others or [sender])[0]))
        return self._groups.get(id_)

    def _message(self, place: SourcePlace, message: Object) -> Iterator[Row | Broken]:
        id_, sender = _id(message, "id"), _id(message, "sender")
        to = self._to(place, _id(message, "recipient"), sender) if sender else None
        if not id_ or to is None:
            error = "The message has no id, no sender, or a recipient that is not in the export."
            yield Broken(place.source, place.number, error, str(message)[:2000])
            return
        uid = self._met(place, sender)
        text, attached = self._content(place, text_of(message.get("content")))
        edited = message.get("last_edit_time")
        is_edited = edited is not None and _has_other_text(message)
        said = Said(
            muid=f"zulip-{id_}",
            sender=uid,
            to=to,
            sent_at=seconds_of(message.get("date_sent", message.get("pub_date"))),
            text=text,
            attached=attached,
            edited_at=seconds_of(edited) if is_edited else None,
        )
        self._senders.put(id_, uid)
        topic = text_of(message.get("subject")).strip()[:LONGEST_TAG]
        for row in self._rows.message(place, said):
            is_message = object_of(row.line).get("type") == "message"
            if topic and is_message and to.receiver_type == "group":
                row = replace(row, line={**object_of(row.line), "tags": [topic]})
            yield row

    def _content(self, place: SourcePlace, text: str) -> tuple[str, list[Attached]]:
        attached: list[Attached] = []

        def upload(found: re.Match[str]) -> str:
            path = f"{self._root}uploads/{found[2]}"
            name = found[2].rpartition("/")[2]
            if not self._tree.has(path):
                self._reading.drop(UNFOUND_FILES)
                return found[1] or name
            size = self._tree.size(path)
            attached.append(Attached(FILE + path, name=found[1] or name, size=size))
            return ""

        text = _UPLOAD.sub(upload, text)
        text = _MENTION.sub(lambda found: self._mention(place, found), text)
        text = _STREAM_LINK.sub(lambda found: " > ".join(filter(None, found.groups())), text)
        text = with_emoji(text).strip()
        if text.startswith(_ACTION):
            text = f"_{text.removeprefix(_ACTION).strip()}_"
        return text, attached

    def _mention(self, place: SourcePlace, found: re.Match[str]) -> str:
        name = found[1].strip()
        id_ = found[2] or self._ids_of_names.get(name)
        if id_:
            return f"<@uid:{self._met(place, id_)}>"
        return "<@all>" if name in _EVERYBODY else f"@{name}"

    def _reaction(self, place: SourcePlace, reaction: Object) -> Iterator[Row | Broken]:
        id_, user = _id(reaction, "message"), _id(reaction, "user_profile")
        sender = self._senders.get(id_)
        if not user or not isinstance(sender, str):
            self._reading.drop("reactions to messages that are not in the export")
            return
        uid = self._met(place, user)
        yield self._rows.reaction(place, (sender, f"zulip-{id_}"), uid, _emoji(reaction))


def _id(row: Object, name: str) -> str:
    """Return the id of a row or of another one that it names, as text; empty without one."""
    return text_of(row.get(name, row.get(f"{name}_id")))


def _has_other_text(message: Object) -> bool:
    """Return whether an edit changed the text, not only the topic."""
    history = message.get("edit_history")
    return not isinstance(history, str) or "prev_content" in history


def _emoji(reaction: Object) -> str:
    code, name = text_of(reaction.get("emoji_code")), text_of(reaction.get("emoji_name"))
    is_unicode = reaction.get("reaction_type", "unicode_emoji") == "unicode_emoji"
    if is_unicode and _CODES.fullmatch(code):
        points = [int(part, 16) for part in code.split("-")]
        if all(0x20 < point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF for point in points):
            return "".join(map(chr, points))
    return (emoji_of(name) if is_unicode else None) or name
