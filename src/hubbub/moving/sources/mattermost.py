"""Mattermost: the lines of its bulk export, with the files beside them."""

from bisect import bisect_left
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec

from hubbub.moving.lines import FILE
from hubbub.moving.sources.interface import Broken, Reading, Row, SourceUnreadable
from hubbub.moving.sources.json_lines import read_json_lines
from hubbub.moving.sources.named_mentions import with_mentions
from hubbub.moving.sources.people import KnownPeople
from hubbub.moving.sources.rows import (
    Attached,
    Named,
    Rows,
    Said,
    SourcePlace,
    To,
    broken,
    short_text,
)
from hubbub.moving.sources.shortcodes import emoji_of
from hubbub.moving.sources.uids import Uids, muid_of
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
from hubbub.moving.tree import DAMAGED, Tree

_ENDINGS = (".jsonl", ".json")
_MOST_LOOKED_AT = 20
_FIRST_BYTES = 4096
_KINDS_OF_GROUPS = {"O": "public", "P": "private"}
_DROPPED = {
    "emoji": "custom emoji",
    "scheme": "permission schemes",
    "role": "permission schemes",
}
_WITHOUT_ROWS = {"version", "team"}

_decode = msgspec.json.Decoder().decode


@dataclass(frozen=True, slots=True)
class _PostedIn:
    """A conversation, in which somebody writes: a group, or users by their uids."""

    key: str
    guid: str = ""
    uids: tuple[str, ...] = ()

    def to(self, sender: str) -> To:
        if self.guid:
            return To("group", self.guid)
        others = [uid for uid in self.uids if uid != sender] or [sender]
        return To("user", others[0])


class Mattermost:
    """What `mmctl export create` makes: a zip file or folder, or its file of lines alone."""

    name = "mattermost"
    title = "Mattermost"

    def detect(self, tree: Tree) -> bool:
        return _lines_of(tree) is not None

    def read(self, tree: Tree, reading: Reading) -> Iterator[Row | Broken]:
        name = _lines_of(tree)
        if name is None:
            raise SourceUnreadable(
                f"{tree.name} has no file of lines that begins with the version of a bulk export,"
                " so it is no export of Mattermost. Make one with `mmctl export create`."
            )
        yield from _BulkExport(tree, reading, name).read()


def _lines_of(tree: Tree) -> str | None:
    """Return the name of the file with the lines of the export."""
    candidates = [name for name in tree.names() if name.endswith(_ENDINGS)]
    candidates.sort(key=lambda name: (name.count("/"), not name.endswith(_ENDINGS[0]), name))
    return next((name for name in candidates[:_MOST_LOOKED_AT] if _begins(tree, name)), None)


def _begins(tree: Tree, name: str) -> bool:
    with tree.open(name) as file, suppress(*DAMAGED, msgspec.DecodeError, UnicodeDecodeError):
        first = _decode(file.readline(_FIRST_BYTES))
        return isinstance(first, dict) and first.get("type") == "version" and "version" in first
    return False


class _BulkExport:
    def __init__(self, tree: Tree, reading: Reading, name: str) -> None:
        self._tree = tree
        self._reading = reading
        self._name = name
        self._root = name.rpartition("/")[0]
        self._rows = Rows(tree, reading)
        self._people = KnownPeople(self._rows)
        self._uids = Uids()
        self._guids = Uids()
        self._groups: set[str] = set()
        self._views = _Views()
        self._readers = {
            "channel": self._channel,
            "user": self._user,
            "bot": self._bot,
            "post": self._group_post,
            "direct_channel": self._direct_channel,
            "direct_post": self._direct_post,
        }

    def read(self) -> Iterator[Row | Broken]:
        end = SourcePlace(self._name, 1)
        for found in read_json_lines(self._tree, self._name, self._reading):
            if isinstance(found, Broken):
                yield found
                continue
            end, line = found
            yield from self._line(end, line)
        for to, uid, (sender, muid), at in self._views.latest():
            yield self._rows.receipt(end, to, uid, (sender, muid), seconds_of(at, MILLISECONDS))
        yield from self._people.strangers()

    def _line(self, place: SourcePlace, line: Object) -> Iterator[Row | Broken]:
        kind = text_of(line.get("type"))
        if kind in _DROPPED:
            self._reading.drop(_DROPPED[kind])
        elif read := self._readers.get(kind):
            yield from read(place, object_of(line.get(kind)))
        elif kind not in _WITHOUT_ROWS:
            yield broken(
                place, f"{kind or 'A line without a type'} is no line of Mattermost.", line
            )

    # --- Users and channels

    def _met(self, place: SourcePlace, username: str) -> str:
        return self._people.met(place, self._uids.of(username), username)

    def _user(self, place: SourcePlace, user: Object) -> Iterator[Row | Broken]:
        username = text_of(user.get("username"))
        if not username:
            yield broken(place, "The user has no username.", user)
            return
        uid = self._uids.of(username)
        full = f"{text_of(user.get('first_name'))} {text_of(user.get('last_name'))}".strip()
        yield from self._people.described(
            place,
            uid,
            text_of(user.get("nickname")) or full or username,
            avatar=text_of(user.get("profile_image")),
            deactivatedAt=_time(user.get("delete_at")),
            metadata={"username": username},
        )
        for team in objects_of(user.get("teams")):
            for channel in objects_of(team.get("channels")):
                yield from self._member(place, uid, text_of(team.get("name")), channel)

    def _bot(self, place: SourcePlace, bot: Object) -> Iterator[Row | Broken]:
        username = text_of(bot.get("username"))
        if not username:
            yield broken(place, "The bot has no username.", bot)
            return
        yield from self._people.described(
            place,
            self._uids.of(username),
            text_of(bot.get("display_name")) or username,
            avatar=text_of(bot.get("profile_image")),
            isBot=True,
            deactivatedAt=_time(bot.get("delete_at")),
            metadata={"username": username},
        )

    def _member(
        self, place: SourcePlace, uid: str, team: str, channel: Object
    ) -> Iterator[Row | Broken]:
        name = text_of(channel.get("name"))
        if not name:
            yield broken(place, "The channel of a user has no name.", channel)
            return
        room, rows = self._room(place, team, name)
        yield from rows
        is_admin = "channel_admin" in text_of(channel.get("roles")).split()
        yield self._rows.member(place, room.guid, uid, scope="admin" if is_admin else None)
        self._views.add(room.key, uid, channel.get("last_viewed_at"))

    def _channel(self, place: SourcePlace, channel: Object) -> Iterator[Row | Broken]:
        team, name = text_of(channel.get("team")), text_of(channel.get("name"))
        if not name:
            yield broken(place, "The channel has no name.", channel)
            return
        if channel.get("deleted_at") or channel.get("delete_at"):
            self._reading.drop("that channels are archived")
        guid = self._guids.of(f"{team}_{name}")
        if guid not in self._groups:
            self._groups.add(guid)
            about = text_of(channel.get("purpose")) or text_of(channel.get("header"))
            kind = _KINDS_OF_GROUPS.get(text_of(channel.get("type")), "private")
            shown = text_of(channel.get("display_name")) or name
            yield self._rows.group(place, guid, shown, kind, description=short_text(about))

    def _room(self, place: SourcePlace, team: str, name: str) -> tuple[_PostedIn, Sequence[Row]]:
        """Return a channel, and its row if no line before has described it."""
        guid = self._guids.of(f"{team}_{name}")
        rows = [] if guid in self._groups else [self._rows.group(place, guid, name, "private")]
        self._groups.add(guid)
        return _PostedIn(guid, guid), rows

    def _direct(
        self, place: SourcePlace, usernames: Sequence[str]
    ) -> tuple[_PostedIn, Sequence[Row]]:
        """Return the conversation of users, and the rows of a new one of more than two."""
        names = sorted(set(usernames))
        uids = tuple(self._met(place, name) for name in names)
        if len(names) <= 2:
            return _PostedIn("/".join(uids), uids=uids), []
        guid = self._guids.of("_".join(names))
        if guid in self._groups:
            return _PostedIn(guid, guid), []
        self._groups.add(guid)
        shown = ", ".join(map(self._people.name_of, uids))
        rows = [self._rows.group(place, guid, shown, "private")]
        rows += [self._rows.member(place, guid, uid) for uid in uids]
        return _PostedIn(guid, guid), rows

    def _direct_channel(self, place: SourcePlace, channel: Object) -> Iterator[Row | Broken]:
        participants = objects_of(channel.get("participants"))
        usernames = texts_of(channel.get("members")) or [
            name for each in participants if (name := text_of(each.get("username")))
        ]
        if not usernames:
            yield broken(place, "The direct channel has no members.", channel)
            return
        room, rows = self._direct(place, usernames)
        yield from rows
        for each in participants:
            if username := text_of(each.get("username")):
                uid = self._met(place, username)
                self._views.add(room.key, uid, each.get("last_viewed_at"))

    # --- Messages

    def _group_post(self, place: SourcePlace, post: Object) -> Iterator[Row | Broken]:
        channel = text_of(post.get("channel"))
        if not channel:
            yield broken(place, "The post has no channel.", post)
            return
        room, rows = self._room(place, text_of(post.get("team")), channel)
        yield from rows
        yield from self._thread(place, room, post)

    def _direct_post(self, place: SourcePlace, post: Object) -> Iterator[Row | Broken]:
        usernames = texts_of(post.get("channel_members"))
        if not usernames:
            yield broken(place, "The direct post has no members.", post)
            return
        room, rows = self._direct(place, [*usernames, *filter(None, [text_of(post.get("user"))])])
        yield from rows
        yield from self._thread(place, room, post)

    def _thread(self, place: SourcePlace, room: _PostedIn, post: Object) -> Iterator[Row | Broken]:
        named = yield from self._post(place, room, post, None)
        if named is not None:
            self._views.see(room, named, post.get("create_at"))
        for reply in objects_of(post.get("replies")):
            if named is None:
                self._reading.drop("threads of replies whose first message is left out")
            yield from self._post(place, room, reply, named)

    def _post(
        self, place: SourcePlace, room: _PostedIn, post: Object, parent: Named | None
    ) -> Generator[Row | Broken, None, Named | None]:
        """Yield the rows of a post, and return it; None if it is left out."""
        if text_of(post.get("type")).startswith("system_"):
            self._reading.drop("system messages")
            return None
        username = text_of(post.get("user"))
        if not username:
            yield broken(place, "The post has no user.", post)
            return None
        props = object_of(post.get("props"))
        sender = self._sender(place, username, props)
        text = "\n\n".join(filter(None, [text_of(post.get("message")), *_cards(props)]))
        said = Said(
            muid=muid_of(post.get("create_at"), room.key, username, post.get("message")),
            sender=sender,
            to=room.to(self._met(place, username)),
            sent_at=seconds_of(post.get("create_at"), MILLISECONDS),
            text=with_mentions(text, self._uid_of),
            attached=list(self._attached(post)),
            parent=parent,
            edited_at=_time(post.get("edit_at")),
            pinned_at=_time(post.get("create_at")) if post.get("is_pinned") is True else None,
            is_read=room.key not in self._views,
        )
        if saved := len(texts_of(post.get("flagged_by"))):
            self._reading.drop("saved messages", saved)
        rows = list(self._rows.message(place, said))
        yield from rows
        if not rows:
            return None
        named = (said.sender, said.muid)
        yield from self._reactions(place, named, post)
        return named

    def _sender(self, place: SourcePlace, username: str, props: Object) -> str:
        """Return the uid of the user who wrote; of a webhook with a name of its own, that of it."""
        shown = text_of(props.get("override_username"))
        if not shown or text_of(props.get("from_webhook")) != "true":
            return self._met(place, username)
        return self._people.met(place, self._uids.of(f"webhook-{shown}"), shown, isBot=True)

    def _uid_of(self, name: str) -> str | None:
        """Return the uid of a user who is known by name."""
        name = name.lower()
        uid = self._uids.of(name) if self._uids.has(name) else None
        return uid if uid is not None and uid in self._people else None

    def _attached(self, post: Object) -> Iterator[Attached]:
        for each in objects_of(post.get("attachments")):
            path = self._find(text_of(each.get("path")))
            if path is None:
                self._reading.drop("files that are not in the export")
            else:
                yield Attached(FILE + path, name=path.rpartition("/")[2])

    def _find(self, path: str) -> str | None:
        """Return where a file lies: beside the lines, or in `data` there."""
        if not path:
            return None
        places = (f"{self._root}/{path}", f"{self._root}/data/{path}")
        return next((each for each in map(_relative, places) if self._tree.has(each)), None)

    def _reactions(self, place: SourcePlace, to: Named, post: Object) -> Iterator[Row]:
        for each in objects_of(post.get("reactions")):
            name, username = text_of(each.get("emoji_name")), text_of(each.get("user"))
            if not username:
                self._reading.drop("reactions of which the export does not say by whom")
                continue
            uid, at = self._met(place, username), _time(each.get("create_at"))
            yield self._rows.reaction(place, to, uid, emoji_of(name) or name, at)


class _Views:
    """Finds the last message that each user has seen of each conversation.

    When users last looked is known before the messages come, in any order: of the messages between
    two such times only the latest is kept.
    """

    def __init__(self) -> None:
        self._viewed: dict[str, dict[str, int]] = {}
        self._times: dict[str, list[int]] = {}
        self._latest: dict[str, dict[int, tuple[int, Named]]] = {}
        self._rooms: dict[str, _PostedIn] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._viewed

    def add(self, key: str, uid: str, at: Any) -> None:
        """Take in when a user last looked at a conversation."""
        if (viewed := whole_of(at)) and viewed > 0:
            self._viewed.setdefault(key, {})[uid] = viewed
            self._times.pop(key, None)
            self._latest.pop(key, None)

    def see(self, room: _PostedIn, named: Named, at: Any) -> None:
        """Take in a message."""
        sent = whole_of(at)
        if sent is None or room.key not in self._viewed:
            return
        if room.key not in self._times:
            self._times[room.key] = sorted(set(self._viewed[room.key].values()))
        self._rooms[room.key] = room
        slot = bisect_left(self._times[room.key], sent)
        slots = self._latest.setdefault(room.key, {})
        slots[slot] = max(slots.get(slot, (-1, named)), (sent, named))

    def latest(self) -> Iterator[tuple[To, str, Named, int]]:
        """Yield what each user has read of each conversation, with the time when they looked."""
        for key, slots in self._latest.items():
            times, best = self._times[key], dict[int, Named]()
            last: Named | None = None
            for slot, time in enumerate(times):
                last = slots[slot][1] if slot in slots else last
                if last is not None:
                    best[time] = last
            for uid, viewed in self._viewed[key].items():
                if viewed in best:
                    yield self._rooms[key].to(uid), uid, best[viewed], viewed


def _cards(props: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts of the cards that integrations add to a message."""
    for card in objects_of(props.get("attachments")):
        title, link = text_of(card.get("title")), text_of(card.get("title_link"))
        fields = (
            f"**{text_of(each.get('title'))}**: {text_of(each.get('value'))}"
            for each in objects_of(card.get("fields"))
        )
        shown = f"[{title}]({link})" if title and link else title
        lines = [text_of(card.get("pretext")), shown, text_of(card.get("text")), *fields]
        yield "\n".join(filter(None, lines)) or text_of(card.get("fallback"))


def _time(milliseconds: Any) -> Any:
    """Return a time that may be missing, which is also said by 0."""
    return seconds_of(milliseconds, MILLISECONDS) if milliseconds else None


def _relative(path: str) -> str:
    return path.lstrip("/")
