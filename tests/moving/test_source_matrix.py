"""Rooms of Matrix as Element exports them: edits, threads, replies, reactions and redactions."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.moving.reading import Read, tree_of

from hubbub.moving.sources.interface import Reading, SourceUnreadable
from hubbub.moving.sources.matrix import Matrix
from hubbub.moving.sources.uids import Uids

ROSA, THEO, INES, SPAM = (
    Uids().of(name)
    for name in (
        "@rosa:example.org", "@theo:example.org", "@ines:example.org", "@spam:other.example",
    )
)  # fmt: skip
GARDEN = Uids().of("!garden:example.org")
START = 1700000000


def message(id_: str) -> dict[str, Any]:
    """Return a message of the fixture without what all have."""
    found = Read("matrix").message(id_)
    assert (found.pop("receiverType"), found.pop("receiver")) == ("group", GARDEN)
    assert found.pop("readAt", found["sentAt"]) == found["sentAt"]
    return found


def test_a_room_is_a_group_with_its_members() -> None:
    """Powers become scopes; who only wrote is a member, too; who was banned stays banned."""
    found = Read("matrix")

    assert found.of("group") == [
        {
            "guid": GARDEN, "name": "Garden", "groupType": "public", "owner": ROSA,
            "description": "Roses", "createdAt": START,
        }
    ]  # fmt: skip
    assert found.of("member") == [
        {"guid": GARDEN, "uid": ROSA, "scope": "admin", "joinedAt": START + 1},
        {"guid": GARDEN, "uid": THEO, "scope": "moderator", "joinedAt": START + 4},
        {"guid": GARDEN, "uid": SPAM, "isBanned": True},
        {"guid": GARDEN, "uid": INES, "scope": "participant", "joinedAt": START + 15},
    ]
    assert found.of("user") == [
        {"uid": ROSA, "name": "Rosa Lind"},
        {"uid": THEO, "name": "Theo"},
        {"uid": SPAM, "name": "spam"},
        {"uid": INES, "name": "ines"},
    ]


def test_texts() -> None:
    """Mentions, replies and emotes; an edit counts if it is by the sender."""
    assert Read("matrix").texts() == [
        f"Hello <@uid:{THEO}> and <@all>", "Hello", "Yes?", "In a thread", "Deeper",
        "Answer to nothing", None, "gone.pdf", "_waters_", None, None, "New",
    ]  # fmt: skip


def test_edits_and_pins() -> None:
    """A message has its last text and the time of the last edit, and of its pin."""
    assert message("$2") == {
        "muid": "$2", "sender": THEO, "sentAt": START + 11, "editedAt": START + 12,
        "data": {"text": "Hello"},
    }  # fmt: skip
    assert message("$20")["editedAt"] == START + 40
    assert message("$1")["pinnedAt"] == START + 28


def test_threads_and_replies() -> None:
    """A reply within a thread belongs to its first message; a reply outside of it quotes."""
    assert message("$3")["quotedMuid"] == "$1"
    assert message("$3")["quotedSender"] == ROSA
    assert "parentMuid" not in message("$3")
    for id_ in ("$4", "$5"):
        assert (message(id_)["parentMuid"], message(id_)["parentSender"]) == ("$1", ROSA)
    assert "quotedMuid" not in message("$4")
    assert message("$5")["quotedMuid"] == "$4"
    assert "parentMuid" not in message("$6")


def test_redacted_messages_are_deleted() -> None:
    """Both forms of a redaction delete a message, at its time."""
    assert message("$10")["deletedAt"] == START + 30
    assert message("$18")["deletedAt"] == START + 31
    assert "data" not in message("$18")


def test_media_lie_beside_the_room() -> None:
    """Of files with the same name, the one of the message's day is taken."""
    path = "images/rose-14-11-2023.png"
    assert Read("matrix").of("file") == [{"path": path}]
    assert message("$7")["messageType"] == "image"
    assert message("$7")["data"] == {
        "attachments": [
            {
                "url": f"file:{path}", "name": "rose.png", "extension": "png",
                "mimeType": "image/png", "size": 5, "width": 4, "height": 3,
            }
        ]
    }  # fmt: skip


def test_reactions() -> None:
    """A reaction has its own time; one that was taken back is none."""
    assert Read("matrix").of("reaction") == [
        {"muid": "$1", "sender": ROSA, "uid": THEO, "reaction": "👍", "at": START + 22}
    ]


def test_what_is_left_out_is_counted_or_refused() -> None:
    """Encrypted messages, events of the room and missing things are counted."""
    found = Read("matrix")

    assert found.dropped == {
        "messages that the export does not have decrypted": 3,
        "joins, names, topics and other events of the room": 9,
        "files that are not in the export": 1,
        "replies to messages that are not in the export": 1,
        "reactions to messages that are not in the export": 1,
    }
    assert [place for _, place, _ in found.faults()] == [30, 31]


def test_a_room_for_direct_messages_is_one_to_one(tmp_path: Path) -> None:
    """A room of two that was made for direct messages becomes their conversation."""
    member = {
        "type": "m.room.member",
        "sender": "@a:x",
        "origin_server_ts": 1000,
        "room_id": "!d:x",
    }
    events = [
        {**member, "event_id": "$a", "state_key": "@a:x", "content": {"membership": "join"}},
        {
            **member, "event_id": "$b", "state_key": "@b:x",
            "content": {"membership": "invite", "is_direct": True},
        },
        {
            "type": "m.room.message", "sender": "@a:x", "origin_server_ts": 2000,
            "event_id": "$m", "content": {"msgtype": "m.text", "body": "Hi"},
        },
    ]  # fmt: skip
    room = {"room_name": "B", "exported_by": "A", "messages": events}
    (tmp_path / "room.json").write_text(json.dumps(room))

    found = Read("matrix", tmp_path)
    assert found.of("group") == []
    assert [(each["sender"], each["receiver"]) for each in found.of("message")] == [
        (Uids().of("@a:x"), Uids().of("@b:x"))
    ]


def test_threads_that_go_in_circles_are_none(tmp_path: Path) -> None:
    """Messages that each are in the thread of the other one are no replies."""
    events = [
        {
            "type": "m.room.message", "sender": "@a:x", "origin_server_ts": 2000, "event_id": id_,
            "content": {
                "body": id_, "m.relates_to": {"rel_type": "m.thread", "event_id": other}
            },
        }
        for id_, other in (("$1", "$2"), ("$2", "$1"))
    ]  # fmt: skip
    room = {"room_name": "B", "exported_by": "A", "messages": events}
    (tmp_path / "room.json").write_text(json.dumps(room))

    messages = Read("matrix", tmp_path).of("message")
    assert [each.get("parentMuid") for each in messages] == [None, None]


def test_other_json_is_refused(tmp_path: Path) -> None:
    """A source without a room says how to export one."""
    (tmp_path / "room.json").write_text("{}")

    with pytest.raises(SourceUnreadable, match="Export Chat, and the format JSON"):
        list(Matrix().read(tree_of(tmp_path), Reading()))
