"""Sendbird: results of its data export of users, channels and messages, as JSON."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from hubbub.moving.sources.interface import Broken, Reading, Row, SourceUnreadable
from hubbub.moving.sources.json_stream import BrokenJson, read_parts
from hubbub.moving.sources.people import KnownPeople
from hubbub.moving.sources.rows import (
    NO_OBJECT,
    REST_BROKEN,
    Attached,
    Named,
    Rows,
    Said,
    SourcePlace,
    broken,
    is_link,
    to_conversation,
)
from hubbub.moving.sources.scratch import Scratch
from hubbub.moving.sources.shortcodes import emoji_of
from hubbub.moving.sources.texts import beginning_of
from hubbub.moving.sources.uids import Uids
from hubbub.moving.sources.values import (
    MILLISECONDS,
    Object,
    object_of,
    objects_of,
    seconds_of,
    text_of,
    texts_of,
    whole_of,
)
from hubbub.moving.tree import Tree

ADMIN_MESSAGES = "messages by no user (admin messages)"
LOST_REPLIES = "replies to messages that are not in the export"
FILE_LINKS = "contents of files that are not in the export: links are kept"
_PATHS = {
    f"{name}.item" if name else "item"
    for name in ("", "messages", "channels", "users", "results", "data")
}
_CHANNEL = re.compile(r'"channel_url"\s*:')
_USER = re.compile(r'"user_id"\s*:.*"nickname"\s*:|"nickname"\s*:.*"user_id"\s*:', re.DOTALL)
_SNIFFED = 64 * 1024
_LATEST_SECONDS = 99_999_999_999
"""A larger number is of milliseconds: channels have seconds, messages milliseconds."""
_MENTION = re.compile(r"@\{([^{}]{1,200})\}")
_EMOJI = "emoji_"


class Sendbird:
    """Files of users, channels and messages, each a list or an object with one."""

    name = "sendbird"
    title = "Sendbird"

    def detect(self, tree: Tree) -> bool:
        return any(_is_export(tree, name) for name in _files(tree))

    def read(self, tree: Tree, reading: Reading) -> Iterator[Row | Broken]:
        names = [name for name in _files(tree) if _is_export(tree, name)]
        if not names:
            raise SourceUnreadable(
                f"{tree.name} has no JSON of Sendbird's data export, with channel_url or user_id."
                " Export users, channels and messages as JSON, not as CSV."
            )
        with Scratch() as facts:
            yield from _Results(tree, names, reading, facts).read()


def _files(tree: Tree) -> list[str]:
    return [name for name in tree.names() if name.endswith(".json")]


def _is_export(tree: Tree, name: str) -> bool:
    beginning = beginning_of(tree, name, _SNIFFED)
    return any(pattern.search(beginning) for pattern in (_CHANNEL, _USER))


@dataclass(slots=True)
class _SendbirdChannel:
    """A channel of Sendbird, with its members by uid."""

    url: str
    guid: str
    place: SourcePlace
    fields: Object
    members: dict[str, Object] = field(default_factory=dict)

    @property
    def pair(self) -> list[str]:
        """Return the two whose channel it is: one that is distinct has exactly these members."""
        is_distinct = self.fields.get("is_distinct") is True
        return list(self.members) if is_distinct and len(self.members) == 2 else []

    @property
    def is_public(self) -> bool:
        is_open = self.url.startswith("sendbird_open_channel") or "participant_count" in self.fields
        return is_open or self.fields.get("is_public") is True


class _Results:
    def __init__(self, tree: Tree, names: list[str], reading: Reading, facts: Scratch) -> None:
        self._tree, self._names = tree, names
        self._reading, self._facts = reading, facts
        self._rows = Rows(tree, reading)
        self._people = KnownPeople(self._rows)
        self._uids, self._guids = Uids(), Uids()
        self._chats: dict[str, _SendbirdChannel] = {}

    def read(self) -> Iterator[Row | Broken]:
        """Read the files twice: for people, channels and threads, and for the messages."""
        for place, value in self._objects(self._reading):
            if not isinstance(value, Broken):
                yield from self._survey(place, value)
        for chat in self._chats.values():
            yield from self._group(chat)
        for place, value in self._objects(None):
            if isinstance(value, Broken):
                yield value
            elif "message_id" in value:
                yield from self._message(place, value)
        yield from self._people.strangers()

    def _objects(self, reading: Reading | None) -> Iterator[tuple[SourcePlace, Any]]:
        for name in self._names:
            number = 0
            with self._tree.open(name) as file:
                try:
                    for number, (_, value) in enumerate(
                        read_parts(file, _PATHS, reading=reading), start=1
                    ):
                        place = SourcePlace(name, number)
                        is_object = isinstance(value, dict)
                        yield place, value if is_object else broken(place, NO_OBJECT, value)
                except BrokenJson as fault:
                    place = SourcePlace(name, number + 1)
                    yield place, broken(place, f"{REST_BROKEN}: {fault}.")

    # --- Users and channels

    def _survey(self, place: SourcePlace, value: Object) -> Iterator[Row]:
        if "message_id" in value:
            self._survey_message(place, value)
        elif "channel_url" in value:
            self._channel(place, value)
        elif id_ := text_of(value.get("user_id")):
            yield from self._people.described(
                place, self._uids.of(id_), text_of(value.get("nickname")), **_profile(value)
            )

    def _met(self, place: SourcePlace, user: Object, id_: str = "") -> str:
        """Return the uid of a user; an empty one of nobody."""
        id_ = id_ or text_of(user.get("user_id")) or text_of(user.get("guest_id"))
        if not id_:
            return ""
        name = text_of(user.get("nickname")) or text_of(user.get("name"))
        return self._people.met(place, self._uids.of(id_), name, **_profile(user))

    def _sender(self, place: SourcePlace, message: Object) -> str:
        user = object_of(message.get("user")) or object_of(message.get("sender"))
        return self._met(place, user, text_of(message.get("sender_id")))

    def _survey_message(self, place: SourcePlace, message: Object) -> None:
        id_, sender = text_of(message.get("message_id")), self._sender(place, message)
        url = text_of(message.get("channel_url"))
        if url:
            self._known(place, url)
        if id_ and sender:
            self._facts.put_message(id_, sender, _parent_of(message), url)

    def _known(self, place: SourcePlace, url: str) -> _SendbirdChannel:
        return self._chats.setdefault(url, _SendbirdChannel(url, self._guids.of(url), place, {}))

    def _channel(self, place: SourcePlace, channel: Object) -> None:
        if not (url := text_of(channel.get("channel_url"))):
            return
        known = self._known(place, url)
        known.fields, known.place = channel, place
        operators = {text_of(each.get("user_id")) for each in objects_of(channel.get("operators"))}
        for member in [*objects_of(channel.get("members")), *objects_of(channel.get("operators"))]:
            is_operator = text_of(member.get("user_id")) in operators
            if uid := self._met(place, member):
                known.members.setdefault(uid, {**member, "is_operator": is_operator})

    def _group(self, chat: _SendbirdChannel) -> Iterator[Row]:
        if chat.pair:
            return
        fields, cover = chat.fields, text_of(chat.fields.get("cover_url"))
        created = fields.get("created_at")
        yield self._rows.group(
            chat.place,
            chat.guid,
            text_of(fields.get("name")) or chat.url,
            "public" if chat.is_public else "private",
            icon=cover if is_link(cover) else None,
            owner=self._met(chat.place, object_of(fields.get("created_by"))) or None,
            createdAt=None if created is None else _seconds(created),
        )
        for uid, member in chat.members.items():
            is_operator = member["is_operator"] or member.get("role") == "operator"
            scope = "admin" if is_operator else None
            yield self._rows.member(chat.place, chat.guid, uid, scope=scope)

    # --- Messages

    def _message(self, place: SourcePlace, message: Object) -> Iterator[Row | Broken]:
        id_, url = text_of(message.get("message_id")), text_of(message.get("channel_url"))
        if message.get("type") == "ADMM" or message.get("message_type") == "ADMM":
            self._reading.drop(ADMIN_MESSAGES)
            return
        sender = self._sender(place, message)
        if not (id_ and url and sender):
            yield broken(place, "The message has no id, no channel, or no sender.", message)
            return
        chat = self._known(place, url)
        to = to_conversation("" if chat.pair else chat.guid, chat.pair, sender)
        if to is None:
            self._reading.drop("direct messages by neither of the two")
            return
        is_gone = message.get("is_removed") is True or message.get("is_deleted") is True
        sent_at, updated = _seconds(message.get("created_at")), whole_of(message.get("updated_at"))
        changed_at = _seconds(updated) if updated else None
        said = Said(
            muid=id_,
            sender=sender,
            to=to,
            sent_at=sent_at,
            text="" if is_gone else self._text(place, message),
            attached=() if is_gone else list(self._attached(message)),
            parent=self._root(_parent_of(message), url),
            edited_at=None if is_gone else changed_at,
            deleted_at=(changed_at or sent_at) if is_gone else None,
        )
        rows = list(self._rows.message(place, said))
        yield from rows
        if rows and not is_gone:
            yield from self._reactions(place, (sender, id_), message)

    def _root(self, id_: str, url: str) -> Named | None:
        """Return the message that begins the thread of a parent; None if it is not there."""
        if not id_:
            return None
        known = self._facts.find_message(id_, as_parent=True)
        if known is None or known.conversation != url:
            self._reading.drop(LOST_REPLIES)
            return None
        return known.sender, known.id

    def _text(self, place: SourcePlace, message: Object) -> str:
        text = text_of(message.get("message"))
        template = text_of(message.get("mentioned_message_template"))
        mentioned = {
            text_of(user.get("user_id")): user
            for user in objects_of(message.get("mentioned_users"))
        }
        if template and mentioned:

            def mention(found: re.Match[str]) -> str:
                user = mentioned.get(found[1])
                return f"<@uid:{self._met(place, user)}>" if user else found[0]

            return _MENTION.sub(mention, template)
        for id_, user in mentioned.items():
            name = text_of(user.get("nickname"))
            if id_ and name:
                text = text.replace(f"@{name}", f"<@uid:{self._met(place, user)}>")
        return text

    def _attached(self, message: Object) -> Iterator[Attached]:
        files = [*objects_of(message.get("files")), object_of(message.get("file"))]
        if text_of(message.get("file_url")):
            files.append({"url": message["file_url"], "name": message.get("file_name")})
        for file in filter(None, files):
            url = text_of(file.get("url"))
            if not is_link(url):
                self._reading.drop("files without a link")
                continue
            self._reading.drop(FILE_LINKS)
            name, kind = text_of(file.get("name")), text_of(file.get("type"))
            yield Attached(url, name, kind if "/" in kind else "", whole_of(file.get("size")))

    def _reactions(self, place: SourcePlace, to: Named, message: Object) -> Iterator[Row]:
        for each in objects_of(message.get("reactions")):
            key = text_of(each.get("key"))
            reaction = emoji_of(key.removeprefix(_EMOJI)) or key
            for id_ in dict.fromkeys(texts_of(each.get("user_ids"))):
                if key:
                    yield self._rows.reaction(place, to, self._met(place, {}, id_), reaction)


def _parent_of(message: Object) -> str:
    parent = text_of(message.get("root_message_id")) or text_of(message.get("parent_message_id"))
    return "" if parent in ("0", text_of(message.get("message_id"))) else parent


def _profile(user: Object) -> dict[str, Any]:
    """Return what is known of a user besides the name."""
    created, seen = user.get("created_at"), whole_of(user.get("last_seen_at"))
    is_gone = user.get("is_active") is False
    return {
        "avatar": text_of(user.get("profile_url")),
        "createdAt": None if created is None else _seconds(created),
        "lastActiveAt": _seconds(seen) if seen else None,
        "deactivatedAt": _seconds(seen or created or 0) if is_gone else None,
    }


def _seconds(value: Any) -> Any:
    seconds = seconds_of(value)
    is_large = isinstance(seconds, int) and seconds > _LATEST_SECONDS
    return seconds_of(value, MILLISECONDS) if is_large else seconds
