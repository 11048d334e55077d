"""Run an export: all kinds of lines in the order in which they are imported."""

import time
from functools import partial
from pathlib import Path

import msgspec

from hubbub.files.store import FileStore
from hubbub.moving.export.groups import write_group, write_groups, write_memberships
from hubbub.moving.export.messages import (
    pages_of_app,
    pages_of_conversation,
    pages_of_sender,
    sort_reactions_of,
    write_messages,
)
from hubbub.moving.export.output import FURTHER, PAGE, Output
from hubbub.moving.export.people import write_named_users, write_people, write_person
from hubbub.moving.export.person_page import render_person
from hubbub.moving.export.receipts import sort_receipts, sort_receipts_in, sort_receipts_of
from hubbub.moving.export.report import ExportReport
from hubbub.moving.export.selection import Selection
from hubbub.moving.export.sorting import Sorting
from hubbub.moving.export.writing import Exporting, Show
from hubbub.records.apps.model import AppNotFound
from hubbub.records.conversations.store import list_user_conversations
from hubbub.records.groups.model import GuidNotFound
from hubbub.records.groups.store import find_groups
from hubbub.records.personal.store import find_further
from hubbub.records.totals.store import (
    count_not_carried,
    count_notices,
    count_rows,
    list_apps,
)
from hubbub.records.users.model import UidNotFound
from hubbub.records.users.store import find_user
from hubbub.storage.interface import INSTALLATION, Still

SORTED = "sorted.db"


async def write_export(
    still: Still,
    app_id: str,
    files: FileStore,
    output: Output,
    selection: Selection,
    *,
    scratch: Path,
    show: Show,
) -> ExportReport:
    """Write what is selected of an app; return the report.

    Raises:
        AppNotFound, UidNotFound, GuidNotFound: it does not exist.
        StoreUnusable: the store can't be read.
        Unavailable: the files can't be reached.
    """
    began = time.monotonic()
    if app_id not in {each.id for each in await still.read(INSTALLATION, list_apps)}:
        raise AppNotFound(app_id)
    with Sorting(scratch / SORTED) as sorting:
        writing = Exporting(still, app_id, files, output, sorting, selection)
        if selection.user is not None:
            await _write_user(writing, selection.user, show)
        elif selection.group is not None:
            await _write_group(writing, selection.group, show)
        else:
            await _write_app(writing, show)
        writing.emit_all()
    return ExportReport(
        app=app_id,
        target="",
        user=selection.user,
        group=selection.group,
        kinds=dict(output.counts),
        bytes=writing.bytes,
        missing=writing.missing,
        missing_files=writing.missing_files,
        dropped={what: n for what, n in sorted(writing.dropped.items()) if n},
        seconds=round(time.monotonic() - began, 1),
    )


async def _write_app(writing: Exporting, show: Show) -> None:
    total = (await writing.read(count_rows)).messages
    await write_people(writing)
    await write_groups(writing)
    await write_messages(writing, pages_of_app(writing), show, total)
    await sort_receipts(writing)
    writing.dropped.update(await writing.read(count_not_carried))
    writing.dropped["notices of edits and deletions"] += await writing.read(count_notices)


async def _write_group(writing: Exporting, guid: str, show: Show) -> None:
    group = (await writing.read(lambda tx: find_groups(tx, [guid]))).get(guid)
    if group is None:
        raise GuidNotFound(guid)
    await write_group(writing, group)
    await write_messages(writing, pages_of_conversation(writing, group.conversation), show)
    await sort_receipts_in(writing, group.conversation)
    await write_named_users(writing)


async def _write_user(writing: Exporting, uid: str, show: Show) -> None:
    """Write what concerns a person: what they wrote, and what was written to them alone."""
    if await writing.read(lambda tx: find_user(tx, uid)) is None:
        raise UidNotFound(uid)
    await write_person(writing, uid)
    await write_memberships(writing, uid)
    for number, _ in await writing.read(lambda tx: list_user_conversations(tx, uid)):
        await write_messages(writing, pages_of_conversation(writing, number), show)
    await write_messages(writing, pages_of_sender(writing, uid), show)
    await sort_reactions_of(writing, uid)
    await sort_receipts_of(writing, uid)
    further = await writing.read(partial(find_further, uid=uid))
    encoded = msgspec.json.format(msgspec.json.encode(further, order="sorted")).decode()
    writing.output.add_document(FURTHER, [encoded, "\n"])
    page = render_person(writing.app_id, uid, writing.sorting, further)
    writing.output.add_document(PAGE, page)
