"""IRC logs: nicknames become users, channels groups, lines messages with their times."""

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.moving.readings import FIXTURES, at, read, write

from examples import irc_import as example
from hubbub.moving.lines import MessageLine
from hubbub.moving.sources.interface import Reading, Row, SourceUnreadable
from hubbub.moving.sources.irc import IMPOSSIBLE, Irc
from hubbub.moving.tree import open_tree

CORPUS = FIXTURES / "irc/corpus"


def test_a_line_becomes_a_message_with_the_time_of_its_clock() -> None:
    """A clock without afternoon goes on after noon, and one set back stands still."""
    found = read("irc", CORPUS)

    fields = ("muid", "sender", "sentAt", "data")
    day = "irc-2005-03-01-train-a"
    blank = {"customData": {"text": ""}}
    assert found.of("message", *fields)[:5] == [
        (f"{day}-2", "rosa", at("2005-03-01T11:58"), {"text": "Who waters today?"}),
        (f"{day}-3", "rosa-2", at("2005-03-01T11:59"), {"text": "Not me."}),
        (f"{day}-6", "_", at("2005-03-01T13:10"), {"text": "I do > later"}),
        (f"{day}-7", "rosa", at("2005-03-01T13:10"), blank),
        (f"{day}-8", "nick", at("2005-03-01T13:10"), {"text": "no letters"}),
    ]
    assert found.message(f"{day}-7")["category"] == "custom"


def test_a_clock_with_afternoon_passes_midnight() -> None:
    """After 23:59 comes 00:03 of the next day."""
    found = read("irc", CORPUS)

    assert found.of("message", "sender", "sentAt")[5:] == [
        ("rosa-3", at("2005-03-02T23:59")),
        ("theo", at("2005-03-03T00:03")),
        ("theo-2", at("2005-03-03T00:04")),
    ]
    assert "caf\N{REPLACEMENT CHARACTER} is open" in found.texts()


def test_users_join_with_their_first_message() -> None:
    """A nickname keeps its letters as the name; the group is a second older than its messages."""
    found = read("irc", CORPUS)

    first = at("2005-03-01T11:58")
    assert found.of("user", "uid", "name", "createdAt")[:3] == [
        ("rosa", "Rosa", first),
        ("rosa-2", "r.o.s.a", first + 60),
        ("_", "^_^", at("2005-03-01T13:10")),
    ]
    assert found.of("group") == [
        {"guid": "ubuntu-irc", "name": "ubuntu-irc", "groupType": "public", "createdAt": first - 1}
    ]
    assert found.of("member", "uid", "joinedAt") == found.of("user", "uid", "createdAt")


def test_what_is_left_out_is_counted() -> None:
    """Actions, notices, system lines and lines without time are counted."""
    assert read("irc", CORPUS).dropped == {
        "actions (/me)": 1,
        "notices": 1,
        "joins, parts, topics and other system lines": 2,
        "lines that are no messages": 1,
        "bytes that are not UTF-8 (lines with replaced characters)": 1,
    }


def test_the_rows_are_those_of_the_example() -> None:
    """Users, times, texts and muids are those that the example program makes."""
    plan = example.plan_import(example.read_logs(CORPUS / "ubuntu-irc"))
    found = read("irc", CORPUS)

    texts = [message.data.text for message in plan.messages.values()]
    assert len(texts) == 8
    assert found.texts() == texts
    assert found.of("message", "muid", "sender", "sentAt") == [
        (message.muid, message.sender, message.sent_at) for message in plan.messages.values()
    ]
    assert found.of("user", "uid", "name", "createdAt") == [
        (user.uid, user.name, user.created_at) for user in plan.users.values()
    ]


def test_irssi() -> None:
    """A log of irssi says when days change; modes before nicknames are left out."""
    found = read("irc", FIXTURES / "irc/irssi", ZoneInfo("Europe/Berlin"))

    assert found.of("group", "guid", "name", "groupType") == [("garden", "#garden", "public")]
    assert found.of("message", "sender", "sentAt") == [
        ("rosa", at("2023-01-03T23:58+01:00")),
        ("theo", at("2023-01-04T00:00+01:00")),
    ]
    assert found.dropped == {
        "actions (/me)": 1,
        "notices": 1,
        "joins, parts, topics and other system lines": 5,
    }


def test_weechat() -> None:
    """A log of WeeChat has tabs; a day that does not exist is refused at its place."""
    found = read("irc", FIXTURES / "irc/weechat")

    assert found.of("group", "name") == ["#garden"]
    assert found.texts() == ["Hello\twith a tab", "Hello rosa"]
    assert found.of("message", "sentAt") == [at("2023-01-04T10:00:05"), at("2023-01-04T10:00:09")]
    assert [(broken.number, broken.error) for broken in found.broken] == [(6, IMPOSSIBLE)]


def test_znc() -> None:
    """Folders of ZNC are channels; one that is none becomes a private group."""
    found = read("irc", FIXTURES / "irc/znc")

    assert found.of("group", "guid", "groupType") == [("garden", "public"), ("theo", "private")]
    assert found.of("message", "receiver", "sender") == [
        ("garden", "rosa"), ("garden", "theo"), ("theo", "theo"), ("theo", "rosa"),
    ]  # fmt: skip
    assert found.of("member", "guid", "uid") == [
        ("garden", "rosa"), ("garden", "theo"), ("theo", "theo"), ("theo", "rosa"),
    ]  # fmt: skip


def test_files_of_the_same_name_have_muids_of_their_own(tmp_path: Path) -> None:
    """The same day of two channels does not give the same muids."""
    line = "[10:00] <rosa> Hello"
    write(tmp_path, {f"{name}/2005-03-01.a.raw.txt": line for name in ("garden", "kitchen")})

    muids = read("irc", tmp_path).of("message", "muid")
    assert len(set(muids)) == 2


def test_long_lines_are_split_and_longer_ones_refused(tmp_path: Path) -> None:
    """A text over the limit becomes several messages; a line over 1 MiB none."""
    text = "word " * 5000
    lines = [f"[10:00] <rosa> {text}", f"[10:01] <rosa> {'x' * 2_000_000}", "[10:02] <rosa> end"]
    write(tmp_path, {"garden/2005-03-01.a.raw.txt": "\n".join(lines)})

    found = read("irc", tmp_path)
    muid = "irc-2005-03-01-a-1"
    assert found.of("message", "muid")[:3] == [muid, f"{muid}-2", f"{muid}-3"]
    assert "".join(found.texts()[:-1]) == text  # type: ignore[arg-type]  # all have texts
    assert found.dropped["long texts split into several messages"] == 1
    assert [broken.number for broken in found.broken] == [2]
    assert found.texts()[-1] == "end"


def test_days_that_no_clock_can_show_are_refused(tmp_path: Path) -> None:
    """Files of impossible days, and of days before 1970, are refused line by line."""
    line = "[10:00] <rosa> Hello"
    names = ("1901-01-01", "2005-02-30", "9999-12-31", "0000-01-01")
    write(tmp_path, {f"garden/{name}.raw.txt": line for name in names})

    found = read("irc", tmp_path)
    assert {broken.source[7:17] for broken in found.broken} == {
        "0000-01-01", "1901-01-01", "2005-02-30", "9999-12-31",
    }  # fmt: skip


def test_a_folder_without_logs_is_refused(tmp_path: Path) -> None:
    """A source without a log says what names logs have."""
    write(tmp_path, {"notes.txt": "Nothing"})

    with pytest.raises(SourceUnreadable, match=r"YYYY-MM-DD"):
        list(Irc().read(open_tree(tmp_path), Reading()))


def test_lines_are_read_one_by_one(tmp_path: Path) -> None:
    """The first message comes before the file is read to its end."""
    write(tmp_path, {"garden/2005-03-01.a.raw.txt": "[13:00] <rosa> Hello\n" * 100_000})

    row = next(iter(Irc().read(open_tree(tmp_path), Reading())))
    assert isinstance(row, Row)
    assert isinstance(row.line, MessageLine)
