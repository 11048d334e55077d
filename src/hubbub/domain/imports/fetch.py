"""Fetch the files of imported messages, some messages at a time."""

import asyncio
from collections.abc import Callable, Mapping

import msgspec

from hubbub.domain.attachments.fetch import attachments_of, fetch_attachments
from hubbub.domain.attachments.upload import Upload
from hubbub.domain.imports.messages import ImportedMessage
from hubbub.kernel.errors import Refusal

AT_ONCE = 8


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
