"""What a backup says about itself: `manifest.json`, and the checksums in `SHA256SUMS`."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import msgspec

FORMAT = 1
DATABASE, KEY, FILES = "hubbub.db", "secret.key", "files"
MANIFEST, CHECKSUMS = "manifest.json", "SHA256SUMS"
_LINE = re.compile(r"([0-9a-f]{64})  (hubbub\.db|secret\.key|files/[\w./-]+)")


class BackupRefused(Exception):
    """A backup can't be made or restored; the message says why, and what to do."""


class Counts(msgspec.Struct):
    """What is in a backup, in numbers."""

    apps: int = 0
    users: int = 0
    groups: int = 0
    messages: int = 0
    files: int = 0
    """How many uploads are in the backup; those that it lacks are not counted."""

    def __str__(self) -> str:
        counts = msgspec.structs.asdict(self)
        return ", ".join(f"{count:,} {_noun(name, count)}" for name, count in counts.items())


def _noun(plural: str, count: int) -> str:
    return plural.removesuffix("s") if count == 1 else plural


class Description(msgspec.Struct, rename="camel", kw_only=True):
    """What every backup says of itself."""

    format: int
    hubbub: str
    """The version of Hubbub that made it."""
    schema_version: int
    counts: Counts
    has_files: bool
    """False if the files are in a remote store."""
    has_master_key: bool
    taken_at: str = ""
    """The time of its beginning: everything that was answered by then is in it."""
    missing_files: list[str] = msgspec.field(default_factory=list)
    """The paths of files that messages hold, but that were missing when it was made."""

    def encode(self) -> bytes:
        """Return the content of the file."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n"


class Manifest(Description, kw_only=True):
    """The description of a backup in a folder of its own."""

    checksums: str
    """The SHA-256 of the file with the checksums."""


class Checksum(msgspec.Struct, frozen=True):
    """The SHA-256 of a file, whose path is relative to the backup."""

    digest: str
    path: str

    def __str__(self) -> str:
        return f"{self.digest}  {self.path}\n"


def read_manifest(folder: Path) -> Manifest:
    """Read the description of a backup, and check that its list of checksums is complete.

    Raises:
        BackupRefused: the folder is no complete backup, or this version can't read it.
    """
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
    except (FileNotFoundError, NotADirectoryError):
        raise BackupRefused(
            f"There is no complete backup in {folder}: it has no {MANIFEST}, which is written last."
        ) from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise BackupRefused(f"The file {folder / MANIFEST} is damaged.") from None
    if manifest.format != FORMAT:
        raise BackupRefused(
            f"The backup has the format {manifest.format}; this Hubbub reads {FORMAT}."
            f" Restore it with Hubbub {manifest.hubbub} or newer."
        )
    if digest_of(folder / CHECKSUMS) != manifest.checksums:
        raise BackupRefused(f"The file {folder / CHECKSUMS} is damaged: its checksum is wrong.")
    return manifest


def read_checksums(folder: Path) -> Iterator[Checksum]:
    """Yield the checksums of a backup's files.

    Raises:
        BackupRefused: a line is malformed, or names a file outside the backup.
    """
    with (folder / CHECKSUMS).open(encoding="ascii", errors="replace") as lines:
        for line in lines:
            found = _LINE.fullmatch(line.rstrip("\n"))
            if found is None or not {".", ".."}.isdisjoint(PurePosixPath(found[2]).parts):
                raise BackupRefused(f"A line of {folder / CHECKSUMS} is not valid: {line!r}")
            yield Checksum(found[1], found[2])


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file; of one that does not exist an empty text."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return ""
