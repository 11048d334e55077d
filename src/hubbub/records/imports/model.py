"""Runs of imports, what became of their rows, and the errors about them."""

from typing import Any

import msgspec

from hubbub.kernel.errors import Conflict, NotFound

WAITING, RUNNING, DONE = "waiting", "running", "done"
FAILED, CANCELLED = "failed", "cancelled"


REFUSALS_SECONDS = 30 * 86_400
"""So long after the last step of an import its refused rows are kept."""


class ImportNotFound(NotFound):
    """The app has no such import."""

    code = "ERR_IMPORT_NOT_FOUND"

    def __init__(self, import_id: str) -> None:
        super().__init__(f"The import with id {import_id} does not exist.")


class ImportMoved(Conflict):
    """Another process goes on with the import."""

    code = "ERR_IMPORT_MOVED"

    def __init__(self, import_id: str) -> None:
        super().__init__(f"Another process goes on with the import {import_id}, or has ended it.")


class KindCounts(msgspec.Struct, omit_defaults=False):
    """What became of the rows of one kind."""

    read: int = 0
    imported: int = 0
    skipped: int = 0
    """They were stored already."""
    updated: int = 0
    refused: int = 0

    def add(self, other: "KindCounts") -> None:
        """Add the counts of further rows."""
        self.read += other.read
        self.imported += other.imported
        self.skipped += other.skipped
        self.updated += other.updated
        self.refused += other.refused


Counts = dict[str, KindCounts]
"""By kind of line."""
_decode_counts = msgspec.json.Decoder(Counts).decode
_encode = msgspec.json.Encoder().encode


class ImportJob(msgspec.Struct, frozen=True, rename="camel"):
    """An import that nodes run: its source lies in the file store, or is fetched from a URL."""

    origin: str | None
    dry_run: bool
    url: str | None = None
    name: str = ""
    """The name of an uploaded file."""
    path: str | None = None
    """Where the source is in the file store, once it is there."""
    size: int = 0
    """Its bytes."""


_decode_job = msgspec.json.Decoder(ImportJob).decode


class ImportRun(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `imports`; times in seconds."""

    id: str
    source: str
    origin: str
    settings: str
    fingerprint: str
    state: str
    position: int
    total: int
    counts: str
    dropped: str
    report: str | None
    job: str | None = None
    error: str | None = None
    started_at: int
    updated_at: int

    def counted(self) -> Counts:
        """Return what became of its rows so far."""
        return _decode_counts(self.counts)

    def asked(self) -> ImportJob | None:
        """Return what was asked for, if nodes run it."""
        return _decode_job(self.job) if self.job is not None else None


class RefusedRow(msgspec.Struct, frozen=True):
    """A row that an import refused, in the order of the import."""

    place: int
    source: str
    line: int
    error: str
    fields: str

    @property
    def row(self) -> dict[str, Any] | None:
        """Return the row as it was read; None if what stands there is none."""
        try:
            return _decode_row(self.fields)
        except msgspec.MsgspecError:
            return None


_decode_row = msgspec.json.Decoder(dict[str, Any]).decode


def encode_job(job: ImportJob) -> str:
    """Return a job as stored."""
    return _encode(job).decode()


def encode_counts(counts: Counts) -> str:
    """Return counts as stored."""
    return _encode(counts).decode()
