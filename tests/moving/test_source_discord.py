"""The files of DiscordChatExporter become users, groups, messages, threads, quotes and files."""

import json
import shutil
from pathlib import Path

import pytest
from tests.moving.reading import FIXTURES, Read, tree_of

from hubbub.moving.sources.interface import Reading, SourceUnreadable
from hubbub.moving.sources.known import SOURCES, detect

TALK = "talk.json"


@pytest.fixture(scope="module")
def read() -> Read:
    """The fixture, read once."""
    return Read("discord")


def test_users_are_those_who_occur(read: Read) -> None:
    """Authors and those who reacted have a row; one who never wrote is named as the channel is."""
    picture = "https://cdn.example.com/{}.png".format

    assert read.of("user") == [
        {
            "uid": "101",
            "name": "Rosa Lind",
            "metadata": {"username": "rosa"},
            "avatar": picture(101),
        },
        {"uid": "102", "name": "Theo B.", "metadata": {"username": "theo"}},
        {"uid": "104", "name": "Inês", "metadata": {"username": "ines"}, "avatar": picture(104)},
        {
            "uid": "103",
            "name": "builder",
            "isBot": True,
            "metadata": {"username": "builder"},
            "avatar": picture(103),
        },
        {"uid": "other-601", "name": "Nora"},
    ]
    assert read.dropped["pictures of users that are files"] == 1


def test_channels_become_private_groups_of_those_who_wrote(read: Read) -> None:
    """Threads have no group of their own; a forum without a file has one."""
    assert [(each["guid"], each["name"], each["groupType"]) for each in read.of("group")] == [
        ("500", "talk", "private"),
        ("503", "cut", "private"),
        ("602", "Three of us", "private"),
        ("502", "questions", "private"),
    ]
    assert read.of("group")[0]["description"] == "All of us"
    assert read.of("group")[2]["icon"] == "https://cdn.example.com/three.png"
    assert [(each["guid"], each["uid"]) for each in read.of("member")] == [
        ("500", "101"),
        ("500", "102"),
        ("500", "104"),
        ("500", "103"),
        ("503", "101"),
        ("503", "102"),
        ("602", "104"),
        ("502", "102"),
        ("502", "101"),
    ]


def test_a_message_has_its_times(read: Read) -> None:
    """Mentions by name are mentions; times of any zone are seconds since 1970."""
    assert read.of("message", TALK)[0] == {
        "muid": "1001",
        "sender": "101",
        "receiverType": "group",
        "receiver": "500",
        "sentAt": 1710000200,
        "data": {"text": "Hello <@uid:102>, <@uid:102> and <@all>! **Bold** a@theo"},
        "editedAt": 1710000260,
        "pinnedAt": 1710000200,
        "readAt": 1710000200,
    }
    assert read.message("1002")["sentAt"] == 1710000300


def test_messages_come_in_the_order_of_the_file(read: Read) -> None:
    """Cards of bots and forwarded messages are text; notices and empty messages are left out."""
    assert read.texts(TALK) == [
        "Hello <@uid:102>, <@uid:102> and <@all>! **Bold** a@theo",
        "<@uid:101> <@uid:102> #cut #999 @12 :parrot: <@all>",
        "To what is gone",
        "CI\n[Build 7 failed](https://ci.example.com/7)\n2 tests\n**Branch**: main\njust now",
        "Look: https://example.com/news",
        None,
        ":Dance:",
        "> From elsewhere\n> second line",
        "a date of another kind",
    ]
    assert read.message("1012")["sentAt"] == "yesterday"


def test_replies_are_quotes(read: Read) -> None:
    """A reply quotes a message that is in the export, also in an earlier part of the channel."""
    quotes = {
        each["muid"]: (each.get("quotedSender"), each.get("quotedMuid"))
        for each in read.of("message")
        if "quotedMuid" in each
    }

    assert quotes == {
        "1002": ("101", "1001"),
        "1102": ("104", "1101"),
        "1301": ("101", "1300"),
        "1610": ("101", "1600"),
    }
    assert read.dropped["quotes of messages that are not in the export"] == 1


def test_threads_belong_to_messages(read: Read) -> None:
    """A thread is of the message that it was started from; that of a forum of its first one."""
    threads = [
        (each["muid"], each["receiver"], each.get("parentSender"), each.get("parentMuid"))
        for source in ("plans.json", "a-question.json")
        for each in read.of("message", source)
    ]

    assert threads == [
        ("1101", "500", "101", "1001"),
        ("1102", "500", "101", "1001"),
        ("1200", "502", None, None),
        ("1201", "502", "102", "1200"),
    ]
    assert read.dropped["names of threads"] == 2


def test_direct_messages_go_to_the_other_one(read: Read) -> None:
    """The two of a direct channel are those who wrote in it, or whom it is named after."""
    direct = [
        (each["sender"], each["receiver"], each["data"]["text"])
        for each in read.of("message")
        if each["receiverType"] == "user"
    ]

    assert direct == [
        ("101", "102", "Lunch?"),
        ("102", "101", "Yes"),
        ("101", "other-601", "Are you there?"),
    ]


def test_reactions_are_of_those_whom_the_export_names(read: Read) -> None:
    """Each reaction of each user is a row; those without a name are counted."""
    assert [(each["muid"], each["uid"], each["reaction"]) for each in read.of("reaction")] == [
        ("1001", "102", "👋"),
        ("1001", "104", "👋"),
        ("1001", "101", "party_parrot"),
    ]
    assert read.dropped["reactions of which the export does not say by whom"] == 1


def test_files_and_stickers_are_found(read: Read) -> None:
    """Paths with backslashes and with escapes are found; links are kept."""
    assert read.of("file") == [
        {"path": "talk.json_Files/peak-AB12.png"},
        {"path": "talk.json_Files/wave it.png"},
    ]
    assert (read.message("1006")["messageType"], read.message("1007")["messageType"]) == (
        "file",
        "image",
    )
    assert [each["url"] for each in read.message("1006")["data"]["attachments"]] == [
        "file:talk.json_Files/peak-AB12.png",
        "https://cdn.discordapp.com/attachments/1/2/plan.pdf?ex=1",
    ]
    assert [each["name"] for each in read.message("1007")["data"]["attachments"]] == ["Wave.png"]


def test_flaws_are_named(read: Read) -> None:
    """Each place that can't be read is named; other files, and what is before it, are read."""
    assert read.faults() == [
        (TALK, 12, "The message has no id or no author."),
        (TALK, 13, "The message has no id or no author."),
        (TALK, 14, "It is no JSON object."),
        (
            "cut [part 1].json",
            2,
            "The rest of the file is no JSON: parse error: premature EOF.",
        ),
    ]
    assert read.texts("cut [part 1].json") == ["First"]
    assert read.dropped == {
        "system messages": 3,
        "names of threads": 2,
        "quotes of messages that are not in the export": 1,
        "files that do not say which channel they are of": 1,
        "reactions of which the export does not say by whom": 1,
        "previews of links": 1,
        "contents of files that are not in the export: links are kept": 1,
        "files that are not in the export": 1,
        "empty messages": 1,
        "pictures of users that are files": 1,
    }


def test_one_file_is_enough(tmp_path: Path) -> None:
    """One file is known as what it is, and its assets are found beside it."""
    shutil.copytree(FIXTURES / "discord", tmp_path / "all")
    one = tmp_path / "all/talk.json"

    assert detect(tree_of(one)).name == "discord"
    assert Read("discord", one).of("file") == Read("discord").of("file")


def test_other_json_is_refused(tmp_path: Path) -> None:
    """The message says which format to export."""
    (tmp_path / "a.json").write_text(json.dumps({"messages": []}))

    with pytest.raises(SourceUnreadable, match="Export with the format JSON"):
        list(SOURCES["discord"].read(tree_of(tmp_path), Reading()))
