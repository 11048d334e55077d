"""Fetch the files that attachments of imported messages name by URL, some messages at a time."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec

from hubbub.domain.attachments.upload import Upload
from hubbub.domain.imports.messages import ImportedMessage
from hubbub.domain.messages.compose import with_data
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.outbound.errors import NotReached
from hubbub.records.attachments.model import (
    MOST_FILES,
    AttachmentNotFetched,
    TooManyFiles,
    check_media,
)
from hubbub.records.messages.model import Draft

AT_ONCE = 8
FETCH_SECONDS = 60.0
"""The longest time that one file may take."""
MEASURED = {"width", "height", "thumbnail"}
"""Fields that the stored file has, or has not."""


async def fetch_files(
    rows: Mapping[str, ImportedMessage], new_upload: Callable[[], Upload]
) -> tuple[dict[str, ImportedMessage], dict[str, Refusal]]:
    """Return the rows with fetched files, and the refusals of those whose files can't be fetched.

    Both are by the key of the row. Rows without attachments are returned as they are.
    """
    turns = asyncio.Semaphore(AT_ONCE)

    async def fetch(row: ImportedMessage) -> ImportedMessage | Refusal:
        if not attachments_of(row.draft):
            return row
        async with turns:
            upload = new_upload()
            try:
                draft = await fetch_attachments(row.draft, upload)
            except Refusal as refusal:
                return refusal
            return msgspec.structs.replace(row, draft=draft, upload=upload)

    async with asyncio.TaskGroup() as group:
        tasks = {key: group.create_task(fetch(row)) for key, row in rows.items()}
    fetched, refused = {}, {}
    for key, task in tasks.items():
        outcome = task.result()
        if isinstance(outcome, Refusal):
            refused[key] = outcome
        else:
            fetched[key] = outcome
    return fetched, refused


async def fetch_attachments(draft: Draft, upload: Upload) -> Draft:
    """Return the draft with the files of its attachments, which are fetched into `upload`.

    Raises:
        AttachmentNotFetched: a file can't be fetched.
        BadInput: there are too many.
        FilesTooLarge, PictureTooLarge, WrongMedia: as for uploaded files.
        Unavailable: a file can't be stored.
    """
    data = msgspec.json.decode(draft.data)
    given = attachments_of(draft)
    if len(given) > MOST_FILES:
        raise BadInput.field(
            "data.attachments",
            f"There are {len(given)} files; a message may have {MOST_FILES}.",
            code=TooManyFiles.code,
        )
    attachments = [
        {**_kept(each), **await _fetch(upload, index, each)} for index, each in enumerate(given)
    ]
    check_media(draft.type, upload.files)
    return with_data(draft, {**data, "attachments": attachments})


def attachments_of(draft: Draft) -> list[dict[str, Any]]:
    """Return the attachments of a draft."""
    data: Any = msgspec.json.decode(draft.data)
    found = data.get("attachments")
    return found if isinstance(found, list) else []


def _kept(attachment: Any) -> dict[str, Any]:
    """Return the fields of an attachment that its file does not replace."""
    fields = attachment if isinstance(attachment, dict) else {}
    return {name: value for name, value in fields.items() if name not in MEASURED}


async def _fetch(upload: Upload, index: int, attachment: Any) -> dict[str, Any]:
    """Return what a fetched file replaces in its attachment."""
    url = attachment.get("url") if isinstance(attachment, dict) else None
    upload.runtime.outbound.call_for(upload.app_id)
    try:
        async with upload.runtime.outbound.download(f"{url}", seconds=FETCH_SECONDS) as pieces:
            await upload.add(_name_of(attachment, f"{url}"), pieces)
    except NotReached as reason:
        raise AttachmentNotFetched(index, str(reason)) from None
    return upload.files[-1].attachment()


def _name_of(attachment: dict[str, Any], url: str) -> str:
    """Return the name that the attachment has, or the last part of its URL."""
    name = attachment.get("name")
    return (
        name if isinstance(name, str) and name else unquote(urlsplit(url).path).rpartition("/")[2]
    )
