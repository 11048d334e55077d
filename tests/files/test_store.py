"""The contract of file storage: for a folder, and for S3."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.files.s3 import S3

from hubbub.config import BadSetting
from hubbub.files.store import FileNotStored, FileStore, open_store
from hubbub.kernel.errors import Unavailable

MEGABYTE = 1024 * 1024
PIECE = bytes(range(256)) * 1024
PIECES = 48
SIZE = len(PIECE) * PIECES
"""More than two parts of an S3 upload."""


@pytest.fixture(scope="module")
def s3() -> Iterator[S3]:
    """A running S3."""
    with S3() as server:
        yield server


@pytest.fixture(params=["folder", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FileStore]:
    """Each kind of storage."""
    address = request.getfixturevalue("s3").address if request.param == "s3" else ""
    store = open_store(address, tmp_path)
    yield store
    store.close()


async def pieces(count: int = PIECES, failure: Exception | None = None) -> AsyncIterator[bytes]:
    """Yield a file in pieces, perhaps incomplete."""
    for _ in range(count):
        yield PIECE
    if failure is not None:
        raise failure


async def content_of(store: FileStore, path: str, start: int, length: int) -> bytes:
    """Return a range of a file."""
    return b"".join([piece async for piece in await store.read(path, start, length)])


async def test_a_written_file_is_read(store: FileStore) -> None:
    """A file written in many pieces is read as a whole or in part."""
    assert await store.write("app/ab/abc", pieces()) == SIZE

    assert await content_of(store, "app/ab/abc", 0, SIZE) == PIECE * PIECES
    assert await content_of(store, "app/ab/abc", 257, 10) == PIECE[1:11]
    assert await content_of(store, "app/ab/abc", SIZE - 1, 1) == PIECE[-1:]
    with store.open_copy("app/ab/abc") as file:
        assert file.read() == PIECE * PIECES


async def test_a_file_may_be_small_or_empty(store: FileStore) -> None:
    """Files of one piece, and of none, are stored like others."""
    assert await store.write("app/ab/one", pieces(1)) == len(PIECE)
    assert await store.write("app/ab/none", pieces(0)) == 0

    assert await content_of(store, "app/ab/one", 0, len(PIECE)) == PIECE
    assert await content_of(store, "app/ab/none", 0, 0) == b""


async def test_a_missing_file(store: FileStore) -> None:
    """A missing file cannot be read, and need not be removed."""
    with pytest.raises(FileNotStored):
        await store.read("app/ab/nothing", 0, 1)
    with pytest.raises(FileNotStored):
        store.open_copy("app/ab/nothing")
    await store.delete(["app/ab/nothing"])
    await store.delete_folder("nobody")


async def test_removal(store: FileStore) -> None:
    """Files are removed singly, or all of a folder."""
    for path in ("one/ab/a", "one/ab/b", "one/cd/c", "one-more/ab/a"):
        await store.write(path, pieces(1))
    await store.delete(["one/ab/a"])
    with pytest.raises(FileNotStored):
        await store.read("one/ab/a", 0, 1)

    await store.delete_folder("one")
    for path in ("one/ab/b", "one/cd/c"):
        with pytest.raises(FileNotStored):
            await store.read(path, 0, 1)
    assert await content_of(store, "one-more/ab/a", 0, 1) == PIECE[:1]


@pytest.mark.parametrize("count", [0, 1, PIECES])
async def test_an_incomplete_file_leaves_nothing(store: FileStore, count: int) -> None:
    """An incomplete file does not exist, and the error is raised."""
    with pytest.raises(ZeroDivisionError):
        await store.write("app/ab/half", pieces(count, ZeroDivisionError()))

    with pytest.raises(FileNotStored):
        await store.read("app/ab/half", 0, 1)


async def test_s3_keeps_no_parts(s3: S3, tmp_path: Path) -> None:
    """S3 keeps no parts of an aborted upload, which would cost money for ever."""
    store = open_store(s3.address, tmp_path)
    before = s3.objects()
    with pytest.raises(ZeroDivisionError):
        await store.write("app/ab/parts", pieces(failure=ZeroDivisionError()))
    store.close()

    assert s3.unfinished() == set()
    assert s3.objects() == before


@pytest.mark.parametrize(
    "address",
    [
        "s3://other/chat?region=x&endpoint={}&access_key_id=a&secret_access_key=b",
        "s3://other/chat?region=x&endpoint=http://127.0.0.1:1&access_key_id=a&secret_access_key=b",
    ],
)
async def test_an_unreachable_store(s3: S3, tmp_path: Path, address: str) -> None:
    """Without its bucket, or its server, the storage stores nothing, and raises an error."""
    endpoint = s3.address.partition("endpoint=")[2].partition("&")[0]
    store = open_store(address.format(endpoint), tmp_path)
    with pytest.raises(Unavailable):
        await store.write("app/ab/abc", pieces(1))
    store.close()


async def test_a_folder_that_is_full(tmp_path: Path) -> None:
    """A folder that cannot be written to counts as unreachable storage."""
    (tmp_path / "files").write_text("no folder")
    store = open_store("", tmp_path)
    with pytest.raises(Unavailable):
        await store.write("app/ab/abc", pieces(1))
    store.close()


@pytest.mark.parametrize("form", ["{}", "file://{}", "fs://{}"])
async def test_a_folder_by_its_address(tmp_path: Path, form: str) -> None:
    """Files are stored in the named folder, given as a path or as an address."""
    folder = tmp_path / "other folder"
    store = open_store(
        form.format(str(folder).replace(" ", "%20" if "//" in form else " ")), tmp_path
    )
    await store.write("app/ab/abc", pieces(1))
    store.close()

    assert (folder / "app/ab/abc").read_bytes() == PIECE


@pytest.mark.parametrize(
    "address",
    [
        "ftp://example.com",
        "s3://",
        "s3://bucket",
        "http://example.com",
        "memory://",
        "gcs://",
        "://",
    ],
)
def test_an_invalid_address(tmp_path: Path, address: str) -> None:
    """An invalid address stops the start with a sentence."""
    with pytest.raises(BadSetting, match="HUBBUB_FILES_URL"):
        open_store(address, tmp_path)


@pytest.mark.parametrize(
    "address",
    [
        "gcs://bucket/chat",
        "azblob://container/chat?account_name=a&account_key=YQ==&endpoint=https://example.com",
    ],
)
def test_other_addresses(tmp_path: Path, address: str) -> None:
    """The addresses of Google's and Microsoft's storages are known."""
    open_store(address, tmp_path).close()
