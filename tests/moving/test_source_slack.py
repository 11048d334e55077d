"""An export of Slack becomes users, groups, messages, threads, reactions and files."""

import json
from pathlib import Path

import pytest
from tests.moving.reading import Read, tree_of, without

from hubbub.moving.sources.interface import Reading, SourceUnreadable
from hubbub.moving.sources.known import SOURCES

GENERAL = "general/2024-03-09.json"
IN_GENERAL = {"receiverType": "group", "receiver": "c01"}
ROOT = ("u01", "C01-1710000200.000100")


@pytest.fixture(scope="module")
def read() -> Read:
    """The fixture, read once."""
    return Read("slack")


def test_users_are_those_of_the_list_and_those_who_only_wrote(read: Read) -> None:
    """Bots, deactivated users, Slackbot and guests each have one row, with what is known."""
    assert without(read.of("user"), "avatar") == [
        {
            "uid": "u01",
            "name": "Rosa Lind",
            "statusMessage": "On the mountain",
            "metadata": {"username": "rosa"},
        },
        {
            "uid": "u02",
            "name": "Theo Brandt",
            "deactivatedAt": 1720000000,
            "metadata": {"username": "theo"},
        },
        {
            "uid": "u03",
            "name": "Bot of the build",
            "isBot": True,
            "metadata": {"username": "build"},
        },
        {"uid": "u04", "name": "Inês " + "á" * 95, "metadata": {"username": "ines"}},
        {"uid": "u09", "name": "Nora Guest"},
        {"uid": "uslackbot", "name": "Slackbot", "isBot": True},
        {"uid": "b01", "name": "Builder", "isBot": True},
    ]
    assert [user.get("avatar", "").rpartition("/")[2] for user in read.of("user")] == [
        *("rosa_192.png", "", "build_72.png", "", "", "", "builder.png")
    ]


def test_channels_become_groups_with_members(read: Read) -> None:
    """Public channels are public groups, others private ones; the creator is the owner."""
    groups = read.of("group")

    assert groups[0] == {
        "guid": "c01",
        "name": "general",
        "groupType": "public",
        "owner": "u01",
        "description": "All of us",
        "createdAt": 1700000000,
    }
    assert [(each["guid"], each["groupType"], each.get("owner")) for each in groups[1:]] == [
        ("c02", "public", "u04"),
        ("g01", "private", "u02"),
        ("g02", "private", "u01"),
        ("left-behind", "private", None),
    ]
    assert groups[3]["name"].startswith("Rosa Lind, Theo Brandt, Inês ")
    assert [(each["guid"], each["uid"]) for each in read.of("member")] == [
        ("c01", "u02"),
        ("c01", "u09"),
        ("g01", "u01"),
        ("g02", "u02"),
        ("g02", "u04"),
        ("left-behind", "u01"),
    ]


def test_the_messages_of_a_day_come_in_order(read: Read) -> None:
    """Texts are Markdown with mentions; notices and what has no author are left out."""
    assert read.texts(GENERAL) == [
        "Hello <@uid:u02> and <@all>! **Bold**, _slanted_, ~~gone~~ <b> & 3*4*5 👋 :party_parrot:",
        (
            "See [the *plan*](https://example.com/a?b=1&c=2), https://example.com,"
            " rosa@example.com, #empty, #board, @crew, 9 March"
        ),
        "`*code*` and ```\nif a < b: example.com\n```",
        "A reply to what is gone",
        None,
        "Why was it deleted?",
        "_waves_",
        "far away",
    ]
    assert read.of("message", GENERAL)[0] == {
        "muid": ROOT[1],
        "sender": "u01",
        **IN_GENERAL,
        "sentAt": 1710000200,
        "data": {"text": read.texts(GENERAL)[0]},
        "editedAt": 1710000260,
        "pinnedAt": 1710000900,
        "readAt": 1710000200,
    }


def test_replies_have_their_thread(read: Read) -> None:
    """A reply names the first message of its thread, if the export has it."""
    parents = [
        (each.get("parentSender"), each.get("parentMuid")) for each in read.of("message", GENERAL)
    ]

    deleted = ("uslackbot", "C01-1710000400.000100")
    none = (None, None)
    assert parents == [none, ROOT, ROOT, none, none, deleted, none, none]
    assert read.dropped["threads of replies whose first message is not in the export"] == 1


def test_a_deleted_message_with_replies_stays_as_deleted(read: Read) -> None:
    """It has no data, and counts as deleted when it was sent."""
    assert read.message("-1710000400.000100") == {
        "muid": "C01-1710000400.000100",
        "sender": "uslackbot",
        **IN_GENERAL,
        "sentAt": 1710000400,
        "deletedAt": 1710000400,
    }


def test_each_reaction_of_each_user_is_a_row(read: Read) -> None:
    """Emoji are Unicode with their skin tones; the names of custom ones stay."""
    to_root = [(each["uid"], each["reaction"]) for each in read.of("reaction", GENERAL)]

    assert to_root == [("u02", "👋"), ("u09", "👋"), ("u02", "👍🏼"), ("u01", "party_parrot")]
    assert read.dropped["reactions of which the export does not say by whom"] == 1


def test_direct_messages_go_to_the_other_one(read: Read) -> None:
    """One-to-one messages have the other user as receiver; notes to oneself have oneself."""
    direct = [
        (each["sender"], each["receiver"], each["data"]["text"])
        for each in read.of("message")
        if each["receiverType"] == "user"
    ]

    assert direct == [
        ("u02", "u01", "Lunch?"),
        ("u01", "u02", "Yes"),
        ("u01", "u01", "Buy milk"),
    ]
    assert read.message("-1710000730.000100")["parentMuid"] == "D01-1710000720.000100"
    assert read.dropped["direct messages by neither of the two"] == 1


def test_bots_speak_by_cards_and_blocks(read: Read) -> None:
    """A text comes from cards or blocks where the message has none; previews are left out."""
    assert read.texts("general/2024-03-10.json")[:3] == [
        "Build 7\n[failed](https://ci.example.com/7)\n2 tests\n**Branch**: main",
        "**Deployed**",
        "Look: https://example.com/news",
    ]
    assert read.dropped["previews of links"] == 1


def test_files_are_found_beside_the_messages_or_keep_their_link(read: Read) -> None:
    """A link loses the token with which all files of the workspace could be read."""
    linked, beside = read.message("-1710060003.000100"), read.message("-1710060004.000100")

    assert (linked["messageType"], linked["data"]["attachments"]) == (
        "file",
        [
            {
                "url": "https://files.slack.com/files-pri/T01-F01/plan.pdf",
                "name": "plan.pdf",
                "extension": "pdf",
                "mimeType": "application/pdf",
                "size": 48211,
            }
        ],
    )
    assert (beside["messageType"], beside["data"]["attachments"][0]["url"]) == (
        "image",
        "file:general/attachments/F03-peak.png",
    )
    assert read.of("file") == [{"path": "general/attachments/F03-peak.png"}]
    assert read.dropped["files that Slack has deleted or hidden"] == 1


def test_a_long_text_becomes_several_messages(read: Read) -> None:
    """The parts follow each other in the same second, and together are the text."""
    parts = read.of("message", "board/2024-03-09.json")

    assert [each["muid"] for each in parts] == [
        "G01-1710000700.000100",
        "G01-1710000700.000100-2",
    ]
    assert {each["sentAt"] for each in parts} == {1710000700}
    assert "".join(each["data"]["text"] for each in parts) == "word " * 2600
    assert read.dropped["long texts split into several messages"] == 1


def test_what_cannot_be_read_is_named(read: Read) -> None:
    """Each place that is no user, channel or message is named; the others are read."""
    assert read.faults() == [
        ("users.json", 4, "The user has no id."),
        ("users.json", 5, "It is no JSON object."),
        ("dms.json", 3, "The direct messages need an id and two members."),
        (GENERAL, 9, "The message has no author."),
        (GENERAL, 10, "The message has no time (ts)."),
        (GENERAL, 12, "It is no JSON object."),
        (
            "general/2024-03-11.json",
            2,
            "The rest of the file is no JSON: parse error: premature EOF.",
        ),
    ]
    assert read.texts("general/2024-03-11.json") == ["caf\ufffd"]
    assert read.dropped["characters that are not valid UTF-8"] == 1


def test_what_is_left_out_is_counted(read: Read) -> None:
    """Nothing else of the fixture is left out than what the other tests say."""
    assert read.dropped == {
        "ends of names longer than 100 characters": 2,
        "that channels are archived": 1,
        "direct messages by neither of the two": 1,
        "long texts split into several messages": 1,
        "system messages": 1,
        "reactions of which the export does not say by whom": 1,
        "threads of replies whose first message is not in the export": 1,
        "previews of links": 1,
        "contents of files that are not in the export: links are kept": 1,
        "files that Slack has deleted or hidden": 1,
        "empty messages": 1,
        "characters that are not valid UTF-8": 1,
    }


def test_an_export_may_lie_in_a_folder(tmp_path: Path) -> None:
    """The files may be in a folder of the archive; other files with `__uploads` are found."""
    root = tmp_path / "export/acme"
    (root / "talk").mkdir(parents=True)
    (root / "__uploads/F1").mkdir(parents=True)
    (root / "__uploads/F1/a.txt").write_text("a")
    (root / "users.json").write_text('[{"id": "U1", "name": "rosa"}]')
    (root / "channels.json").write_text('[{"id": "C1", "name": "talk", "members": ["U1"]}]')
    message = {"user": "U1", "text": "", "ts": "1700000000.0001", "files": [{"id": "F1"}]}
    (root / "talk/2024-01-01.json").write_text(json.dumps([message]))

    read = Read("slack", tmp_path)
    assert read.of("file") == [{"path": "export/acme/__uploads/F1/a.txt"}]
    assert read.of("message")[0]["data"]["attachments"] == [
        {"url": "file:export/acme/__uploads/F1/a.txt"}
    ]


def test_a_folder_without_users_is_refused(tmp_path: Path) -> None:
    """Without a list of users it is no export of Slack; the message says what to give."""
    (tmp_path / "channels.json").write_text("[]")

    with pytest.raises(SourceUnreadable, match=r"no users\.json.*Give the \.zip"):
        list(SOURCES["slack"].read(tree_of(tmp_path), Reading()))


def test_a_bot_that_is_a_user_is_one(tmp_path: Path) -> None:
    """Messages that name a bot by its id as a bot are by the user that has this id."""
    bot = {"id": "U9", "profile": {"real_name": "Builder", "bot_id": "B9"}, "is_bot": True}
    said = {"type": "message", "subtype": "bot_message", "bot_id": "B9", "ts": "1710000000.000100"}
    files = {
        "users.json": [bot],
        "channels.json": [{"id": "C1", "name": "builds", "members": []}],
        "builds/2024-03-09.json": [said | {"text": "Built", "username": "builder"}],
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(content))

    read = Read("slack", tmp_path)

    assert [each["name"] for each in read.of("user")] == ["Builder"]
    assert [each["sender"] for each in read.of("message")] == ["u9"]
