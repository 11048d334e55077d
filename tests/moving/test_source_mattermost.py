"""A bulk export of Mattermost becomes users, groups, messages, threads, receipts and files."""

import shutil
from pathlib import Path

import pytest
from tests.moving.reading import FIXTURES, Read, tree_of, without

from hubbub.moving.sources.interface import Reading, SourceUnreadable
from hubbub.moving.sources.known import SOURCES, detect

ROSA = "rosa_lind-a6581486"
SQUARE = "alps_town-square"
THREE = "ines_rosa_lind_theo-69aafef9"
ROOT = "1710000200123-483f80e50330"


@pytest.fixture(scope="module")
def read() -> Read:
    """The fixture, read once."""
    return Read("mattermost")


def test_users_and_bots_are_those_of_the_export_and_those_who_only_occur(read: Read) -> None:
    """Names are nicknames or full names; a webhook with a name of its own is a bot."""
    assert read.of("user") == [
        {"uid": ROSA, "name": "Rosa Lind", "metadata": {"username": "rosa.lind"}},
        {
            "uid": "theo",
            "name": "Theo B.",
            "deactivatedAt": 1720000000,
            "metadata": {"username": "theo"},
        },
        {"uid": "ines", "name": "Inês", "metadata": {"username": "ines"}},
        {
            "uid": "builder",
            "name": "Builder",
            "isBot": True,
            "metadata": {"username": "builder"},
        },
        {"uid": "ghost", "name": "ghost"},
        {"uid": "webhook-ci-4a3a0bed", "name": "CI", "isBot": True},
    ]
    assert read.dropped["pictures of users that are files"] == 1


def test_channels_become_groups_with_members(read: Read) -> None:
    """Channel admins are admins; a channel of no line, and a group message, are private groups."""
    assert without(read.of("group"), "description") == [
        {"guid": SQUARE, "name": "Town Square", "groupType": "public"},
        {"guid": "alps_board", "name": "Board", "groupType": "private"},
        {"guid": "alps_attic", "name": "attic", "groupType": "private"},
        {"guid": THREE, "name": "Inês, Rosa Lind, Theo B.", "groupType": "private"},
    ]
    assert [each.get("description") for each in read.of("group")] == [
        *("For all", "Only us", None, None)
    ]
    assert read.of("member") == [
        {"guid": SQUARE, "uid": ROSA, "scope": "admin"},
        {"guid": "alps_board", "uid": ROSA},
        {"guid": SQUARE, "uid": "theo"},
        {"guid": "alps_attic", "uid": "theo"},
        {"guid": SQUARE, "uid": "ines"},
        {"guid": THREE, "uid": "ines"},
        {"guid": THREE, "uid": ROSA},
        {"guid": THREE, "uid": "theo"},
    ]


def test_a_post_becomes_a_message(read: Read) -> None:
    """Its text has mentions of users who are known, and emoji; code stays as it is."""
    assert read.of("message")[0] == {
        "muid": ROOT,
        "sender": ROSA,
        "receiverType": "group",
        "receiver": SQUARE,
        "sentAt": 1710000200,
        "data": {
            "text": f"Hello <@uid:theo>, <@uid:{ROSA}>. and <@all>! @nobody a@theo"
            " `@theo :wave:` 👋 :party_parrot:"
        },
        "editedAt": 1710000260,
        "pinnedAt": 1710000200,
    }


def test_messages_come_in_the_order_of_the_export(read: Read) -> None:
    """Each message is to its channel, or to the other one of two, in the thread of its post."""
    assert [
        (each["sender"], each["receiver"], each["data"].get("text", "")[:11], "parentMuid" in each)
        for each in read.of("message")[1:]
    ] == [
        ("theo", SQUARE, "I am here", True),
        ("ines", SQUARE, "Me too", True),
        ("webhook-ci-4a3a0bed", SQUARE, "Build 7\n[fa", False),
        ("builder", SQUARE, "Later", False),
        ("theo", "alps_attic", "A channel o", False),
        ("theo", "alps_board", "To an empty", False),
        (ROSA, "alps_board", "no time", False),
        ("theo", ROSA, "Lunch?", False),
        (ROSA, "theo", "Yes", True),
        ("ines", THREE, "Three of us", False),
        (ROSA, ROSA, "Buy milk", False),
        ("ines", "theo", "caf\ufffd", False),
    ]
    reply = read.of("message")[1]
    assert (reply["parentSender"], reply["parentMuid"]) == (ROSA, ROOT)


def test_reactions_have_their_times(read: Read) -> None:
    """Emoji are Unicode with their skin tones; the names of custom ones stay."""
    assert [(each["uid"], each["reaction"], each["at"]) for each in read.of("reaction")] == [
        ("theo", "👍🏽", 1710000210),
        ("ghost", "party_parrot", 1710000211),
        (ROSA, "👀", 1710000310),
    ]


def test_files_are_found_in_the_folder_data(read: Read) -> None:
    """An attachment that is there is a file of the message; one that is not is counted."""
    path = "data/20240309/teams/noteam/channels/1/users/1/2/peak.png"

    assert read.of("file") == [{"path": path}]
    assert read.of("message")[1]["messageType"] == "image"
    assert read.of("message")[1]["data"]["attachments"] == [
        {"url": f"file:{path}", "name": "peak.png", "extension": "png", "mimeType": "image/png"}
    ]
    assert read.dropped["files that are not in the export"] == 1


def test_what_each_has_read_becomes_receipts(read: Read) -> None:
    """A receipt names the last post before somebody looked; other channels count as read."""
    lunch = {"sender": "theo", "readUpTo": "1710000500000-95ba1ea29593"}
    assert [(each["receiver"], each["uid"], each["at"]) for each in read.of("receipt")] == [
        (SQUARE, ROSA, 1710000350),
        (SQUARE, "theo", 1710000250),
        (ROSA, "theo", 1710000500),
        ("theo", ROSA, 1710000600),
    ]
    assert [
        {name: each[name] for name in ("sender", "readUpTo")} for each in read.of("receipt")
    ] == [
        {"sender": "webhook-ci-4a3a0bed", "readUpTo": "1710000330000-e3f62b79a3e9"},
        {"sender": ROSA, "readUpTo": ROOT},
        lunch,
        lunch,
    ]
    with_receipts = {SQUARE, ROSA, "theo"}
    for each in read.of("message"):
        known = each["receiver"] in with_receipts and each["sender"] != each["receiver"]
        is_read = "readAt" in each or each["sentAt"] is None
        assert is_read != known or each["data"]["text"].startswith("caf")


def test_flaws_are_named_with_their_lines(read: Read) -> None:
    """Each line that can't be read is named; the lines after it are read."""
    assert [(number, error.partition(":")[0]) for _, number, error in read.faults()] == [
        (6, "The channel has no name."),
        (11, "The user has no username."),
        (18, "The post has no user."),
        (20, "The post has no channel."),
        (21, "The line is no JSON"),
        (24, "The direct channel has no members."),
        (28, "playbook is no line of Mattermost."),
    ]
    assert read.dropped == {
        "custom emoji": 1,
        "pictures of users that are files": 1,
        "system messages": 1,
        "saved messages": 1,
        "reactions of which the export does not say by whom": 1,
        "files that are not in the export": 1,
        "empty messages": 1,
        "threads of replies whose first message is left out": 1,
        "characters that are not valid UTF-8": 1,
    }


def test_the_file_of_lines_is_enough(tmp_path: Path) -> None:
    """The file alone is known as what it is, whatever its name; its attachments are not there."""
    alone = tmp_path / "bulk.json"
    shutil.copy(FIXTURES / "mattermost/import.jsonl", alone)

    assert detect(tree_of(alone)).name == "mattermost"
    assert Read("mattermost", alone).dropped["files that are not in the export"] == 2


def test_lines_without_a_version_are_refused(tmp_path: Path) -> None:
    """The message says how an export is made."""
    (tmp_path / "import.jsonl").write_text('{"type": "user", "user": {"username": "rosa"}}\n')

    with pytest.raises(SourceUnreadable, match="mmctl export create"):
        list(SOURCES["mattermost"].read(tree_of(tmp_path), Reading()))
