"""Merge old receipts in the background: of each day only the last one of a row is kept.

A walk through all receipts of an app begins once a day, and may take longer.
"""

from dataclasses import replace
from functools import partial

from hubbub.kernel.each_app import for_each_app
from hubbub.records.apps import store as apps_store
from hubbub.records.receipts.model import DAY, Receipt
from hubbub.records.receipts.old import (
    MergeProgress,
    find_progress,
    list_receipts_from,
    plan_merges,
    store_merges,
    store_progress,
)
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

CHUNK = 500
"""The receipts that are read at once."""
AT_ONCE = 20
"""The merges of one transaction."""
CHUNKS = 200
"""After so many, the walk goes on in the next run, unless it is inside a conversation."""


async def merge_receipts(runtime: Runtime, *, chunk: int = CHUNK, chunks: int = CHUNKS) -> None:
    """Merge the receipts of all apps that are older than the setting."""
    app_ids = await runtime.database.read(INSTALLATION, apps_store.list_ids)
    merge = partial(_merge_app, runtime, chunk=chunk, chunks=chunks)
    await for_each_app(app_ids, merge, name="merge_receipts")


async def _merge_app(runtime: Runtime, app_id: str, *, chunk: int, chunks: int) -> None:
    now = runtime.clock.now()
    progress = await runtime.database.read(app_id, find_progress)
    if not progress.at_conversation:
        if progress.began_at <= now < progress.began_at + DAY:
            return
        progress = MergeProgress(began_at=now)
    walk = _Walk(runtime, app_id, now - round(runtime.settings.receipts_exact))
    reached = await walk.go_on(progress.at_conversation, chunk, chunks)
    progress = replace(progress, at_conversation=reached)
    await runtime.database.write(app_id, lambda tx: store_progress(tx, progress))


class _Walk:
    """A walk through receipts of an app in the order of their key, which merges those of a day."""

    def __init__(self, runtime: Runtime, app_id: str, before: int) -> None:
        self._database = runtime.database
        self._app_id = app_id
        self._before = before
        self._alone = 0
        """The last conversation with a group's only member, whose own messages nobody has read."""

    async def go_on(self, conversation: int, chunk: int, chunks: int) -> int:
        """Merge from a conversation on; return the one to go on with, 0 at the end."""
        start = Receipt(conversation, "", "", 0, 0, 0)
        while True:
            find = partial(list_receipts_from, receipt=start, limit=chunk)
            receipts = await self._database.read(self._app_id, find)
            await self._merge(receipts)
            if len(receipts) < chunk:
                return 0
            chunks -= 1
            start = receipts[-1]  # what it was merged into, so the next chunk goes on with it
            if chunks <= 0 and start.conversation > conversation:
                return start.conversation

    async def _merge(self, receipts: list[Receipt]) -> None:
        alone = {each.conversation for each in receipts if each.alone is not None} | {self._alone}
        self._alone = max(alone)
        with_gaps = {each.conversation for each in receipts} - alone
        merges = plan_merges(receipts, before=self._before, with_gaps=with_gaps)
        for first in range(0, len(merges), AT_ONCE):
            some = merges[first : first + AT_ONCE]
            await self._database.write(self._app_id, partial(store_merges, merges=some))
