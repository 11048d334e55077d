"""Store the files beside a source that messages name, before the messages are stored."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any

import msgspec

from hubbub.domain.attachments.upload import Upload
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.moving.compare import OF_FILE, key_of
from hubbub.moving.lines import FILE, Line, MessageLine
from hubbub.records.attachments.model import check_media
from hubbub.records.messages.model import Message
from hubbub.records.messages.store import find_by_muid
from hubbub.runtime import Runtime

PIECE = 1024 * 1024
Paths = Mapping[str, str]
"""Where the files of a source are on this machine, by their names."""


def files_of(line: Line) -> list[str]:
    """Return the names of the files beside the source that a line's attachments are."""
    return [str(each["url"]).removeprefix(FILE) for each in attachments_with_files(line)]


def attachments_with_files(line: Line) -> list[dict[str, Any]]:
    """Return the attachments of a line that name files beside the source."""
    data = line.data if isinstance(line, MessageLine) else None
    attachments = data.get("attachments") if isinstance(data, dict) else None
    if not isinstance(attachments, list):
        return []
    return [
        each
        for each in attachments
        if isinstance(each, dict) and str(each.get("url", "")).startswith(FILE)
    ]


@dataclass(slots=True)
class Files:
    """What became of the files of messages, by the keys of their lines."""

    uploads: dict[str, Upload] = field(default_factory=dict)
    """The files of new messages."""
    faults: dict[str, Refusal] = field(default_factory=dict)
    """Why the files of others can't be stored."""
    stored: dict[str, Message] = field(default_factory=dict)
    """Messages that are stored with files already: theirs are not stored again."""


async def upload_files(
    runtime: Runtime, app_id: str, lines: Sequence[MessageLine], paths: Paths
) -> Files:
    """Store the files of messages that are not stored yet; the lines name the stored files then."""
    files = Files()
    wanted = [line for line in lines if attachments_with_files(line)]
    if not wanted:
        return files
    pairs = [(line.sender, line.muid) for line in wanted]
    stored = await runtime.database.read(app_id, lambda snapshot: find_by_muid(snapshot, pairs))
    for line in wanted:
        key, pair = key_of(line), (line.sender, line.muid)
        if pair in stored:
            files.stored[key] = stored[pair]
            continue
        upload = files.uploads[key] = Upload(runtime, app_id)
        try:
            await _upload(upload, line, paths)
        except Refusal as refusal:
            files.faults[key] = refusal
    return files


def with_stored_files(line: MessageLine, stored: Message) -> MessageLine:
    """Return a line whose attachments are those of the stored message, which has the files."""
    kept = msgspec.json.decode(stored.data).get("attachments")
    return msgspec.structs.replace(line, data={**line.data, "attachments": kept})


async def _upload(upload: Upload, line: MessageLine, paths: Paths) -> None:
    threads = upload.runtime.threads
    for attachment in attachments_with_files(line):
        name = str(attachment["url"]).removeprefix(FILE)
        given = str(attachment.get("name") or name.rpartition("/")[2])
        if name not in paths:
            raise BadInput.field("data.attachments", f"The file {name} can't be unpacked.")
        try:
            with await threads.run(upload.app_id, partial(_open, paths[name])) as file:
                await upload.add(given, _pieces(upload, file))
        except OSError as fault:
            raise BadInput.field(
                "data.attachments", f"The file {name} can't be read: {fault}."
            ) from None
        kept = {each: attachment[each] for each in attachment if each not in OF_FILE}
        attachment.clear()
        attachment.update({**upload.files[-1].attachment(), **kept})
    check_media(line.message_type or "", upload.files)


def _open(path: str) -> IO[bytes]:
    return Path(path).open("rb")


async def _pieces(upload: Upload, file: IO[bytes]) -> AsyncIterator[bytes]:
    while piece := await upload.runtime.threads.run(upload.app_id, lambda: file.read(PIECE)):
        yield piece
