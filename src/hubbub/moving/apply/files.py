"""Store the files beside a source that messages name, before the messages are stored."""

from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

from hubbub.domain.attachments.upload import Upload
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.moving.compare import key_of
from hubbub.moving.lines import FILE, Line, MessageLine
from hubbub.records.attachments.model import check_media
from hubbub.records.messages.store import find_by_muid
from hubbub.runtime import Runtime

PIECE = 1024 * 1024
KEPT = ("name",)
"""What an attachment keeps; the stored file says the rest."""
Paths = Mapping[str, str]
"""Where the files of a source are on this machine, by their names."""


def files_of(line: Line) -> list[str]:
    """Return the names of the files beside the source that a line's attachments are."""
    return [str(each["url"]).removeprefix(FILE) for each in _with_files(line)]


def _with_files(line: Line) -> list[dict[str, Any]]:
    data = line.data if isinstance(line, MessageLine) else None
    attachments = data.get("attachments") if isinstance(data, dict) else None
    if not isinstance(attachments, list):
        return []
    return [
        each
        for each in attachments
        if isinstance(each, dict) and str(each.get("url", "")).startswith(FILE)
    ]


async def upload_files(
    runtime: Runtime, app_id: str, lines: Sequence[MessageLine], paths: Paths
) -> tuple[dict[str, Upload], dict[str, Refusal]]:
    """Store the files of messages that are not stored yet; the lines name the stored files then.

    Return the uploads, and the refusals of the others, by the keys of the lines.
    """
    wanted = [line for line in lines if _with_files(line)]
    if not wanted:
        return {}, {}
    pairs = [(line.sender, line.muid) for line in wanted]
    stored = await runtime.database.read(app_id, lambda snapshot: find_by_muid(snapshot, pairs))
    uploads: dict[str, Upload] = {}
    faults: dict[str, Refusal] = {}
    for line in wanted:
        if (line.sender, line.muid) in stored:
            continue
        upload = uploads[key_of(line)] = Upload(runtime, app_id)
        try:
            await _upload(upload, line, paths)
        except Refusal as refusal:
            faults[key_of(line)] = refusal
    return uploads, faults


async def _upload(upload: Upload, line: MessageLine, paths: Paths) -> None:
    threads = upload.runtime.threads
    for attachment in _with_files(line):
        name = str(attachment["url"]).removeprefix(FILE)
        given = str(attachment.get("name") or name.rpartition("/")[2])
        try:
            with await threads.run(upload.app_id, partial(_open, paths[name])) as file:
                await upload.add(given, _pieces(upload, file))
        except (KeyError, OSError) as fault:
            raise BadInput.field(
                "data.attachments", f"The file {name} can't be read: {fault}."
            ) from None
        kept = {field: attachment[field] for field in KEPT if field in attachment}
        attachment.clear()
        attachment.update({**upload.files[-1].attachment(), **kept})
    check_media(line.message_type or "", upload.files)


def _open(path: str) -> IO[bytes]:
    return Path(path).open("rb")


async def _pieces(upload: Upload, file: IO[bytes]) -> AsyncIterator[bytes]:
    while piece := await upload.runtime.threads.run(upload.app_id, lambda: file.read(PIECE)):
        yield piece
