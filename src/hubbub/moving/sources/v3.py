"""The bodies of the REST import, `{"users": {…}}` and so on, in files."""

import re
from collections.abc import Collection, Iterator
from typing import Any

import msgspec

from hubbub.moving.lines import KIND, KINDS
from hubbub.moving.sources.interface import (
    LONGEST_BROKEN,
    Broken,
    Reading,
    Row,
    SourceUnreadable,
)
from hubbub.moving.sources.json_stream import BrokenJson, read_parts
from hubbub.moving.sources.scratch import Scratch
from hubbub.moving.sources.texts import beginning_of
from hubbub.moving.sources.values import text_of
from hubbub.moving.tree import Tree

WRAPPERS = {"users": "user", "groups": "group", "members": "member", "messages": "message"}
SNIFFED_FILES = 20
_BEGINNING = re.compile(rf'\s*\{{\s*"(?:{"|".join(WRAPPERS)})"\s*:\s*\{{\s*["}}]')
_RENAMED = {
    "group": {"type": "groupType"},
    "message": {
        "type": "messageType",
        "parentId": "parentMuid",
        "quotedMessageId": "quotedMuid",
        "quotedMessageSender": "quotedSender",
    },
}
_DETAILS = {
    "groupOwnerDetails": "user",
    "userDetails": "user",
    "groupDetails": "group",
    "senderUserDetails": "user",
    "receiverUserDetails": "user",
    "receiverGroupDetails": "group",
    "receiverGroupOwnerDetails": "user",
}
"""The fields that bring along a user or a group."""
_KEYS = {"user": "uid", "group": "guid", "member": "memberId", "message": "muid"}
_REFERENCES = {"parentMuid": "parentSender", "quotedMuid": "quotedSender"}
_IDS = {"uid", "guid", "sender", "receiver", "owner", "parentSender", "quotedSender", "role"}
_DIGITS = re.compile(r"[0-9]{1,11}")
UNKNOWN = "fields that rows do not have"
UNNOTIFIED = "sendNotification: imports notify nobody"

_encode = msgspec.json.Encoder().encode
Fields = dict[str, Any]


class V3:
    """Files with the bodies of the four operations of the data import, of any size."""

    name = "v3"
    title = "Bodies of the REST import"

    def detect(self, tree: Tree) -> bool:
        named = [name for name in tree.names() if name.endswith(".json")]
        return any(_begins_so(tree, name) for name in named[:SNIFFED_FILES])

    def read(self, tree: Tree, reading: Reading) -> Iterator[Row | Broken]:
        names = [name for name in tree.names() if name.endswith(".json")]
        found = [name for name in names if _begins_so(tree, name)]
        if not found:
            raise SourceUnreadable(
                "The source has no file that begins with an object of users, groups, members or"
                ' messages, such as {"users": {"anna": {…}}}.'
            )
        details = _Details()
        with Scratch() as senders:
            for name in found:
                yield from _read_file(tree, name, _Bodies(senders, details, reading))
        yield from details.left()


def _begins_so(tree: Tree, name: str) -> bool:
    return _BEGINNING.match(beginning_of(tree, name)) is not None


class _RowPaths(Collection[str]):
    """The paths of rows in a body: all that lies directly in a wrapper."""

    def __contains__(self, path: object) -> bool:
        wrapper, dot, _ = str(path).partition(".")
        return bool(dot) and wrapper in WRAPPERS

    def __iter__(self) -> Iterator[str]:
        return iter(WRAPPERS)

    def __len__(self) -> int:
        return len(WRAPPERS)


def _read_file(tree: Tree, name: str, bodies: "_Bodies") -> Iterator[Row | Broken]:
    number = 0
    with tree.open(name) as file:
        try:
            for path, value in read_parts(file, _RowPaths(), reading=bodies.reading):
                number += 1
                wrapper, _, key = path.partition(".")
                yield from bodies.rows(name, number, WRAPPERS[wrapper], key, value)
        except BrokenJson as fault:
            yield Broken(name, number + 1, f"The file is no JSON from here on: {fault}.", "")


class _Details:
    """The users and groups that rows bring along; those with a row of their own are left out."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], Row] = {}
        self._known: set[tuple[str, str]] = set()

    def know(self, kind: str, key: str) -> None:
        """Remember that a user or a group has a row."""
        self._known.add((kind, key.lower()))

    def add(self, kind: str, row: Row) -> None:
        """Keep a user or a group that a row brings along; the first one counts."""
        assert isinstance(row.line, dict)
        self._rows.setdefault((kind, text_of(row.line.get(_KEYS[kind])).lower()), row)

    def left(self) -> Iterator[Row]:
        """Yield those that have no row of their own."""
        for key, row in self._rows.items():
            if key not in self._known:
                yield row


class _Bodies:
    """Turns the rows of bodies into those of lines."""

    def __init__(self, senders: Scratch, details: _Details, reading: Reading) -> None:
        self.reading = reading
        self._senders, self._details = senders, details

    def rows(
        self, source: str, number: int, kind: str, key: str, value: Any
    ) -> Iterator[Row | Broken]:
        """Yield the lines of a row."""
        if not isinstance(value, dict):
            yield _broken(source, number, "The row is no object.", value)
            return
        fields = self._take_details(source, number, kind, value)
        if error := _fault_of_key(kind, key, fields):
            yield _broken(source, number, error, value)
            return
        reactions = fields.pop("reactions", None) if kind == "message" else None
        line = self._line(kind, fields)
        if kind == "message":
            if error := _fault_of_references(line):
                yield _broken(source, number, error, value)
                return
            self._complete(source, line)
        elif kind in ("user", "group"):
            self._details.know(kind, key)
        yield Row(source, number, line)
        for reaction in self._reactions(line, reactions):
            yield Row(source, number, reaction)

    def _take_details(self, source: str, number: int, kind: str, value: Fields) -> Fields:
        """Return a row without what it brings along, which is kept."""
        fields = {name: each for name, each in value.items() if each is not None}
        for name, kind_of_detail in _DETAILS.items():
            detail = fields.get(name)
            if kind in ("group", "member", "message") and isinstance(detail, dict):
                del fields[name]
                inner = self._take_details(source, number, kind_of_detail, detail)
                row = Row(source, number, self._line(kind_of_detail, inner))
                self._details.add(kind_of_detail, row)
        return fields

    def _line(self, kind: str, fields: Fields) -> Fields:
        """Return the fields under the names that lines have; others are counted."""
        renamed = _RENAMED.get(kind, {})
        known = _fields_of(kind)
        line: Fields = {}
        for name, value in fields.items():
            field = renamed.get(name, name)
            if name == "memberId" or name in renamed.values():
                continue
            if field in known:
                line[field] = _normal(field, value)
            else:
                self.reading.drop(UNNOTIFIED if name == "sendNotification" else UNKNOWN)
        return {KIND: kind, **line}

    def _complete(self, source: str, line: Fields) -> None:
        """Name the senders of the messages that a message refers to, if earlier rows tell."""
        place = "\0".join((source, _conversation(line), ""))
        for reference, sender in _REFERENCES.items():
            if reference in line and sender not in line:
                found = self._senders.get(place + text_of(line[reference]))
                if found is not None:
                    line[sender] = found
        self._senders.put(place + text_of(line.get("muid")), text_of(line.get("sender")))

    def _reactions(self, line: Fields, reactions: Any) -> Iterator[Fields]:
        for each in reactions if isinstance(reactions, list) else [reactions]:
            if each is None:
                continue
            brought = each if isinstance(each, dict) else {"reaction": each}
            fields = {
                "muid": line.get("muid"),
                "sender": line.get("sender"),
                "uid": _normal("uid", brought.get("uid")),
                "reaction": brought.get("reaction"),
                "at": _seconds(brought.get("reactedAt")),
            }
            given = {name: value for name, value in fields.items() if value is not None}
            yield {KIND: "reaction", **given}


def _fields_of(kind: str) -> frozenset[str]:
    return frozenset(field.encode_name for field in msgspec.structs.fields(KINDS[kind]))


def _fault_of_key(kind: str, key: str, fields: Fields) -> str | None:
    """Return why a row does not fit its key, if it does not."""
    name = _KEYS[kind]
    given = text_of(fields.get(name))
    same = given == key if kind == "message" else given.lower() == key.lower()
    if not same:
        return f"The {name} {given[:100]!r} differs from the key {key[:100]!r} of the row."
    if kind == "member":
        meant = f"{text_of(fields.get('guid'))}_member_{text_of(fields.get('uid'))}"
        if meant.lower() != given.lower():
            return f"The memberId {given[:100]!r} differs from {meant[:200]!r}."
    return None


def _fault_of_references(line: Fields) -> str | None:
    """Return why what a message refers to can't be found, if so."""
    numbered = [name for name in _REFERENCES if isinstance(line.get(name), int)]
    if not numbered:
        return None
    return "The message refers to the id of a stored message; in files only muids are known."


def _conversation(line: Fields) -> str:
    """Return the key of a message's conversation: the same for both sides of a one-to-one."""
    ends = [text_of(line.get("receiver")).lower()]
    if line.get("receiverType") == "user":
        ends.append(text_of(line.get("sender")).lower())
    return "\0".join((text_of(line.get("receiverType")), *sorted(ends)))


def _normal(field: str, value: Any) -> Any:
    """Return a value as lines have it: ids in lower case, times as numbers."""
    if field in _IDS and isinstance(value, str):
        return value.lower()
    return _seconds(value) if field.endswith("At") else value


def _seconds(value: Any) -> Any:
    is_digits = isinstance(value, str) and _DIGITS.fullmatch(value)
    return int(value) if is_digits else value


def _broken(source: str, number: int, error: str, value: Any) -> Broken:
    try:
        text = _encode(value)[:LONGEST_BROKEN].decode("utf-8", "replace")
    except (msgspec.MsgspecError, ValueError, OverflowError, RecursionError):
        text = ""
    return Broken(source, number, error, text)
