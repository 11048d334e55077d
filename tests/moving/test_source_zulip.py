"""Exports of Zulip: streams with topics, conversations, reactions and uploads."""

from pathlib import Path
from typing import Any

import pytest
from tests.moving.readings import FIXTURES, checked, write

from hubbub.moving.sources.interface import Broken, Reading, Row, SourceUnreadable
from hubbub.moving.sources.zulip import Zulip
from hubbub.moving.tree import open_tree

EXPORT = FIXTURES / "zulip/export"


def reading() -> tuple[list[dict[str, Any]], list[Broken], Reading]:
    """Return the valid lines, the places that can't be read, and what is left out."""
    state = Reading()
    found = list(Zulip().read(open_tree(EXPORT), state))
    rows = [row for row in found if isinstance(row, Row) and dict(row.line).get("sentAt") != "soon"]  # type: ignore[arg-type]  # none is checked
    return [checked(row.line) for row in rows], [x for x in found if isinstance(x, Broken)], state


def of(kind: str) -> list[dict[str, Any]]:
    """Return the lines of a kind, without it."""
    lines = [line for line in reading()[0] if line.pop("type") == kind]
    assert lines
    return lines


def test_users() -> None:
    """Users have their e-mail address as metadata; those who left are deactivated."""
    assert of("user") == [
        {
            "uid": "zulip-7", "name": "Rosa Lind", "createdAt": 1700000000,
            "lastActiveAt": 1700009000, "metadata": {"email": "rosa@example.com"},
        },
        {
            "uid": "zulip-8", "name": "Theo", "isBot": True, "createdAt": 1700000000,
            "metadata": {"email": "theo@example.com"},
        },
        {
            "uid": "zulip-9", "name": "Left", "createdAt": 1700000000,
            "deactivatedAt": 1700000000,
        },
        {
            "uid": "zulip-3", "name": "notification-bot", "isBot": True,
            "metadata": {"email": "notification-bot@zulip.com"},
        },
        {"uid": "zulip-42", "name": "zulip-42"},
    ]  # fmt: skip


def test_streams_and_conversations_become_groups() -> None:
    """A conversation of three is a private group; one of two is none."""
    assert of("group") == [
        {
            "guid": "zulip-5", "name": "general", "groupType": "public", "owner": "zulip-7",
            "description": "All things", "createdAt": 1700000000,
        },
        {"guid": "zulip-6", "name": "secret", "groupType": "private", "createdAt": 1700000001},
        {"guid": "zulip-dm-23", "name": "Rosa Lind, Theo, Left", "groupType": "private"},
    ]  # fmt: skip
    assert [(line["guid"], line["uid"]) for line in of("member")] == [
        ("zulip-5", "zulip-7"), ("zulip-5", "zulip-8"),
        ("zulip-dm-23", "zulip-7"), ("zulip-dm-23", "zulip-8"), ("zulip-dm-23", "zulip-9"),
    ]  # fmt: skip


def test_messages_have_their_topic_as_a_tag() -> None:
    """Names become mentions and emoji; an edit of the topic alone is no edit."""
    general = {"receiverType": "group", "receiver": "zulip-5"}
    text = "Hello <@uid:zulip-8> and <@uid:zulip-9>, @Nobody <@all> 👋 see general > plans"
    messages = of("message")
    assert messages[0] == {
        "muid": "zulip-101", "sender": "zulip-7", **general, "sentAt": 1700001000,
        "readAt": 1700001000, "data": {"text": text}, "editedAt": 1700001100, "tags": ["watering"],
    }  # fmt: skip
    assert "editedAt" not in messages[1]
    assert "tags" not in messages[1]
    assert [(each["sender"], each["receiverType"], each["receiver"]) for each in messages[2:]] == [
        ("zulip-7", "user", "zulip-8"),
        ("zulip-9", "group", "zulip-dm-23"),
        ("zulip-8", "user", "zulip-7"),
        ("zulip-42", "group", "zulip-6"),
        ("zulip-3", "group", "zulip-5"),
    ]
    assert messages[2]["data"] == {"text": "_waves_"}


def test_uploads_are_files_of_their_message() -> None:
    """A link to an upload in the export becomes an attachment; another one its name."""
    path = "uploads/2/ab/XyZ/plan.txt"
    assert of("file") == [{"path": path}]
    assert of("message")[1]["data"] == {
        "text": "The plan  and gone.txt",
        "attachments": [
            {
                "url": f"file:{path}", "name": "plan.txt", "extension": "txt",
                "size": 16,
            }
        ],
    }  # fmt: skip


def test_reactions() -> None:
    """Emoji by code become Unicode; an emoji of the organization keeps its name."""
    to = {"muid": "zulip-101", "sender": "zulip-7"}
    assert of("reaction") == [
        {**to, "uid": "zulip-8", "reaction": "👍"},
        {**to, "uid": "zulip-7", "reaction": "party_parrot"},
        {**to, "uid": "zulip-9", "reaction": "🇩🇪"},
    ]


def test_what_can_not_be_read_is_refused_or_counted() -> None:
    """A damaged place is refused, and something missing is counted."""
    _, broken, state = reading()

    assert [(each.source, each.number, each.error[:24]) for each in broken] == [
        ("realm.json", 3, "The channel has no id."),
        ("realm.json", 4, "It is no JSON object."),
        ("messages-000001.json", 7, "The message has no id, n"),
        ("messages-000001.json", 9, "It is no JSON object."),
        ("messages-000002.json", 2, "The rest is no JSON: par"),
    ]
    assert state.dropped == {
        "files that are not in the export": 1,
        "reactions to messages that are not in the export": 1,
    }


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    """A source without the tables says what to give."""
    write(tmp_path, {"realm.json": "{}"})

    with pytest.raises(SourceUnreadable, match=r"Give the \.tar\.gz file"):
        list(Zulip().read(open_tree(tmp_path), Reading()))
