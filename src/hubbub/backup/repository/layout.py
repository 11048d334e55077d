"""What a place of backups says about itself: `repository.json`, and a manifest for each backup."""

import hashlib
import re
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

import msgspec

from hubbub.backup.manifest import KEY, MANIFEST, BackupRefused, Description
from hubbub.files.places import LOCKS, UNFINISHED, BackupPlace, NotInPlace

FORMAT = 1
REPOSITORY = "repository.json"
BACKUPS, PACKS, MAPS, FILES = "backups", "packs", "maps", "files"
DIGEST_BYTES = 16
KEY_BYTES = 32
ID = re.compile(r"[0-9]{8}T[0-9]{9}Z-[0-9a-f]{8}")
Kind = TypeVar("Kind")


class Repository(msgspec.Struct, rename="camel"):
    """What is true of all backups in a place."""

    format: int
    digest_key: str
    """Digests are keyed: without it, nobody can make two pages or files that have the same one."""


class Pack(msgspec.Struct, array_like=True):
    """A file with pages, and how many of them the backup uses."""

    name: str
    pages: int
    used: int


class PartOfMap(msgspec.Struct, rename="camel"):
    """A file in `maps`, and its digest."""

    name: str
    records: int
    digest: str


class Backup(Description, kw_only=True):
    """The description of a backup in a place with others."""

    id: str
    page_bytes: int
    pages: int
    map: list[PartOfMap]
    """The last full map, and what differed since, in this order."""
    packs: list[Pack]
    """Their order gives the numbers that the map has; those that are not used may be gone."""
    files: str
    """The digest of the list of uploaded files."""

    @property
    def time(self) -> datetime:
        """Return when it began."""
        return datetime.fromisoformat(self.taken_at)


@dataclass(frozen=True, slots=True)
class Opened:
    """A place whose backups can be read."""

    place: BackupPlace
    digest_key: bytes

    def new_digest(self) -> "hashlib.blake2b":
        """Return a digest to be fed."""
        return hashlib.blake2b(digest_size=DIGEST_BYTES, key=self.digest_key)

    def digest_of(self, content: bytes) -> bytes:
        """Return the digest of a content."""
        return hashlib.blake2b(content, digest_size=DIGEST_BYTES, key=self.digest_key).digest()

    def read_checked(self, path: str, digest: str) -> Iterator[bytes]:
        """Yield a file in pieces.

        Raises:
            BackupRefused: it is missing, or has another digest, which is noticed at its end.
        """
        found = self.new_digest()
        try:
            for piece in self.place.read(path):
                found.update(piece)
                yield piece
        except NotInPlace:
            raise missing(self.place, path) from None
        if found.hexdigest() != digest:
            raise damaged(self.place, path)

    def list_backups(self) -> list[Backup]:
        """Return the complete backups, the oldest one first.

        Raises:
            BackupRefused: the description of one is damaged, or of a newer format.
        """
        found = (self.find_backup(id_) for id_ in self.list_ids())
        return [each for each in found if each is not None]

    def list_ids(self) -> list[str]:
        """Return the ids of all backups, complete or not, the oldest one first."""
        return sorted(e.name for e in self.place.entries(BACKUPS) if ID.fullmatch(e.name))

    def find_newest(self) -> Backup | None:
        """Return the newest complete backup; None if there is none."""
        found = (self.find_backup(id_) for id_ in reversed(self.list_ids()))
        return next((each for each in found if each is not None), None)

    def find_backup(self, id_: str) -> Backup | None:
        """Return a backup; None if it is not complete."""
        path = f"{BACKUPS}/{id_}/{MANIFEST}"
        found = _read(self.place, path, Backup)
        if found is not None and (found.id != id_ or not _is_time(found.taken_at)):
            raise damaged(self.place, path)
        return found


def open_repository(place: BackupPlace) -> Opened:
    """Open a place that has backups.

    Raises:
        BackupRefused: it has none, or this version can't read them.
    """
    found = _read(place, REPOSITORY, Repository)
    if found is None:
        raise BackupRefused(f"There are no backups in {place.name}: it has no {REPOSITORY}.")
    try:
        return Opened(place, bytes.fromhex(found.digest_key))
    except ValueError:
        raise damaged(place, REPOSITORY) from None


def make_repository(place: BackupPlace) -> Opened:
    """Open a place for backups; an empty one becomes such a place.

    Raises:
        BackupRefused: it holds something else, or this version can't read it.
    """
    if _read(place, REPOSITORY, Repository) is None:
        others = {e.name for e in place.entries("")} - {LOCKS, UNFINISHED, "lost+found"}
        if others:
            raise BackupRefused(
                f"{place.name} is not empty, and holds no backups of hubbub backup --to: it has"
                f" {', '.join(sorted(others)[:3])}. Name a new or empty place."
            )
        made = Repository(FORMAT, secrets.token_hex(KEY_BYTES))
        place.write(REPOSITORY, [msgspec.json.encode(made)])
    return open_repository(place)


def choose_backup(opened: Opened, id_: str | None, at: datetime | None) -> Backup:
    """Return the backup with an id, or the newest one, or the newest one of a time.

    Raises:
        BackupRefused: there is none.
    """
    if id_ is not None:
        found = opened.find_backup(id_) if ID.fullmatch(id_) else None
        if found is None:
            raise BackupRefused(f"There is no backup {id_!r} in {opened.place.name}: see --list.")
        return found
    backups = [each for each in opened.list_backups() if at is None or each.time <= at]
    if not backups:
        before = f" as old as {at.isoformat()}" if at else ""
        raise BackupRefused(f"There is no complete backup{before} in {opened.place.name}.")
    return max(backups, key=lambda each: each.time)


def new_id(taken_at: datetime) -> str:
    """Return an id for a backup; ids are in the order of their times."""
    milliseconds = taken_at.microsecond // 1000
    return f"{taken_at.astimezone(UTC):%Y%m%dT%H%M%S}{milliseconds:03}Z-{secrets.token_hex(4)}"


def paths_beside(id_: str) -> list[str]:
    """Return the paths of what a backup has for itself, the manifest first."""
    return [f"{BACKUPS}/{id_}/{name}" for name in (MANIFEST, FILES, KEY)]


def missing(place: BackupPlace, path: str) -> BackupRefused:
    """Return the error for a file that is not there."""
    return BackupRefused(f"The backup is not whole: {path} is missing in {place.name}.")


def damaged(place: BackupPlace, path: str) -> BackupRefused:
    """Return the error for a file with another content."""
    return BackupRefused(f"The backup is damaged: {path} in {place.name} has another digest.")


def _read(place: BackupPlace, path: str, kind: type[Kind]) -> Kind | None:
    try:
        content = b"".join(place.read(path))
    except NotInPlace:
        return None
    decode: Callable[..., Kind] = msgspec.json.decode
    try:
        found = msgspec.json.decode(content, type=_Formatted)
        if found.format == FORMAT:
            return decode(content, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise BackupRefused(f"The file {path} in {place.name} is damaged.") from None
    raise BackupRefused(
        f"The file {path} in {place.name} has the format {found.format}; this Hubbub reads"
        f" {FORMAT}. Use a newer one."
    )


class _Formatted(msgspec.Struct):
    format: int


def _is_time(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False
