"""Matrix: rooms that Element exported as JSON, with their media beside them."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

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
from hubbub.moving.sources.scratch import Scratch
from hubbub.moving.sources.uids import Uids
from hubbub.moving.sources.values import MILLISECONDS as MS
from hubbub.moving.sources.values import Object, object_of, seconds_of, text_of, texts_of, whole_of
from hubbub.moving.tree import Tree

UNDECRYPTED = "messages that the export does not have decrypted"
ABSENT = "files that are not in the export"
SYSTEM = "joins, names, topics and other events of the room"
LOST_REPLIES = "replies to messages that are not in the export"
_MEDIA = {
    "m.image": "images",
    "m.video": "videos",
    "m.audio": "audio",
    "m.file": "files",
    "m.sticker": "stickers",
}
"""The folders by the kind of a file."""
_MESSAGES = {"m.room.message", "m.sticker"}
_ENCRYPTED = {"m.room.encrypted", "m.bad.encrypted"}
_PILL = re.compile(r'<a href="https://matrix\.to/#/(@[^"/?]{1,255})[^"]{0,255}">([^<]{1,255})</a>')
_QUOTED_LINE = re.compile(r"(?:> [^\n]*\n)+\n")
_ADMIN, _MODERATOR = 100, 50
_DEEPEST = 10


class Matrix:
    """One room or several, each a `.json` file that may lie in a `.zip` file with its media."""

    name = "matrix"
    title = "Matrix (Element)"

    def detect(self, tree: Tree) -> bool:
        return next(_rooms(tree), None) is not None

    def read(self, tree: Tree, reading: Reading) -> Iterator[Row | Broken]:
        names = list(_rooms(tree))
        if not names:
            raise SourceUnreadable(
                f"{tree.name} has no room that Element exported as JSON. In Element, open the"
                " room's info, choose Export Chat, and the format JSON."
            )
        rows = Rows(tree, reading)
        people, uids = KnownPeople(rows), Uids()
        for name in names:
            with Scratch() as facts:
                room = _MatrixRoom(name, tree, reading, facts, rows, people, uids)
                yield from room.read()
        yield from people.strangers()


def _rooms(tree: Tree) -> Iterator[str]:
    for name in tree.names():
        if name.endswith(".json") and {"room_name", "exported_by"} <= first_keys(tree, name).keys():
            yield name


@dataclass(slots=True)
class _State:
    """What the events of a room tell of the room, once all are read."""

    id: str = ""
    name: str = ""
    topic: str = ""
    creator: str = ""
    is_public: bool = False
    is_direct: bool = False
    created_at: int | None = None
    earliest: int | None = None
    powers: dict[str, int] = field(default_factory=dict)
    pinned: dict[str, Any] = field(default_factory=dict)
    members: dict[str, tuple[str, Any, SourcePlace]] = field(default_factory=dict)
    """The membership of each user, when it began, and where that stands."""

    def scope_of(self, user: str) -> str:
        power = self.powers.get(user, 0)
        if power >= _ADMIN:
            return "admin"
        return "moderator" if power >= _MODERATOR else "participant"


class _MatrixRoom:
    def __init__(
        self,
        name: str,
        tree: Tree,
        reading: Reading,
        facts: Scratch,
        rows: Rows,
        people: KnownPeople,
        uids: Uids,
    ) -> None:
        self._name, self._tree, self._reading = name, tree, reading
        self._facts, self._rows, self._people, self._uids = facts, rows, people, uids
        self._state = _State()
        self._files = sorted(tree.names())
        folder = str(PurePosixPath(name).parent)
        self._root = "" if folder == "." else f"{folder}/"

    def read(self) -> Iterator[Row | Broken]:
        """Read the room twice: for what later events tell of earlier ones, and for its messages."""
        for place, event in self._events(self._reading):
            if isinstance(event, dict):
                self._survey(place, event)
        yield from self._group()
        for place, event in self._events(None):
            if isinstance(event, Broken):
                yield event
            elif event is None:
                self._reading.drop(UNDECRYPTED)
            else:
                yield from self._event(place, event)

    def _events(self, reading: Reading | None) -> Iterator[tuple[SourcePlace, Any]]:
        number = 0
        wanted = {"messages.item", "room_name", "topic"}
        with self._tree.open(self._name) as file:
            try:
                for path, value in read_parts(file, wanted, reading=reading):
                    if path == "room_name":
                        self._state.name = text_of(value)
                    if path == "topic":
                        self._state.topic = text_of(value)
                    if path != "messages.item":
                        continue
                    number += 1
                    place = SourcePlace(self._name, number)
                    is_known = value is None or isinstance(value, dict)
                    yield place, value if is_known else broken(place, NO_OBJECT, value)
            except BrokenJson as fault:
                place = SourcePlace(self._name, number + 1)
                yield place, broken(place, f"{REST_BROKEN}: {fault}.")

    # --- What the room is

    def _survey(self, place: SourcePlace, event: Object) -> None:
        state, kind = self._state, text_of(event.get("type"))
        content, sender = object_of(event.get("content")), text_of(event.get("sender"))
        at = seconds_of(event.get("origin_server_ts"), MS)
        state.id = state.id or text_of(event.get("room_id"))
        if isinstance(at, int) and at >= 0:
            state.earliest = at if state.earliest is None else min(at, state.earliest)
        match kind:
            case "m.room.create":
                state.creator, state.created_at = sender, at
            case "m.room.join_rules":
                state.is_public = content.get("join_rule") == "public"
            case "m.room.power_levels":
                powers = object_of(content.get("users")).items()
                state.powers = {user: whole_of(power) or 0 for user, power in powers}
            case "m.room.pinned_events":
                pins = dict.fromkeys(texts_of(content.get("pinned")), at)
                state.pinned = {
                    **pins,
                    **{id_: state.pinned[id_] for id_ in pins if id_ in state.pinned},
                }
            case "m.room.member":
                self._member(place, event, content, at)
            case "m.room.redaction":
                target = text_of(event.get("redacts")) or text_of(content.get("redacts"))
                self._facts.put(f"redacted {target}", at)
            case _ if kind in _MESSAGES and sender:
                self._survey_message(place, event, content, sender, at)

    def _member(self, place: SourcePlace, event: Object, content: Object, at: Any) -> None:
        user, name = text_of(event.get("state_key")), text_of(content.get("displayname"))
        membership = text_of(content.get("membership"))
        if not user:
            return
        self._met(place, user, name)
        self._state.is_direct |= content.get("is_direct") is True
        before = self._state.members.get(user)
        if before is None or before[0] != membership:
            self._state.members[user] = (membership, at, place)

    def _survey_message(
        self, place: SourcePlace, event: Object, content: Object, sender: str, at: Any
    ) -> None:
        id_, relation = text_of(event.get("event_id")), object_of(content.get("m.relates_to"))
        self._met(place, sender)
        self._state.members.setdefault(sender, ("join", at, place))
        target = text_of(relation.get("event_id"))
        if relation.get("rel_type") == "m.replace":
            self._facts.put(f"edit {sender} {target}", [at, content.get("m.new_content")])
            return
        root = target if relation.get("rel_type") == "m.thread" else ""
        self._facts.put(f"message {id_}", [sender, root])

    def _group(self) -> Iterator[Row]:
        state = self._state
        if self._pair():
            return
        place = SourcePlace(self._name, 1)
        created = state.earliest if state.created_at is None else state.created_at
        yield self._rows.group(
            place,
            self._guid(),
            state.name,
            "public" if state.is_public else "private",
            owner=self._met(place, state.creator) if state.creator else None,
            description=short_text(state.topic),
            createdAt=created,
        )
        for user, (membership, at, where) in state.members.items():
            if membership not in ("join", "ban"):
                continue
            later = max(at, created) if isinstance(at, int) and isinstance(created, int) else at
            yield self._rows.member(
                where,
                self._guid(),
                self._met(where, user),
                scope=state.scope_of(user) if membership == "join" else None,
                joinedAt=later if membership == "join" else None,
                isBanned=True if membership == "ban" else None,
            )

    def _guid(self) -> str:
        return self._uids.of(self._state.id or f"{self._state.name} {self._name}")

    def _pair(self) -> list[str]:
        """Return the two whose room it is, if it was made for direct messages."""
        members = self._state.members
        both = [user for user, (kind, _, _) in members.items() if kind != "ban"]
        return both if self._state.is_direct and len(both) == 2 else []

    def _met(self, place: SourcePlace, user: str, name: str = "") -> str:
        shown = name or user.removeprefix("@").partition(":")[0]
        return self._people.met(place, self._uids.of(user), shown)

    # --- Messages

    def _event(self, place: SourcePlace, event: Object) -> Iterator[Row | Broken]:
        kind, content = text_of(event.get("type")), object_of(event.get("content"))
        relation = object_of(content.get("m.relates_to"))
        if kind in _ENCRYPTED or text_of(content.get("msgtype")) in _ENCRYPTED:
            self._reading.drop(UNDECRYPTED)
        elif kind == "m.reaction":
            yield from self._reaction(place, event, relation)
        elif kind in _MESSAGES:
            if relation.get("rel_type") != "m.replace":
                yield from self._message(place, event, content, relation)
        elif kind != "m.room.redaction":
            self._reading.drop(SYSTEM)

    def _message(
        self, place: SourcePlace, event: Object, content: Object, relation: Object
    ) -> Iterator[Row | Broken]:
        id_, sender = text_of(event.get("event_id")), text_of(event.get("sender"))
        if not id_ or not sender:
            yield broken(place, "The message has no event_id or no sender.", event)
            return
        to = self._to(place, sender)
        if to is None:
            self._reading.drop("direct messages by neither of the two")
            return
        edited_at, content = self._latest(event, content, f"edit {sender} {id_}")
        parent, quoted = self._references(relation)
        said = Said(
            muid=id_,
            sender=self._met(place, sender),
            to=to,
            sent_at=seconds_of(event.get("origin_server_ts"), MS),
            parent=parent,
            quoted=quoted,
            edited_at=edited_at,
            deleted_at=self._deleted_at(event, content),
            pinned_at=self._state.pinned.get(id_),
        )
        if said.deleted_at is None:
            said.attached = self._attached(event, content)
            said.text = self._text(place, content, is_reply=quoted is not None)
            if said.attached and not content.get("filename"):
                said.text = ""  # it is the name of the file
        else:
            said.edited_at = None
        yield from self._rows.message(place, said)

    def _to(self, place: SourcePlace, sender: str) -> To | None:
        pair = self._pair()
        if not pair:
            return To("group", self._guid())
        if sender not in pair:
            return None
        return To("user", self._met(place, pair[pair[0] == sender]))

    def _latest(self, event: Object, content: Object, key: str) -> tuple[Any, Object]:
        """Return when a message was edited last, and what it has since; its sender edits it."""
        relations = object_of(object_of(event.get("unsigned")).get("m.relations"))
        bundled = object_of(relations.get("m.replace"))
        found = self._facts.get(key)
        if found is None and bundled:
            new = object_of(bundled.get("content")).get("m.new_content")
            found = [seconds_of(bundled.get("origin_server_ts"), MS), new]
        if found is None:
            return None, content
        return found[0], object_of(found[1]) or content

    def _deleted_at(self, event: Object, content: Object) -> Any:
        because = object_of(object_of(event.get("unsigned")).get("redacted_because"))
        if because:
            return seconds_of(because.get("origin_server_ts"), MS)
        at = self._facts.get(f"redacted {text_of(event.get('event_id'))}")
        if at is None and not content:
            return seconds_of(event.get("origin_server_ts"), MS)
        return at

    def _references(self, relation: Object) -> tuple[Named | None, Named | None]:
        """Return the first message of the thread, and the message that is quoted."""
        is_thread = relation.get("rel_type") == "m.thread"
        parent = self._root_of(text_of(relation.get("event_id"))) if is_thread else None
        answered = text_of(object_of(relation.get("m.in_reply_to")).get("event_id"))
        is_quoted = answered and not (is_thread and relation.get("is_falling_back") is True)
        known = self._facts.get(f"message {answered}") if is_quoted else None
        quoted = (self._uids.of(known[0]), answered) if known else None
        if (is_thread and parent is None) or (is_quoted and quoted is None):
            self._reading.drop(LOST_REPLIES)
        return parent, quoted

    def _root_of(self, id_: str) -> Named | None:
        """Return the message that begins a thread, also if a message within it is named."""
        for _ in range(_DEEPEST):
            known = self._facts.get(f"message {id_}")
            if known is None:
                return None
            sender, root = known
            if not root:
                return self._uids.of(sender), id_
            id_ = root
        return None

    def _text(self, place: SourcePlace, content: Object, *, is_reply: bool) -> str:
        text, kind = text_of(content.get("body")), content.get("msgtype")
        if is_reply:
            text = _QUOTED_LINE.sub("", text, count=1) if text.startswith("> ") else text
        for user, label in _PILL.findall(text_of(content.get("formatted_body"))):
            text = text.replace(label, f"<@uid:{self._met(place, user)}>", 1)
        if object_of(content.get("m.mentions")).get("room") is True or "@room" in text:
            text = text.replace("@room", "<@all>")
        if kind == "m.location":
            text = "\n".join(filter(None, (text, text_of(content.get("geo_uri")))))
        return f"_{text}_" if kind == "m.emote" and text.strip() else text

    # --- Files and reactions

    def _attached(self, event: Object, content: Object) -> list[Attached]:
        is_sticker = event.get("type") == "m.sticker"
        kind = "m.sticker" if is_sticker else text_of(content.get("msgtype"))
        if kind not in _MEDIA:
            return []
        info, body = object_of(content.get("info")), text_of(content.get("body"))
        path = self._path(_MEDIA[kind], body, event)
        url = FILE + path if path else text_of(content.get("url"))
        if not path and not is_link(url):
            self._reading.drop(ABSENT)
            return []
        return [
            Attached(
                url,
                name=text_of(content.get("filename")) or body,
                mime_type=text_of(info.get("mimetype")),
                size=self._tree.size(path) if path else whole_of(info.get("size")),
                width=whole_of(info.get("w")),
                height=whole_of(info.get("h")),
            )
        ]

    def _path(self, folder: str, body: str, event: Object) -> str:
        """Return the path of a file, whose name in the export has the date behind its own name."""
        stem, dot, ending = body.rpartition(".")
        start = f"{self._root}{folder}/{stem if dot else body}-"
        end = ".png" if folder == "stickers" else dot + ending
        found = []
        for name in islice(self._files, bisect_left(self._files, start), None):
            if not name.startswith(start):
                break
            if name.endswith(end) and "/" not in name[len(start) :]:
                found.append(name)
        if len(found) > 1:
            found = [name for name in found if _has_day(name[len(start) :], event)]
        return found[0] if len(found) == 1 else ""

    def _reaction(
        self, place: SourcePlace, event: Object, relation: Object
    ) -> Iterator[Row | Broken]:
        id_, user = text_of(relation.get("event_id")), text_of(event.get("sender"))
        if not id_:  # it was taken back
            return
        known = self._facts.get(f"message {id_}")
        if known is None or not user:
            self._reading.drop("reactions to messages that are not in the export")
            return
        at = seconds_of(event.get("origin_server_ts"), MS)
        named = (self._uids.of(known[0]), id_)
        key = text_of(relation.get("key"))
        yield self._rows.reaction(place, named, self._met(place, user), key, at)


def _has_day(text: str, event: Object) -> bool:
    """Return whether a part of a name has the numbers of the day of an event, in any order."""
    at = whole_of(event.get("origin_server_ts"))
    try:
        day = datetime.fromtimestamp((at or 0) // MS, UTC)
    except (ValueError, OverflowError, OSError):
        return False
    numbers = {int(number) for number in re.findall(r"\d{1,4}", text)}
    return {day.year, day.month, day.day} <= numbers
