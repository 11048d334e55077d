"""What Telegram Desktop exports becomes users, groups, messages, quotes, reactions and files."""

import json
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.moving.reading import Read, tree_of

from hubbub.moving.sources.interface import Reading, SourceUnreadable
from hubbub.moving.sources.known import SOURCES, detect


@pytest.fixture(scope="module")
def read() -> Read:
    """The fixture with an account, read once."""
    return Read("telegram")


def in_group(read: Read) -> list[dict[str, Any]]:
    """Return the messages of the group of hikers."""
    return [each for each in read.of("message") if each["receiver"] == "channel600"]


def export(folder: Path, content: Any) -> Path:
    """Write an export of this content."""
    (folder / "result.json").write_text(json.dumps(content))
    return folder


def test_users_are_those_who_occur(read: Read) -> None:
    """Accounts that were deleted, channels and bots have a row, too."""
    assert read.of("user") == [
        {"uid": "user101", "name": "Rosa Lind"},
        {"uid": "user102", "name": "Theo"},
        {"uid": "user103", "name": "Deleted account"},
        {"uid": "channel700", "name": "Alpine news"},
        {"uid": "user104", "name": "Builder", "isBot": True},
    ]


def test_groups_and_channels_become_groups_of_those_who_wrote(read: Read) -> None:
    """A group and a supergroup of the same number are two groups."""
    assert read.of("group") == [
        {"guid": "channel600", "name": "Hikers", "groupType": "private"},
        {"guid": "channel700", "name": "Alpine news", "groupType": "public"},
        {"guid": "group600", "name": "Old crew", "groupType": "private"},
    ]
    assert [(each["guid"], each["uid"]) for each in read.of("member")] == [
        ("channel600", "user101"),
        ("channel600", "user102"),
        ("channel600", "user103"),
        ("channel700", "channel700"),
        ("group600", "user103"),
    ]


def test_chats_of_two_are_one_to_one(read: Read) -> None:
    """The receiver is the other one; saved messages go to oneself."""
    direct = [
        (each["sender"], each["receiver"], each["data"].get("text"))
        for each in read.of("message")
        if each["receiverType"] == "user"
    ]

    assert direct == [
        ("user102", "user101", "Lunch?"),
        ("user101", "user102", "Yes"),
        ("user101", "user102", None),
        ("user102", "user101", "The plan"),
        ("user102", "user101", "📎 film.mp4"),
        ("user101", "user101", "Buy milk"),
        ("user104", "user101", "Build 7 failed"),
    ]


def test_a_message_has_its_times_and_its_quote(read: Read) -> None:
    """A reply quotes the message that it replies to."""
    assert read.message("chat-102-2") == {
        "muid": "chat-102-2",
        "sender": "user101",
        "receiverType": "user",
        "receiver": "user102",
        "sentAt": 1710000200,
        "data": {"text": "Yes"},
        "quotedSender": "user102",
        "quotedMuid": "chat-102-1",
        "editedAt": 1710000260,
        "readAt": 1710000200,
    }
    assert [each.get("quotedMuid") for each in in_group(read)[1:4]] == [
        *("supergroup-600-2", None, None)
    ]
    assert read.dropped["quotes of messages that are not in the export"] == 2


def test_texts_are_markdown(read: Read) -> None:
    """Marked texts, places, contacts, polls and forwarded messages are texts in Markdown."""
    assert [each["data"].get("text") for each in in_group(read)] == [
        (
            "Hello <@uid:user102>! **Bold** _slanted_ ~~gone~~ `a*b` "
            "[the plan](https://example.com/plan) @ines \n```python\nx = 1\n```\n> a\n> b\nend7"
        ),
        "I have left",
        "To what is gone",
        "To another chat",
        "_Forwarded from Alpine news:_\n\nFrom afar",
        "📍 Zermatt, Bahnhofstrasse, 46.02, 7.74",
        "👤 Inês +00 2",
        "📊 When?\n- Sunday: 2\n- Monday: 0",
        None,
        "an older export",
    ]


def test_control_characters_are_read(read: Read) -> None:
    """Telegram escapes them in a way that JSON does not know."""
    assert read.message("group-600-1")["data"]["text"] == "bell \x0b end"


def test_reactions_are_of_those_whom_the_export_names(read: Read) -> None:
    """Others, and those with custom emoji, are counted."""
    assert [(each["uid"], each["reaction"], each["at"]) for each in read.of("reaction")] == [
        ("user102", "👍", 1710000300),
        ("user103", "👍", 1710000360),
    ]
    assert read.dropped["reactions of which the export does not say by whom"] == 1
    assert read.dropped["reactions with custom emoji or stars"] == 2


def test_files_are_found_beside_the_chats(read: Read) -> None:
    """Photos, files and stickers are files of their messages."""
    assert [each["path"] for each in read.of("file")] == [
        "chats/chat_1/photos/photo_1.jpg",
        "chats/chat_1/files/plan.pdf",
        "chats/chat_2/stickers/sticker.webp",
    ]
    assert read.message("chat-102-4")["data"]["attachments"] == [
        {
            "url": "file:chats/chat_1/files/plan.pdf",
            "name": "plan.pdf",
            "extension": "pdf",
            "mimeType": "application/pdf",
        }
    ]
    assert [
        each["messageType"] for each in read.of("message") if "attachments" in each["data"]
    ] == ["image", "file", "image"]


def test_flaws_are_named(read: Read) -> None:
    """Places count all messages of the file."""
    assert [(number, error) for _, number, error in read.faults()] == [
        (18, "The message has no id or no author (from_id)."),
        (19, "The message has no id or no author (from_id)."),
        (20, "It is no JSON object."),
    ]
    assert read.dropped == {
        "reactions with custom emoji or stars": 2,
        "quotes of messages that are not in the export": 2,
        "files that are not in the export": 1,
        "messages that the export has no text of": 1,
        "system messages": 1,
        "reactions of which the export does not say by whom": 1,
        "empty messages": 1,
    }


def test_one_chat_that_is_cut_off_is_read_as_far_as_it_goes() -> None:
    """The other one of two follows from the messages; the place of the cut is named."""
    read = Read("telegram", Path(__file__).parent / "fixtures/telegram-one")

    assert [(each["sender"], each["receiver"]) for each in read.of("message")] == [
        ("user102", "user101"),
        ("user101", "user102"),
    ]
    assert read.faults() == [
        ("result.json", 3, "The rest of the file is no JSON: parse error: premature EOF.")
    ]


def test_the_owner_of_chats_without_a_description_is_found(tmp_path: Path) -> None:
    """Whoever is not the other one of two is the owner, also in the chats before."""
    chats = [
        {
            "name": name,
            "type": "personal_chat",
            "id": id_,
            "messages": [
                {"id": 1, "type": "message", "date_unixtime": "1", "from_id": from_id, "text": "a"}
            ],
        }
        for name, id_, from_id in (("Ben", 2, "user2"), ("Theo", 3, "user1"))
    ]
    export(tmp_path, {"about": "", "chats": {"list": chats}})

    assert detect(tree_of(tmp_path)).name == "telegram"
    assert [
        (each["sender"], each["receiver"]) for each in Read("telegram", tmp_path).of("message")
    ] == [("user2", "user1"), ("user1", "user3")]


def test_an_owner_who_never_wrote_is_named_so(tmp_path: Path) -> None:
    """The receiver of messages of an unknown owner is a user who stands for them."""
    message = {"id": 1, "type": "message", "date_unixtime": "1", "from_id": "user2", "text": "a"}
    one = {"name": "Ben", "type": "personal_chat", "id": 2, "messages": [message]}
    read = Read("telegram", export(tmp_path, one))

    assert read.of("message")[0]["receiver"] == "owner"
    assert {"uid": "owner", "name": "Owner of the export"} in read.of("user")


def test_old_exports_have_local_times(tmp_path: Path) -> None:
    """A time without an offset is of the zone of the reading."""
    message = {
        "id": 1,
        "type": "message",
        "date": "2024-03-09T17:03:20",
        "from_id": "user2",
        "text": "a",
    }
    one = {"name": "Crew", "type": "private_group", "id": 2, "messages": [message]}
    read = Read("telegram", export(tmp_path, one), timezone=ZoneInfo("Europe/Zurich"))

    assert read.of("message")[0]["sentAt"] == 1710000200


def test_other_json_is_refused(tmp_path: Path) -> None:
    """The message says how to export."""
    with pytest.raises(SourceUnreadable, match="Machine-readable JSON"):
        list(SOURCES["telegram"].read(tree_of(export(tmp_path, {"messages": []})), Reading()))


def test_marked_texts_of_any_type_are_read(tmp_path: Path) -> None:
    """A part of a text whose kind is no text is plain."""
    parts = [{"type": {}, "text": "a"}, {"type": [], "text": {}}, "b"]
    message = {"id": 1, "type": "message", "date_unixtime": "1", "from_id": "user2", "text": parts}
    one = {"name": "Crew", "type": "private_group", "id": 2, "messages": [message]}

    assert Read("telegram", export(tmp_path, one)).texts() == ["ab"]
