"""What the parts of an export share: where they read, where they write, and what they count."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Protocol, TypeVar

from hubbub.files.store import FileNotStored, FileStore
from hubbub.moving.compare import key_of
from hubbub.moving.export.output import Output, encode
from hubbub.moving.export.selection import Selection
from hubbub.moving.export.sorting import Sorting
from hubbub.moving.lines import KINDS, FileLine, Line
from hubbub.records.attachments.model import FileOfMessage, path_of
from hubbub.storage.interface import Reading, Snapshot, Still

LineResult = TypeVar("LineResult")
Key = TypeVar("Key")
Key_contra = TypeVar("Key_contra", contravariant=True)
Item_co = TypeVar("Item_co", covariant=True)
Item = TypeVar("Item")


class ListAfter(Protocol[Key_contra, Item_co]):
    """Returns the rows that come after a key."""

    async def __call__(
        self, snapshot: Snapshot, after: Key_contra, /, *, limit: int
    ) -> Sequence[Item_co]: ...


Show = Callable[[str, int, int], None]
"""Is told the step, how much is done, and of how much; 0 stands for unknown."""
EXPORT = "export"
PAGE = 500
"""So many rows are read at a time."""
MOST_SHOWN = 1000
UID = "uid"
"""What is sorted under this kind are the users that the lines name."""


async def _list(list_after: ListAfter[Key, Item], after: Key, snapshot: Snapshot) -> Sequence[Item]:
    return await list_after(snapshot, after, limit=PAGE)


class Exporting:
    """An export under way."""

    def __init__(
        self,
        still: Still,
        app_id: str,
        files: FileStore,
        output: Output,
        sorting: Sorting,
        selection: Selection,
    ) -> None:
        self.app_id = app_id
        self.output = output
        self.sorting = sorting
        self.selection = selection
        self.dropped: Counter[str] = Counter()
        self.missing: list[str] = []
        self.missing_files = 0
        self.bytes = 0
        self._still = still
        self._files = files
        self._emitted: set[str] = set()

    async def read(self, reading: Reading[LineResult]) -> LineResult:
        """Run a reading on the snapshot of the app."""
        return await self._still.read(self.app_id, reading)

    async def pages(
        self, list_after: ListAfter[Key, Item], first: Key, position: Callable[[Item], Key]
    ) -> AsyncIterator[Sequence[Item]]:
        """Yield rows that come after a first key in their order, some at a time."""
        after = first
        while rows := await self.read(partial(_list, list_after, after)):
            yield rows
            after = position(rows[-1])

    def put(self, line: Line, key: str | None = None) -> None:
        """Write a line that comes in its place if the export is of the whole app, else sort it."""
        if self.selection.is_whole:
            self.output.write(line)
        else:
            self.sort(line, key)

    def sort(self, line: Line, key: str | None = None) -> None:
        """Keep a line until its kind is emitted; without a key it is known by its own."""
        kind = str(line.__struct_config__.tag)
        self.sorting.add(kind, key_of(line) if key is None else key, encode(line))

    def emit(self, kind: str) -> None:
        """Write the lines of a kind that were sorted."""
        if kind not in self._emitted:
            self._emitted.add(kind)
            for _, body in self.sorting.read(kind):
                self.output.write_encoded(kind, body)

    def emit_all(self) -> None:
        """Write the lines of all kinds that were sorted and not emitted yet."""
        for kind in KINDS:
            self.emit(kind)

    def name_user(self, uid: str) -> None:
        """Note that a line names a user, who is exported with a group."""
        if self.selection.group is not None:
            self.sorting.add(UID, uid)

    def add_file(self, file: FileOfMessage, path: str) -> bool:
        """Copy a file of a message, unless it was copied before; return whether there is one."""
        if self.sorting.has(FileLine.__struct_config__.tag, path):  # type: ignore[arg-type]
            return True
        try:
            with self._files.open_copy(path_of(self.app_id, file.id)) as content:
                self.bytes += self.output.add_file(path, content)
        except FileNotStored:
            self.missing_files += 1
            if len(self.missing) < MOST_SHOWN:
                self.missing.append(path)
            return False
        self.sort(FileLine(path=path), path)
        return True
