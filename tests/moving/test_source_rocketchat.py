"""Exports of Rocket.Chat become users, groups, messages and files."""

from pathlib import Path

import pytest
from tests.moving.reading import FIXTURES, Read, tree_of

from hubbub.moving.sources.interface import Reading, SourceUnreadable
from hubbub.moving.sources.known import SOURCES

ROSA = "rosa_lind-a6581486"
NOBODY = f"other-{'r' * 17}{'z' * 17}"


@pytest.fixture(scope="module")
def read() -> Read:
    """The data of a user, read once."""
    return Read("rocketchat")


@pytest.fixture(scope="module")
def pages() -> Read:
    """Two rooms as pages, read once."""
    return Read("rocketchat", FIXTURES / "rocketchat-html")


def test_users_are_those_who_wrote(read: Read) -> None:
    """The user whose data it is has a name; somebody stands for one who never wrote."""
    assert read.of("user") == [
        {"uid": ROSA, "name": "Rosa Lind", "metadata": {"username": "rosa.lind"}},
        {"uid": "theo", "name": "theo"},
        {"uid": "ines", "name": "ines"},
        {"uid": NOBODY, "name": "Somebody who did not write"},
    ]


def test_rooms_become_groups_of_those_who_wrote(read: Read) -> None:
    """Public channels are public; direct messages of three are a private group of them."""
    assert read.of("group") == [
        {"guid": "board", "name": "board", "groupType": "private"},
        {"guid": "general", "name": "general", "groupType": "public"},
        {"guid": "three", "name": "Rosa Lind, theo, ines", "groupType": "private"},
    ]
    assert [(each["guid"], each["uid"]) for each in read.of("member")] == [
        ("board", ROSA),
        ("general", "theo"),
        ("general", "ines"),
        ("three", ROSA),
        ("three", "theo"),
        ("three", "ines"),
    ]


def test_direct_messages_go_to_the_other_one(read: Read) -> None:
    """The two of a direct room are those who wrote, and the user whose data it is."""
    assert [
        (each["sender"], each["receiver"], each["data"]["text"])
        for each in read.of("message")
        if each["receiverType"] == "user"
    ] == [
        ("theo", ROSA, "Lunch?"),
        (ROSA, "theo", "Yes"),
        (ROSA, NOBODY, "Are you there?"),
    ]


def test_the_messages_of_a_room_come_in_order(read: Read) -> None:
    """Texts have mentions of authors; a deleted message stays as deleted."""
    messages = read.of("message", "general.json")

    assert messages[0] == {
        "muid": "2024-03-09T16:03:20.123Z-6d4ee1e490cd",
        "sender": "theo",
        "receiverType": "group",
        "receiver": "general",
        "sentAt": 1710000200,
        "data": {
            "text": f"Hello <@uid:{ROSA}>, <@uid:ines> and <@all>! **Bold** ~~gone~~ **both** 👋"
            " `*code* @ines`"
        },
        "readAt": 1710000200,
    }
    assert read.texts("general.json")[1:] == ["Yes", None, "Gone", None, "no date", "caf\ufffd"]
    assert [each.get("deletedAt") for each in messages[3:6]] == [None, 1710000204, None]
    assert messages[5]["sentAt"] == "then"


def test_files_are_found_among_the_assets(read: Read) -> None:
    """A file is attached once; a link of another server is kept."""
    uploaded, linked = read.of("message", "general.json")[2:4]

    assert read.of("file") == [{"path": "assets/f1-peak.png"}]
    assert [each["url"] for each in uploaded["data"]["attachments"]] == ["file:assets/f1-peak.png"]
    assert [each["url"] for each in linked["data"]["attachments"]] == ["https://example.com/a.jpg"]
    assert (uploaded["messageType"], linked["messageType"]) == ("image", "image")


def test_flaws_are_named_and_the_rest_is_counted(read: Read) -> None:
    """Each line that can't be read is named; the lines after it are read."""
    assert [(number, error.partition(":")[0]) for _, number, error in read.faults()] == [
        (8, "The message has no username."),
        (11, "The line is no JSON object."),
        (12, "The line is no JSON"),
    ]
    assert read.dropped == {
        "system messages": 1,
        "quotes: the export does not have the ids of messages": 1,
        "files that are not in the export": 1,
        "encrypted messages": 1,
        "empty messages": 1,
        "characters that are not valid UTF-8": 1,
    }


def test_pages_are_read_like_lines(pages: Read) -> None:
    """A page has texts of several lines and links to files; one that ends early is named."""
    assert [
        (each["sender"], each["sentAt"], each["data"].get("text"))
        for each in pages.of("message", "GENERAL.html")
    ] == [
        ("theo", 1710000200, "Hello <all>\nsecond line"),
        ("ines", 1710000201, None),
        ("ines", "Invalid Date", "no date"),
    ]
    assert pages.of("file") == [{"path": "assets/f1-peak.png"}]
    assert pages.faults() == [("GENERAL.html", 5, "The page ends within a message.")]
    assert pages.dropped == {"system messages": 1}


def test_the_room_of_two_is_known_by_its_name(pages: Read) -> None:
    """Without a list of rooms the ids of both are the name; the same said twice is two messages."""
    direct = [each for each in pages.of("message") if each["receiverType"] == "user"]

    assert [(each["sender"], each["receiver"], each["data"]["text"]) for each in direct] == [
        ("theo", "ines", "Lunch?"),
        ("ines", "theo", "Yes"),
        ("ines", "theo", "Yes"),
    ]
    assert direct[2]["muid"] == f"{direct[1]['muid']}.2"


def test_other_files_are_refused(tmp_path: Path) -> None:
    """The message says what to export."""
    (tmp_path / "channels.json").write_text('{"roomId": "GENERAL"}\n')

    with pytest.raises(SourceUnreadable, match="Export a room as a file"):
        list(SOURCES["rocketchat"].read(tree_of(tmp_path), Reading()))
