"""Stores of several sizes as the sides of a comparison: this checkout on each of them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import uvloop
from rich.console import Console

from bench.compare.rounds import Opened
from bench.crowd import FROM, UPTO
from bench.history.archive import VIEWER, Archive, Size
from bench.history.archive import Talk as Filled
from bench.history.measure import fill_store
from bench.load.client import Client
from bench.load.scene import Group, Scene, Talk
from bench.stores import Store, Stores, Variant
from hubbub.records.conversations.model import GROUP, USER


class FilledScene(Scene):
    """The people, groups and histories of a store that is full of messages."""

    def __init__(self, client: Client, archive: Archive) -> None:
        super().__init__(client, archive.app_id, archive.key)
        self._archive = archive

    @cached_property
    def senders(self) -> Sequence[str]:
        return self._archive.rooms[-1].people

    @cached_property
    def group(self) -> Group:
        room = self._archive.rooms[1]
        return Group(room.guid, room.people)

    @cached_property
    def talk(self) -> Talk:
        return _talk(self._archive.large[USER])

    @cached_property
    def room(self) -> Talk:
        room = _talk(self._archive.large[GROUP])
        self.enliven(room)
        return room

    @cached_property
    def lister(self) -> str:
        return VIEWER


def _talk(filled: Filled) -> Talk:
    path = f"groups/{filled.guid}" if filled.is_group else f"users/{filled.receiver(VIEWER)}"
    return Talk(f"/v3/{path}/messages", filled.people, (FROM + UPTO) // 2)


@dataclass(frozen=True, slots=True)
class FilledStore:
    """A store of a size on each engine; it stays, and grows by what is measured."""

    name: str
    by_engine: Mapping[str, tuple[Store, Archive]]
    may_lack: bool = False

    @contextmanager
    def open(self, stores: Stores, variant: Variant) -> Iterator[Opened]:
        """Yield nodes on the store."""
        store, archive = self.by_engine[variant.engine]
        with stores.nodes(variant, store) as nodes:
            client = Client(nodes[0].port, {"apikey": archive.key})
            yield nodes, FilledScene(client, archive)


def fill_stores(
    console: Console, stores: Stores, engines: Sequence[str], size: Size
) -> FilledStore:
    """Fill a store on each engine."""
    filled = {}
    for engine in engines:
        store = stores.create(engine)
        with stores.cores.of_both():
            filling = fill_store(console, stores.settings(store), engine, size)
            filled[engine] = (store, uvloop.run(filling))
    return FilledStore(f"{size.messages:,} messages", filled)
