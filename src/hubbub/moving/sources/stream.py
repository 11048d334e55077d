"""Stream Chat: exports of channels and of users, as JSON or as lines of JSON."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from hubbub.moving.sources.interface import Broken, Reading, Row, SourceUnreadable
from hubbub.moving.sources.json_lines import read_json_lines
from hubbub.moving.sources.json_stream import BEGINS, BrokenJson, read_parts
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
    short_text,
    to_conversation,
)
from hubbub.moving.sources.scratch import Scratch
from hubbub.moving.sources.shortcodes import emoji_of
from hubbub.moving.sources.texts import beginning_of
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

SYSTEM = "system messages"
LOST_REPLIES = "replies to messages that are not in the export"
_KINDS = ("user", "channel", "member", "message", "reaction")
_LISTS = {"users": "user", "members": "member", "messages": "message", "reactions": "reaction"}
_ROOTS = ("", "item.", "channels.item.")
_PATHS = {
    **{f"{root}{name}.item": kind for root in _ROOTS for name, kind in _LISTS.items()},
    **{f"{root}channel": "channel" for root in _ROOTS},
}
_CID = re.compile(r'"cid"\s*:\s*"[\w-]{1,64}:[^"]{1,200}"')
_SNIFFED = 64 * 1024
_LINES = (".jsonl", ".ndjson")
_SAID = {"", "regular", "reply", "deleted"}
_DIRECT = "!members"
_PUBLIC = {"livestream"}
_MODERATORS = {"channel_moderator", "moderator"}
_ADMINS = {"owner", "admin"}


class StreamChat:
    """Files of exported channels, and of users beside them."""

    name = "stream"
    title = "Stream Chat"

    def detect(self, tree: Tree) -> bool:
        return any(_is_export(tree, name) for name in _files(tree))

    def read(self, tree: Tree, reading: Reading) -> Iterator[Row | Broken]:
        if not self.detect(tree):
            raise SourceUnreadable(
                f"{tree.name} has no channels as Stream Chat exports them, each with its cid."
                " Export the channels with their messages as JSON."
            )
        with Scratch() as facts:
            yield from _Channels(tree, reading, facts).read()


def _files(tree: Tree) -> list[str]:
    return [name for name in tree.names() if name.endswith((".json", *_LINES))]


def _is_export(tree: Tree, name: str) -> bool:
    return _CID.search(beginning_of(tree, name, _SNIFFED)) is not None


@dataclass(slots=True)
class _StreamChannel:
    """A channel, and who its members are."""

    cid: str
    guid: str
    place: SourcePlace
    fields: Object
    members: dict[str, tuple[SourcePlace, Object]] = field(default_factory=dict)

    @property
    def pair(self) -> list[str]:
        """Return the two whose channel it is, if it is one of exactly these members."""
        is_direct = self.cid.partition(":")[2].startswith(_DIRECT)
        return list(self.members) if is_direct and len(self.members) == 2 else []


class _Channels:
    def __init__(self, tree: Tree, reading: Reading, facts: Scratch) -> None:
        self._tree, self._reading, self._facts = tree, reading, facts
        self._rows = Rows(tree, reading)
        self._people = KnownPeople(self._rows)
        self._uids, self._guids = Uids(), Uids()
        self._channels: dict[str, _StreamChannel] = {}

    def read(self) -> Iterator[Row | Broken]:
        """Read the files twice: for people, channels and threads, and for the messages."""
        for place, kind, cid, value in self._entities(self._reading):
            if not isinstance(value, Broken):
                yield from self._survey(place, kind, cid, value)
        for channel in self._channels.values():
            yield from self._group(channel)
        for place, kind, cid, value in self._entities(None):
            if isinstance(value, Broken):
                yield value
            elif kind == "message":
                yield from self._message(place, cid, value)
            elif kind == "reaction":
                yield from self._reaction(place, value)
        yield from self._people.strangers()

    # --- The files

    def _entities(self, reading: Reading | None) -> Iterator[tuple[SourcePlace, str, str, Any]]:
        """Yield what the files have: its place, its kind, and the cid of its channel."""
        for name in _files(self._tree):
            read = self._lines if name.endswith(_LINES) else self._documents
            yield from read(name, reading)

    def _lines(
        self, name: str, reading: Reading | None
    ) -> Iterator[tuple[SourcePlace, str, str, Any]]:
        cid = ""
        for read in read_json_lines(self._tree, name, reading or Reading()):
            if isinstance(read, Broken):
                yield SourcePlace(read.source, read.number), "", "", read
                continue
            place, value = read
            kind, entity = _unwrapped(value)
            if kind == "channel":
                cid = _cid_of(entity)
            yield place, kind, cid, entity

    def _documents(
        self, name: str, reading: Reading | None
    ) -> Iterator[tuple[SourcePlace, str, str, Any]]:
        """Yield the parts of a document; its channels stand before or behind their messages."""
        number, group, cid, kind_of_item = 0, 0, "", ""
        cids: dict[str, str] = self._facts.get(f"cids {name}") or {}
        waiting: list[tuple[SourcePlace, str, Object]] = []
        """Members of a channel that is described behind them."""
        wanted, begin = {*_PATHS, "item.item", "item.type"}, {"item", "channels.item"}
        with self._tree.open(name) as file:
            try:
                for path, value in read_parts(file, wanted, begin, reading):
                    if value is BEGINS:
                        group, kind_of_item = group + 1, ""
                        cid = cids.get(str(group), "")
                        waiting.clear()
                        continue
                    if path == "item.type":
                        kind_of_item = text_of(value)
                        continue
                    kind = kind_of_item if path == "item.item" else _PATHS.get(path, "")
                    number += 1
                    place = SourcePlace(name, number)
                    if not isinstance(value, dict):
                        yield place, kind, cid, broken(place, NO_OBJECT, value)
                        continue
                    if kind == "member" and not (cid or _cid_of(value)):
                        waiting.append((place, kind, value))
                        continue
                    if kind == "channel":
                        cid = cids[str(group)] = _cid_of(value)
                    yield place, kind, cid, value
                    if kind == "channel":
                        yield from ((where, what, cid, each) for where, what, each in waiting)
                        waiting.clear()
            except BrokenJson as fault:
                place = SourcePlace(name, number + 1)
                yield place, "", "", broken(place, f"{REST_BROKEN}: {fault}.")
        self._facts.put(f"cids {name}", cids)

    # --- Users and channels

    def _met(self, place: SourcePlace, user: Object, id_: str) -> str:
        """Return the uid of a user, of whom there may be more than the id."""
        return self._people.met(
            place,
            self._uids.of(id_),
            text_of(user.get("name")),
            avatar=text_of(user.get("image")),
            createdAt=self._seconds(user.get("created_at")),
            lastActiveAt=self._seconds(user.get("last_active")),
            deactivatedAt=self._seconds(user.get("deactivated_at") or user.get("deleted_at")),
        )

    def _seconds(self, value: Any) -> Any:
        return None if value is None else seconds_of_date(value, self._reading.timezone)

    def _survey(
        self, place: SourcePlace, kind: str, cid: str, value: Object
    ) -> Iterator[Row | Broken]:
        if kind == "user":
            yield from self._user(place, value)
        elif kind == "channel":
            self._channel(place, value)
        elif kind == "member":
            self._member(place, _cid_of(value) or cid, value)
        elif kind == "message":
            id_, (user, sender) = text_of(value.get("id")), _user_of(value)
            if id_ and sender:
                parent = text_of(value.get("parent_id"))
                self._facts.put_message(id_, self._met(place, user, sender), parent)
                if cid := _cid_of(value) or cid:
                    self._known(place, cid)

    def _user(self, place: SourcePlace, user: Object) -> Iterator[Row]:
        if id_ := text_of(user.get("id")):
            yield from self._people.described(
                place,
                self._uids.of(id_),
                text_of(user.get("name")),
                avatar=text_of(user.get("image")),
                createdAt=self._seconds(user.get("created_at")),
                lastActiveAt=self._seconds(user.get("last_active")),
                deactivatedAt=self._seconds(user.get("deactivated_at") or user.get("deleted_at")),
            )

    def _known(self, place: SourcePlace, cid: str) -> _StreamChannel:
        guid = self._guids.of(cid.replace(":", "-", 1))
        return self._channels.setdefault(cid, _StreamChannel(cid, guid, place, {}))

    def _channel(self, place: SourcePlace, channel: Object) -> None:
        if not (cid := _cid_of(channel)):
            return
        known = self._known(place, cid)
        known.fields, known.place = channel, place
        for member in objects_of(channel.get("members")):
            self._member(place, cid, member)

    def _member(self, place: SourcePlace, cid: str, member: Object) -> None:
        user, id_ = _user_of(member)
        if cid and id_:
            known = self._known(place, cid)
            known.members.setdefault(self._met(place, user, id_), (place, member))

    def _group(self, channel: _StreamChannel) -> Iterator[Row]:
        if channel.pair:
            return
        fields, kind = channel.fields, channel.cid.partition(":")[0]
        creator = object_of(fields.get("created_by"))
        owner = text_of(creator.get("id")) or text_of(fields.get("created_by_id"))
        image = text_of(fields.get("image"))
        yield self._rows.group(
            channel.place,
            channel.guid,
            text_of(fields.get("name")) or channel.cid.partition(":")[2],
            "public" if kind in _PUBLIC else "private",
            icon=image if is_link(image) else None,
            description=short_text(text_of(fields.get("description"))),
            owner=self._met(channel.place, creator, owner) if owner else None,
            createdAt=self._seconds(fields.get("created_at")),
        )
        for uid, (place, member) in channel.members.items():
            yield self._rows.member(
                place,
                channel.guid,
                uid,
                scope=_scope_of(member),
                joinedAt=self._seconds(member.get("created_at")),
                isBanned=True if member.get("banned") is True else None,
            )

    # --- Messages

    def _message(self, place: SourcePlace, cid: str, message: Object) -> Iterator[Row | Broken]:
        id_, (user, sender) = text_of(message.get("id")), _user_of(message)
        cid = _cid_of(message) or cid
        if text_of(message.get("type")) not in _SAID:
            self._reading.drop(SYSTEM)
            return
        if not (id_ and sender and cid):
            yield broken(place, "The message has no id, no user, or no channel.", message)
            return
        uid = self._met(place, user, sender)
        channel = self._known(place, cid)
        to = to_conversation("" if channel.pair else channel.guid, channel.pair, uid)
        if to is None:
            self._reading.drop("direct messages by neither of the two")
            return
        deleted = message.get("deleted_at")
        is_gone = deleted is not None or message.get("type") == "deleted"
        sent_at = self._seconds(message.get("created_at"))
        said = Said(
            muid=id_,
            sender=uid,
            to=to,
            sent_at=sent_at,
            text="" if is_gone else self._text(place, message),
            attached=() if is_gone else list(self._attached(message)),
            parent=self._other(text_of(message.get("parent_id")), is_parent=True),
            quoted=self._other(text_of(message.get("quoted_message_id"))),
            edited_at=self._seconds(message.get("message_text_updated_at")),
            deleted_at=(self._seconds(deleted) if deleted is not None else sent_at)
            if is_gone
            else None,
            pinned_at=self._seconds(message.get("pinned_at")),
        )
        rows = list(self._rows.message(place, said))
        yield from rows
        if rows and not is_gone:
            yield from self._latest_reactions(place, (uid, id_), message)

    def _other(self, id_: str, *, is_parent: bool = False) -> Named | None:
        """Return a message that another one names; of a thread, the message that begins it."""
        known = self._facts.find_message(id_, as_parent=is_parent)
        if known is None:
            if id_:
                self._reading.drop(LOST_REPLIES)
            return None
        return known.sender, known.id

    def _text(self, place: SourcePlace, message: Object) -> str:
        text = text_of(message.get("text"))
        for user in objects_of(message.get("mentioned_users")):
            id_, name = text_of(user.get("id")), text_of(user.get("name"))
            for shown in filter(None, (name, id_)):
                if f"@{shown}" in text:
                    mention = f"<@uid:{self._met(place, user, id_)}>"
                    text = text.replace(f"@{shown}", mention) if id_ else text
                    break
        return text

    def _attached(self, message: Object) -> Iterator[Attached]:
        for each in objects_of(message.get("attachments")):
            if each.get("og_scrape_url"):
                self._reading.drop("previews of links")
                continue
            links = ("asset_url", "image_url", "thumb_url")
            url = next((link for name in links if is_link(link := text_of(each.get(name)))), "")
            if not url:
                self._reading.drop("attachments without a link to a file")
                continue
            name = text_of(each.get("title")) or text_of(each.get("fallback"))
            kind = text_of(each.get("mime_type"))
            if not kind and each.get("type") in ("image", "giphy"):
                kind = "image/*"
            yield Attached(url, name, kind, whole_of(each.get("file_size")))

    def _latest_reactions(
        self, place: SourcePlace, to: Named, message: Object
    ) -> Iterator[Row | Broken]:
        found = objects_of(message.get("reactions")) or objects_of(message.get("latest_reactions"))
        for each in found:
            yield from self._reaction_to(place, to, each)
        counts = object_of(message.get("reaction_counts")).values()
        unnamed = sum(whole_of(count) or 0 for count in counts) - len(found)
        if unnamed > 0:
            self._reading.drop("reactions of which the export does not say by whom", unnamed)

    def _reaction(self, place: SourcePlace, reaction: Object) -> Iterator[Row | Broken]:
        id_ = text_of(reaction.get("message_id"))
        known = self._facts.find_message(id_)
        if known is None:
            self._reading.drop("reactions to messages that are not in the export")
            return
        yield from self._reaction_to(place, (known.sender, known.id), reaction)

    def _reaction_to(self, place: SourcePlace, to: Named, reaction: Object) -> Iterator[Row]:
        user, id_ = _user_of(reaction)
        kind = text_of(reaction.get("type"))
        if id_ and kind:
            at = self._seconds(reaction.get("created_at"))
            uid = self._met(place, user, id_)
            yield self._rows.reaction(place, to, uid, emoji_of(kind) or kind, at)


def _unwrapped(line: Object) -> tuple[str, Object]:
    """Return kind and content of `{"message": {…}}` or `{"type": "message", "item": {…}}`."""
    kind = text_of(line.get("type"))
    inner = line.get("item", line.get("data"))
    if isinstance(inner, dict):
        return kind, inner
    for name in _KINDS:
        if isinstance(line.get(name), dict) and len(line) == 1:
            return name, object_of(line[name])
    return "", {}


def _cid_of(value: Object) -> str:
    cid = text_of(value.get("cid")) or text_of(value.get("channel_cid"))
    if cid:
        return cid
    id_, kind = text_of(value.get("channel_id")), text_of(value.get("channel_type"))
    return f"{kind}:{id_}" if id_ and kind else ""


def _user_of(value: Object) -> tuple[Object, str]:
    """Return the user that something names, and their id."""
    user = value.get("user")
    id_ = text_of(value.get("user_id")) or text_of(object_of(user).get("id")) or text_of(user)
    return object_of(user), id_


def _scope_of(member: Object) -> str | None:
    roles = {text_of(member.get("role")), text_of(member.get("channel_role"))}
    if roles & _ADMINS:
        return "admin"
    return "moderator" if roles & _MODERATORS or member.get("is_moderator") is True else None
