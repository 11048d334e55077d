"""Bodies of the REST import in files: their rows become lines with the same content."""

from pathlib import Path

import pytest
from tests.moving.readings import FIXTURES, checked, write

from hubbub.moving.sources.interface import Broken, Reading, Row, SourceUnreadable
from hubbub.moving.sources.v3 import V3
from hubbub.moving.tree import open_tree

BODIES = FIXTURES / "v3/bodies"
IN_GROUP = {"sender": "edda", "receiverType": "group", "receiver": "hikers"}


def rows_of(path: Path) -> tuple[list[dict[str, object]], list[Broken], Reading]:
    """Return the lines as they come, since some are to be refused later."""
    reading = Reading()
    found = list(V3().read(open_tree(path), reading))
    lines = [dict(row.line) for row in found if isinstance(row, Row)]  # type: ignore[arg-type]  # none is checked
    return lines, [row for row in found if isinstance(row, Broken)], reading


def of(kind: str) -> list[dict[str, object]]:
    """Return the lines of a kind, without it."""
    lines = [line for line in rows_of(BODIES)[0] if line["type"] == kind]
    return [{name: line[name] for name in line if name != "type"} for line in lines]


def test_users_keep_all_fields() -> None:
    """Digits become numbers; who has no row of their own comes from what other rows bring."""
    assert of("user") == [
        {
            "uid": "edda", "name": "Edda Falk", "createdAt": 1710000000, "tags": ["staff"],
            "metadata": {"team": 4}, "statusMessage": "Out", "lastActiveAt": 1710000900,
            "role": "default", "avatar": "https://example.com/e.png",
        },
        {"uid": "ben", "name": "Ben", "deactivatedAt": 1710000500},
        {"uid": "carl", "name": "Carl", "createdAt": 1700000000},
        {"uid": "dora", "name": "Dora"},
    ]  # fmt: skip


def test_groups_and_members_keep_all_fields() -> None:
    """The type of a group is its `groupType`; a member may be banned."""
    assert of("group") == [
        {
            "guid": "hikers", "name": "Hikers", "groupType": "password", "password": "secret",
            "owner": "edda", "createdAt": 1710000000,
        }
    ]  # fmt: skip
    joined = {"guid": "hikers", "joinedAt": 1710000100}
    assert of("member") == [
        {**joined, "uid": "ben", "scope": "moderator"},
        {**joined, "uid": "carl", "isBanned": True},
    ]


def test_messages_keep_all_fields() -> None:
    """Parents and quotations are named by muid and sender, also where an earlier row tells it."""
    assert of("message") == [
        {"muid": "old-1", **IN_GROUP, "sentAt": 1710000200, "data": {"text": "Who comes along?"}},
        {
            "muid": "old-2", **IN_GROUP, "sender": "ben", "sentAt": 1710000300,
            "data": {"text": "I do."}, "readAt": 1710000301,
            "parentMuid": "old-1", "parentSender": "edda",
        },
        {
            "muid": "old-3", **IN_GROUP, "sentAt": 1710000400, "category": "message",
            "messageType": "image", "data": {"attachments": [{"url": "https://example.com/a.png"}]},
            "editedAt": 1710000460, "quotedMuid": "old-2", "quotedSender": "ben", "tags": ["plan"],
            "conversationText": "A picture", "updateConversation": False,
        },
        {
            "muid": "old-4", "sender": "dora", "receiverType": "user", "receiver": "edda",
            "sentAt": 1710000600, "data": {"text": "To one"},
        },
        {
            "muid": "old-5", "sender": "edda", "receiverType": "user", "receiver": "dora",
            "sentAt": 1710000700, "data": {"text": "Of the same two"},
            "parentMuid": "old-4", "parentSender": "dora",
        },
        {
            "muid": "old-7", "sender": "edda", "receiverType": "user", "receiver": "dora",
            "sentAt": 1710000900.25, "data": {"text": "A fraction"},
        },
        {"muid": "late-1", **IN_GROUP, "sentAt": 1710000800, "data": {"text": "Whole"}},
    ]  # fmt: skip


def test_reactions_are_rows_of_their_own() -> None:
    """A reaction names the message that it is to; nonsense is left to be refused by itself."""
    message = {"muid": "old-3", "sender": "edda"}
    assert of("reaction") == [
        {**message, "uid": "ben", "reaction": "👍", "at": 1710000500},
        {**message, "uid": "carl", "reaction": "❤️"},
        {**message, "reaction": "nonsense"},
    ]


def test_what_can_not_be_a_line_is_refused_at_its_place() -> None:
    """Another key, no object, a number of a stored message and half a file are refused."""
    _, broken, _ = rows_of(BODIES)

    assert [(each.source, each.number, each.error[:50]) for each in broken] == [
        ("1-people.json", 3, "The uid 'anna' differs from the key 'fritz' of the"),
        ("1-people.json", 4, "The row is no object."),
        ("1-people.json", 8, "The memberId 'hikers_member_dora' differs from 'hi"),
        ("2-messages.json", 6, "The message refers to the id of a stored message; "),
        ("3-broken.json", 2, "The file is no JSON from here on: parse error: pre"),
    ]
    assert broken[1].text == '"no object"'


def test_what_is_left_out_is_counted() -> None:
    """Unknown fields and wishes to notify are counted."""
    assert rows_of(BODIES)[2].dropped == {
        "fields that rows do not have": 1,
        "sendNotification: imports notify nobody": 1,
    }


def test_good_rows_are_valid_lines() -> None:
    """All but those with a fraction of a second or a nonsensical reaction are valid lines."""
    bad = {1710000900.25, "nonsense"}
    lines = [
        line
        for line in rows_of(BODIES)[0]
        if line.get("sentAt") not in bad and line.get("reaction") not in bad
    ]

    assert len(lines) == 15
    for line in lines:
        checked(line)


def test_other_files_are_refused(tmp_path: Path) -> None:
    """A source without bodies says how they begin."""
    write(tmp_path, {"a.json": '{"users": []}', "b.json": "[]"})

    assert not V3().detect(open_tree(tmp_path))
    with pytest.raises(SourceUnreadable, match="begins with an object of users"):
        rows_of(tmp_path)
