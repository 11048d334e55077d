"""Results of Sendbird's data export: users, channels and messages."""

from pathlib import Path
from typing import Any

import pytest
from tests.moving.reading import Read, tree_of

from hubbub.moving.sources.interface import Reading, SourceUnreadable
from hubbub.moving.sources.sendbird import Sendbird
from hubbub.moving.sources.uids import Uids

THEO = Uids().of("Theo B")
GARDEN = "sendbird_group_channel_1"


def message(id_: str) -> dict[str, Any]:
    """Return a message of the fixture."""
    return Read("sendbird").message(id_)


def test_users() -> None:
    """Users come from their file, from channels, from messages and from reactions."""
    assert Read("sendbird").of("user") == [
        {
            "uid": "rosa", "name": "Rosa Lind", "avatar": "https://example.com/r.png",
            "createdAt": 1700000000, "lastActiveAt": 1700009000,
        },
        {"uid": THEO, "name": "Theo", "createdAt": 1700000000, "deactivatedAt": 1700000000},
        {"uid": "ines", "name": "Ines"},
        {"uid": "guest", "name": "Guest"},
        {"uid": "left", "name": "left"},
    ]  # fmt: skip


def test_channels() -> None:
    """A distinct channel of two is no group; an open channel is public."""
    found = Read("sendbird")

    assert found.of("group") == [
        {
            "guid": GARDEN, "name": "Garden", "groupType": "private", "owner": "rosa",
            "icon": "https://example.com/c.png", "createdAt": 1700000100,
        },
        {
            "guid": "sendbird_open_channel_3", "name": "Open", "groupType": "public",
            "createdAt": 1700000300,
        },
        {
            "guid": "sendbird_group_channel_9", "name": "sendbird_group_channel_9",
            "groupType": "private",
        },
    ]  # fmt: skip
    assert found.of("member") == [
        {"guid": GARDEN, "uid": "rosa", "scope": "admin"},
        {"guid": GARDEN, "uid": THEO},
        {"guid": GARDEN, "uid": "ines", "scope": "admin"},
    ]


def test_messages() -> None:
    """A message keeps its text with mentions, its times and its id."""
    assert message("11") == {
        "muid": "11", "sender": "rosa", "receiverType": "group", "receiver": GARDEN,
        "sentAt": 1700001000, "readAt": 1700001000, "editedAt": 1700001100,
        "data": {"text": f"Hello <@uid:{THEO}> and @{{nobody}}"},
    }  # fmt: skip
    assert "editedAt" not in message("12")
    assert message("16")["data"] == {"text": "Hello <@uid:rosa>"}
    assert (message("16")["receiverType"], message("16")["receiver"]) == ("user", "rosa")
    assert message("17")["deletedAt"] == 1700001006


def test_threads() -> None:
    """A reply to a reply belongs to the first message; one to nothing stands alone."""
    for id_ in ("12", "13"):
        assert (message(id_)["parentMuid"], message(id_)["parentSender"]) == ("11", "rosa")
    assert "parentMuid" not in message("18")


def test_files_keep_their_links() -> None:
    """A file is a link, with its name, type and size."""
    assert message("14")["messageType"] == "image"
    assert message("14")["data"] == {
        "attachments": [
            {
                "url": "https://example.com/f/rose.png", "name": "rose.png", "extension": "png",
                "mimeType": "image/png", "size": 77,
            }
        ]
    }  # fmt: skip


def test_reactions() -> None:
    """Each user reacts once; names of emoji become emoji."""
    to = {"muid": "11", "sender": "rosa"}
    assert Read("sendbird").of("reaction") == [
        {**to, "uid": THEO, "reaction": "👍"},
        {**to, "uid": "left", "reaction": "👍"},
        {**to, "uid": "rosa", "reaction": "love"},
    ]


def test_what_is_left_out_is_counted_or_refused() -> None:
    """Admin messages and lost threads are counted; damaged places are refused."""
    found = Read("sendbird")

    assert found.dropped == {
        "messages by no user (admin messages)": 1,
        "replies to messages that are not in the export": 1,
        "contents of files that are not in the export: links are kept": 1,
    }
    assert [(source, place) for source, place, _ in found.faults()] == [
        ("messages-1.json", 9), ("messages-1.json", 10), ("messages-1.json", 12),
    ]  # fmt: skip


def test_other_files_are_refused(tmp_path: Path) -> None:
    """A source without results says what to export."""
    (tmp_path / "a.json").write_text("[]")

    with pytest.raises(SourceUnreadable, match="as JSON, not as CSV"):
        list(Sendbird().read(tree_of(tmp_path), Reading()))
