"""Sources that were made to do harm: archives that fill disks or memory, and slow ones."""

import gzip
import io
import os
import tarfile
import time
import zipfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from tests.moving.mover import Mover, message, to_group, user
from tests.moving.reading import Read, tree_of

from hubbub.moving.jobs.imports import LARGEST_SOURCE, LEAST_BYTES_A_SECOND, limit_source
from hubbub.moving.tree import UnsafeArchive
from hubbub.outbound.errors import NotReached

MIB = 1024 * 1024
LINE = b'{"type": "user", "uid": "anna", "name": "Anna"}\n'
PEOPLE = (user("anna"), user("ben"))


def test_a_zip_that_unpacks_to_far_more_than_it_has_is_refused(tmp_path: Path) -> None:
    """Entries that are small enough by themselves are too much together."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"{number}.txt", bytes(60 * MIB))

    with pytest.raises(UnsafeArchive, match="over 200 times its size"):
        tree_of(tmp_path / "a.zip")


def test_the_head_of_a_tar_entry_does_not_fill_memory(tmp_path: Path) -> None:
    """Heads are read at once: one that claims to be large is refused before it is."""
    head = tarfile.TarInfo("head")
    head.type, head.size = tarfile.XHDTYPE, 60 * MIB
    with gzip.open(tmp_path / "a.tar.gz", "wb") as file:
        file.write(head.tobuf() + bytes(60 * MIB))

    with pytest.raises(UnsafeArchive, match="bytes of head"):
        tree_of(tmp_path / "a.tar.gz")


def test_a_tar_is_not_unpacked_to_pass_over_its_entries(tmp_path: Path) -> None:
    """Entries that are left out, such as those that lead outside, count as well."""
    with tarfile.open(tmp_path / "a.tgz", "w:gz") as archive:
        for number in range(3):
            entry = tarfile.TarInfo(f"../{number}")
            entry.size = 30 * MIB
            archive.addfile(entry, io.BytesIO(bytes(30 * MIB)))

    with pytest.raises(UnsafeArchive, match="over 200 times its size"):
        tree_of(tmp_path / "a.tgz")


@pytest.mark.parametrize("names", [("a", "a/b"), ("a/b", "a")])
def test_a_tar_with_a_file_that_is_also_a_folder_is_refused(
    tmp_path: Path, names: Sequence[str]
) -> None:
    """The refusal names it, whichever of the two comes first."""
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for name in names:
            archive.addfile(tarfile.TarInfo(name), io.BytesIO())

    with pytest.raises(UnsafeArchive, match="both as a file and as a folder"):
        tree_of(tmp_path / "a.tar")


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_tar_archives_are_read_however_they_are_packed(tmp_path: Path, mode: str) -> None:
    """Packed or not; links and devices are left out."""
    with tarfile.open(tmp_path / "a.tar", mode) as archive:  # type: ignore[call-overload]
        entry = tarfile.TarInfo("a.jsonl")
        entry.size = len(LINE)
        archive.addfile(entry, io.BytesIO(LINE))
        for name, kind in (("l", tarfile.SYMTYPE), ("h", tarfile.LNKTYPE), ("d", tarfile.CHRTYPE)):
            other = tarfile.TarInfo(name)
            other.type, other.linkname = kind, "/etc/passwd"
            archive.addfile(other)

    assert list(tree_of(tmp_path / "a.tar").names()) == ["a.jsonl"]
    assert len(Read("lines", tmp_path / "a.tar").of("user")) == 1


def test_lines_before_a_damaged_place_are_read(tmp_path: Path) -> None:
    """An entry whose bytes are wrong has its lines as far as they can be read, and says so."""
    path = _damaged(tmp_path, "a.jsonl", LINE * 10)

    read = Read("lines", path)

    [(source, _, error)] = read.faults()
    assert (source, "The archive is damaged here" in error) == ("a.jsonl", True)


async def test_a_damaged_file_refuses_its_message_alone(mover: Mover) -> None:
    """A message whose file can't be unpacked is refused, and the import goes on."""
    attached = {"attachments": [{"url": "file:plan.txt", "name": "plan.txt"}]}
    lines = [
        *PEOPLE,
        message("m1", "anna", "ben", messageType="file", data=attached),
        message("m2", "anna", "ben"),
    ]
    content = mover.write(lines).read_bytes()
    path = _damaged(mover.folder, "plan.txt", b"It is a plan." * 10, {"a.jsonl": content})

    report = await mover.move(path)

    assert (report.kinds["message"].imported, report.kinds["message"].refused) == (1, 1)
    assert "plan.txt" in mover.refused[0].error


def _damaged(
    folder: Path, name: str, content: bytes, others: dict[str, bytes] | None = None
) -> Path:
    """Return a zip archive in which the bytes of an entry are wrong."""
    path = folder / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, text in {name: content, **(others or {})}.items():
            archive.writestr(each, text)
    raw = bytearray(path.read_bytes())
    begin = raw.index(name.encode()) + len(name)
    raw[begin : begin + 8] = b"\xff" * 8
    path.write_bytes(raw)
    return path


def test_a_name_of_any_bytes_is_a_name(tmp_path: Path) -> None:
    """A file whose name is not UTF-8 is read; the name is shown with `?`."""
    folder = tmp_path / "export"
    folder.mkdir()
    (folder / os.fsdecode(b"\xff.jsonl")).write_bytes(LINE)

    assert [row.source for row in Read("lines", folder).rows] == [os.fsdecode(b"\xff.jsonl")]


async def test_rows_of_files_with_any_name_are_imported(mover: Mover) -> None:
    """The name is stored with the row, and shown, with `?` for what is no text."""
    folder = mover.folder / "export"
    folder.mkdir()
    (folder / os.fsdecode(b"\xff.jsonl")).write_bytes(LINE + b"{\n")

    report = await mover.move(folder)

    assert report.kinds["user"].imported == 1
    assert mover.refused[0].source == "?.jsonl"


async def test_references_to_a_key_of_many_rows_take_no_time(mover: Mover) -> None:
    """Rows with the same key and as many that quote it: not each with each."""
    mover.step = 2000
    same = [message("m", "anna", "ben", data={"text": f"{number}"}) for number in range(1500)]
    quoting = [
        message(f"q{number}", "anna", "ben", sentAt=1, quotedMuid="m") for number in range(1500)
    ]
    path = mover.write([*PEOPLE, *same, *quoting])
    began = time.process_time()

    rows = [row async for row in _staged(mover, path)]

    assert len(rows) == 3002
    assert time.process_time() - began < 3  # each with each takes 8 s


async def _staged(mover: Mover, path: Path) -> AsyncIterator[object]:
    from hubbub.moving.run import stage

    with stage(mover.order(path), tree_of(path), mover.folder / "rows.db", _ignore) as staging:
        for some in staging.read_all():
            for row in some:
                yield row


def _ignore(step: str, done: int, total: int) -> None:
    """Show nothing."""


async def test_a_source_that_never_ends_is_not_fetched() -> None:
    """One that is too large ends where it is."""
    piece = bytes(64 * MIB)

    async def pieces() -> AsyncIterator[bytes]:
        while True:
            yield piece

    with pytest.raises(NotReached, match=f"more than {LARGEST_SOURCE:,} bytes"):
        async for _ in limit_source(pieces(), lambda: 0.0):
            pass


async def test_a_source_that_trickles_is_not_waited_for() -> None:
    """After a minute less than the least rate ends it; a fast one goes on."""
    clock = _Clock()

    async def pieces(rate: int) -> AsyncIterator[bytes]:
        for _ in range(100):
            clock.at += 1
            yield bytes(rate)

    fast = [each async for each in limit_source(pieces(LEAST_BYTES_A_SECOND), clock.now)]
    assert len(fast) == 100
    with pytest.raises(NotReached, match="sends less than"):
        async for _ in limit_source(pieces(100), clock.now):
            pass


class _Clock:
    def __init__(self) -> None:
        self.at = 0.0

    def now(self) -> float:
        return self.at


async def test_a_report_lists_conversations_that_differ_before_others(mover: Mover) -> None:
    """Of very many conversations some are listed, and all are counted."""
    from hubbub.moving import verify

    people = [user(f"u{number}") for number in range(8)]
    lines = [message(f"m{number}", "u0", f"u{number}") for number in range(1, 8)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verify, "MOST_CONVERSATIONS", 2)
        report = await mover.move_lines(*people, *lines, to_group("x", "u1", "nowhere"))

    assert report.conversations == 8
    assert "nowhere" in report.comparison.conversations
    assert len(report.comparison.conversations) == 2
