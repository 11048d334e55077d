"""What holds for each source, with its fixtures in `fixtures/`, and with damaged ones."""

import random
import shutil
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.moving.reading import FIXTURES, Read, checked, fields_of, tree_of

from hubbub.moving.lines import FILE, MemberLine, MessageLine, ReactionLine, ReceiptLine, UserLine
from hubbub.moving.sources.interface import LONGEST_BROKEN, Broken, Reading, SourceUnreadable
from hubbub.moving.sources.known import SOURCES, detect
from hubbub.moving.sources.rows import LARGEST_TEXT_BYTES
from hubbub.moving.tree import FileMissing, UnsafeArchive
from hubbub.records.messages.model import LARGEST_DATA_BYTES

NAMES = sorted(SOURCES.keys() - {"lines"})
DAMAGES = 25
"""Variants of each fixture that are damaged at places that a seed chooses."""
PERMITTED = (SourceUnreadable, UnsafeArchive, FileMissing, OSError)


def fixtures_of(name: str) -> list[Path]:
    """Return the fixtures of a source: `fixtures/<name>`, and those that add to this name."""
    return sorted(
        path for path in FIXTURES.iterdir() if path.name == name or path.name.startswith(f"{name}-")
    )


FOUND = [(name, path) for name in NAMES for path in fixtures_of(name)]
each_fixture = pytest.mark.parametrize(
    ("name", "path"), FOUND, ids=[path.name for _, path in FOUND]
)
FOLDERS = [(name, path) for name, path in FOUND if path.is_dir()]
each_folder = pytest.mark.parametrize(
    ("name", "path"), FOLDERS, ids=[path.name for _, path in FOLDERS]
)


def lines_of(name: str, path: Path) -> list[Any]:
    """Return the lines of all rows that the import accepts."""
    lines = []
    for row in Read(name, path).rows:
        with suppress(msgspec.ValidationError):
            lines.append(checked(row))
    return lines


def test_each_source_has_a_fixture() -> None:
    """No source is without a fixture, and no fixture without a source."""
    assert {name for name, _ in FOUND} == set(NAMES)
    assert {path for _, path in FOUND} == set(FIXTURES.iterdir())


def test_sources_are_named_as_they_are_listed() -> None:
    """The name by which `--from` finds a source is its own."""
    assert {name: source.name for name, source in SOURCES.items()} == {
        name: name for name in SOURCES
    }


@each_fixture
def test_a_fixture_is_of_one_system(name: str, path: Path) -> None:
    """A fixture is plainly of its own system, and of no other one."""
    assert detect(tree_of(path)).name == name


@each_folder
def test_a_zip_file_reads_like_its_folder(name: str, path: Path, tmp_path: Path) -> None:
    """The rows of a zip file are those of its folder, also if they lie in a folder of it."""
    plain = Path(shutil.make_archive(str(tmp_path / "plain"), "zip", path))
    assert detect(tree_of(plain)).name == name
    assert Read(name, plain).rows == Read(name, path).rows


def test_what_is_of_no_system_says_which_are_known(tmp_path: Path) -> None:
    """A file of no known system is refused, with the names of the known ones."""
    (tmp_path / "letter.txt").write_text("Dear all")

    with pytest.raises(SourceUnreadable, match=r"slack \(Slack\).*--from"):
        detect(tree_of(tmp_path))


@each_fixture
def test_reading_twice_gives_the_same(name: str, path: Path) -> None:
    """The rows, their order and what is left out are the same each time."""
    first, second = Read(name, path), Read(name, path)

    assert first.rows
    assert (first.rows, first.broken, first.dropped) == (second.rows, second.broken, second.dropped)


@each_fixture
def test_rows_refer_to_rows(name: str, path: Path) -> None:
    """Each user, group, file and message that an accepted row names has a row itself."""
    lines = lines_of(name, path)
    users = [line.uid for line in lines if isinstance(line, UserLine)]
    groups = {line.guid for line in lines if hasattr(line, "group_type")}
    files = {line.path for line in lines if hasattr(line, "path")}
    messages = [line for line in lines if isinstance(line, MessageLine)]
    named = {(line.sender, line.muid) for line in messages}

    assert len(users) == len(set(users))
    assert len(named) == len(messages)
    for line in lines:
        if isinstance(line, MemberLine):
            assert (line.guid in groups, line.uid in users) == (True, True), line
        if isinstance(line, ReactionLine | ReceiptLine):
            assert line.uid in users, line
        if isinstance(line, ReactionLine):
            assert (line.sender, line.muid) in named, line
        if isinstance(line, ReceiptLine):
            assert (line.sender, line.read_up_to) in named, line
    for line in messages:
        assert line.sender in users, line
        assert line.receiver in (groups if line.receiver_type == "group" else users), line
        for other in (line.parent_sender, line.parent_muid), (line.quoted_sender, line.quoted_muid):
            assert other == (None, None) or other in named, line
        for attached in (line.data or {}).get("attachments", ()):
            if attached["url"].startswith(FILE):
                assert attached["url"].removeprefix(FILE) in files, line


@each_fixture
def test_replies_are_one_level_deep(name: str, path: Path) -> None:
    """No message replies to a reply."""
    messages = [line for line in lines_of(name, path) if isinstance(line, MessageLine)]
    replies = {(line.sender, line.muid) for line in messages if line.parent_muid is not None}

    assert [line for line in messages if (line.parent_sender, line.parent_muid) in replies] == []


@each_fixture
def test_files_are_there(name: str, path: Path) -> None:
    """Each file that a row names is in the source."""
    tree = tree_of(path)

    for line in lines_of(name, path):
        if hasattr(line, "path"):
            assert tree.has(line.path)


@each_fixture
def test_data_are_in_their_limit(name: str, path: Path) -> None:
    """No message has more data than Hubbub takes, and none is without text and files."""
    assert LARGEST_TEXT_BYTES < LARGEST_DATA_BYTES
    for line in lines_of(name, path):
        if isinstance(line, MessageLine) and line.deleted_at is None:
            data = {field: each for field, each in line.data.items() if field != "attachments"}
            assert len(msgspec.json.encode(data)) <= LARGEST_DATA_BYTES
            is_custom = line.category == "custom"
            assert is_custom or line.data.get("text", "").strip() or line.data.get("attachments")


@pytest.mark.parametrize("seed", range(DAMAGES))
@each_fixture
def test_damaged_files_are_read_as_far_as_possible(
    name: str, path: Path, seed: int, tmp_path: Path
) -> None:
    """Whatever is cut off or exchanged, no other error comes than those that are promised."""
    chance = random.Random(seed)
    copy = tmp_path / path.name
    shutil.copytree(path, copy) if path.is_dir() else shutil.copy(path, copy)
    files = sorted(each for each in (copy, *copy.rglob("*")) if each.is_file())
    for _ in range(chance.randint(1, 3)):
        damage(chance.choice(files), chance)
    reading = Reading()
    with suppress(*PERMITTED):
        for each in SOURCES[name].read(tree_of(copy), reading):
            if isinstance(each, Broken):
                assert len(each.text) <= LONGEST_BROKEN
            else:
                msgspec.json.encode(fields_of(each))
    with suppress(*PERMITTED):
        for source in SOURCES.values():
            source.detect(tree_of(copy))


WORDS = (
    b'"',
    b"{",
    b"}",
    b"[",
    b"]",
    b"null",
    b"-1",
    b"1e400",
    b"[[]]",
    b'{"a":1}',
    b"\xff",
    b"\\x1b",
)


def damage(file: Path, chance: random.Random) -> None:
    """Change a file at a place: cut it, exchange a value of JSON, or put in something else."""
    content = file.read_bytes()
    place = chance.randrange(len(content) + 1)
    match chance.randrange(3):
        case 0:
            file.write_bytes(content[:place])
        case 1:
            file.write_bytes(content[:place] + chance.choice(WORDS) + content[place:])
        case _:
            file.write_bytes(exchanged(content, place, chance.choice(WORDS[5:10])))


def exchanged(content: bytes, place: int, value: bytes) -> bytes:
    """Return JSON with a value in place of the next one after a colon."""
    colon = content.find(b":", place)
    ends = [end for mark in (b",", b"\n") if (end := content.find(mark, colon)) > 0]
    return content[: colon + 1] + value + content[min(ends) :] if colon > 0 and ends else value


@each_folder
def test_a_damaged_archive_is_no_other_error(name: str, path: Path, tmp_path: Path) -> None:
    """An archive with entries whose bytes are wrong is refused, or read as far as possible."""
    archive = Path(shutil.make_archive(str(tmp_path / "export"), "zip", path))
    with zipfile.ZipFile(archive) as opened:
        middles = [each.header_offset + 60 + each.compress_size // 2 for each in opened.infolist()]
    content = bytearray(archive.read_bytes())
    for middle in middles:
        content[middle : middle + 4] = b"\0\xff\0\xff"
    archive.write_bytes(content)

    with suppress(*PERMITTED):
        for _ in SOURCES[name].read(tree_of(archive), Reading()):
            pass
    with suppress(*PERMITTED):
        detect(tree_of(archive))
