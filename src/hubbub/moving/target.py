"""Where an import goes: a store that this process has opened, or a node that has it open."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from hubbub.domain.access.credentials import find_app
from hubbub.domain.imports.tell import tell_changed
from hubbub.moving.apply.files import Paths
from hubbub.moving.apply.outcome import Conflicts
from hubbub.moving.apply.rows import apply_rows
from hubbub.moving.compare import key_of
from hubbub.moving.lines import Line
from hubbub.moving.pace import SharedPace
from hubbub.moving.staging import StagedRow
from hubbub.moving.stored.groups import find_groups, find_members
from hubbub.moving.stored.messages import (
    find_messages,
    find_reactions,
    find_receipts,
    find_same,
)
from hubbub.moving.stored.people import find_roles, find_users
from hubbub.moving.stored.relations import find_blocks, find_contacts, find_friends
from hubbub.records.conversations.model import ConversationKey
from hubbub.records.imports import store
from hubbub.records.imports.model import (
    RUNNING,
    Counts,
    ImportNotFound,
    ImportRun,
    RefusedRow,
    encode_counts,
)
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

Find = Callable[[Snapshot, Any], Awaitable[Mapping[str, Line]]]
FIND: dict[str, Find] = {
    "role": find_roles,
    "user": find_users,
    "block": find_blocks,
    "friend": find_friends,
    "contact": find_contacts,
    "group": find_groups,
    "member": find_members,
    "message": find_messages,
    "reaction": find_reactions,
    "receipt": find_receipts,
}


async def find_other(
    snapshot: Snapshot, kind: str, rows: Sequence[StagedRow]
) -> dict[int, Line | None]:
    """Return what is stored under the keys of rows, by place, unless it is what they say."""
    plain = [(row.place, row.plain_line()) for row in rows if row.plain is not None]
    same = await find_same(snapshot, plain) if plain else set()
    left = [(row.place, row.line()) for row in rows if row.place not in same]
    found = await FIND[kind](snapshot, [line for _, line in left]) if left else {}
    stored = ((place, line, found.get(key_of(line))) for place, line in left)
    return {place: other for place, line, other in stored if other != line}


LATEST = 100
"""So many runs are looked through for one that can go on, and listed."""
NO_DROPS = "{}"
_encode = msgspec.json.Encoder().encode


class ImportBeginning(msgspec.Struct, frozen=True):
    """What is imported, and how: the same again goes on with what was interrupted."""

    source: str
    origin: str
    conflicts: Conflicts
    fingerprint: str
    id: str = ""
    """The run, if it was stored before."""


class ImportTarget(Protocol):
    """The store of an app, as an import sees it."""

    step: int
    """So many rows are carried out together."""

    async def begin(self, beginning: ImportBeginning) -> ImportRun:
        """Return the run that goes on: the last one of the same source that has not ended, or new.

        Raises:
            AppNotFound: there is no such app.
        """
        ...

    async def set_total(self, import_id: str, total: int, dropped: Mapping[str, int]) -> None:
        """Store how many rows the source has, and what it has beyond them."""
        ...

    async def apply(
        self, import_id: str, rows: Sequence[StagedRow], conflicts: Conflicts, paths: Paths
    ) -> Counts:
        """Carry out rows, as `apply_rows` does; `paths` are absolute."""
        ...

    async def find(self, kind: str, lines: Sequence[Line]) -> Mapping[str, Line]:
        """Return what is stored under the keys of lines of a kind, by key."""
        ...

    async def find_other(self, kind: str, rows: Sequence[StagedRow]) -> Mapping[int, Line | None]:
        """Return what is stored under the keys of rows, by place, unless it is what they say."""
        ...

    async def tell(self, keys: Sequence[ConversationKey]) -> None:
        """Tell connected clients that these conversations have changed, at most `MOST_TOLD`."""
        ...

    async def end(self, import_id: str, state: str, report: str | None) -> None:
        """Store that a run has ended."""
        ...

    async def list_refusals(self, import_id: str, after: int) -> Sequence[RefusedRow]:
        """Return some of the refused rows after a place, in order."""
        ...

    async def list_runs(self) -> Sequence[ImportRun]:
        """Return the latest runs, newest first.

        Raises:
            AppNotFound: there is no such app.
        """
        ...

    async def find_run(self, import_id: str) -> ImportRun:
        """Return a run.

        Raises:
            ImportNotFound: there is none with this id.
        """
        ...


class OwnStore:
    """The store of an app in this process."""

    def __init__(self, runtime: Runtime, app_id: str, *, step: int) -> None:
        self.step = step
        self._runtime = runtime
        self._app_id = app_id

    async def begin(self, beginning: ImportBeginning) -> ImportRun:
        if beginning.id:
            return await self._adopt(beginning)
        settings = beginning.conflicts.value
        for run in await self.list_runs():
            same = (beginning.source, beginning.origin, settings, beginning.fingerprint)
            if run.state == RUNNING and same == (
                run.source,
                run.origin,
                run.settings,
                run.fingerprint,
            ):
                return run
        now = self._runtime.clock.now()
        run = ImportRun(
            id=self._runtime.ids.hexadecimal(16),
            source=beginning.source,
            origin=beginning.origin,
            settings=settings,
            fingerprint=beginning.fingerprint,
            state=RUNNING,
            position=0,
            total=0,
            counts=encode_counts({}),
            dropped=NO_DROPS,
            report=None,
            started_at=now,
            updated_at=now,
        )
        await self._runtime.database.write(self._app_id, lambda tx: store.insert_run(tx, run))
        return run

    async def _adopt(self, beginning: ImportBeginning) -> ImportRun:
        run = await self.find_run(beginning.id)
        if not run.fingerprint:
            await self._runtime.database.write(
                self._app_id,
                lambda tx: store.adopt_run(
                    tx, run.id, origin=beginning.origin, fingerprint=beginning.fingerprint
                ),
            )
        return run

    async def set_total(self, import_id: str, total: int, dropped: Mapping[str, int]) -> None:
        text = _encode(dropped).decode()
        await self._runtime.database.write(
            self._app_id, lambda tx: store.set_total(tx, import_id, total=total, dropped=text)
        )

    async def apply(
        self, import_id: str, rows: Sequence[StagedRow], conflicts: Conflicts, paths: Paths
    ) -> Counts:
        return await apply_rows(self._runtime, self._app_id, import_id, rows, conflicts, paths)

    async def find(self, kind: str, lines: Sequence[Line]) -> Mapping[str, Line]:
        find = FIND[kind]
        return await self._runtime.database.read(
            self._app_id, lambda snapshot: find(snapshot, lines)
        )

    async def find_other(self, kind: str, rows: Sequence[StagedRow]) -> Mapping[int, Line | None]:
        return await self._runtime.database.read(
            self._app_id, lambda snapshot: find_other(snapshot, kind, rows)
        )

    async def tell(self, keys: Sequence[ConversationKey]) -> None:
        now = self._runtime.clock.now()
        await self._runtime.database.write(self._app_id, lambda tx: tell_changed(tx, keys, now))

    async def end(self, import_id: str, state: str, report: str | None) -> None:
        now = self._runtime.clock.now()
        await self._runtime.database.write(
            self._app_id,
            lambda tx: store.end_run(tx, import_id, state=state, now=now, report=report),
        )

    async def list_refusals(self, import_id: str, after: int) -> Sequence[RefusedRow]:
        return await self._runtime.database.read(
            self._app_id,
            lambda snapshot: store.list_refusals(snapshot, import_id, after=after, limit=self.step),
        )

    async def list_runs(self) -> Sequence[ImportRun]:
        await find_app(self._runtime, self._app_id)
        return await self._runtime.database.read(
            self._app_id, lambda snapshot: store.list_runs(snapshot, limit=LATEST)
        )

    async def find_run(self, import_id: str) -> ImportRun:
        run = await self._runtime.database.read(
            self._app_id, lambda snapshot: store.find_run(snapshot, import_id)
        )
        if run is None:
            raise ImportNotFound(import_id)
        return run


class SharedStore(OwnStore):
    """The store of an app into which nodes write, too: each transaction takes a moment of them."""

    def __init__(self, runtime: Runtime, app_id: str, pace: SharedPace) -> None:
        super().__init__(runtime, app_id, step=pace.rows)
        self._pace = pace

    async def apply(
        self, import_id: str, rows: Sequence[StagedRow], conflicts: Conflicts, paths: Paths
    ) -> Counts:
        counts = await apply_rows(
            self._runtime, self._app_id, import_id, rows, conflicts, paths, self._pace
        )
        self.step = self._pace.rows
        return counts
