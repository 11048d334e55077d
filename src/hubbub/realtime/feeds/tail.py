"""The tail of an app's log: the events that follow, strictly by number, and who waits for them.

What this node commits arrives in memory. What other nodes commit, and what was missed, is read from
the log.
"""

import asyncio

from hubbub.kernel.errors import Unavailable
from hubbub.outbox.heads import Position
from hubbub.outbox.log import LogEntry
from hubbub.realtime.feeds.source import BATCH_SIZE, FeedBatch, FeedSource
from hubbub.storage.interface import Announced


class FeedClosed(Unavailable):
    """The feed has ended; the client comes back, to another one."""

    def __init__(self) -> None:
        super().__init__("The events of the app begin anew. Connect again.")


class Tail:
    """What follows a position of the log, as far as it is known to exist."""

    def __init__(self, source: FeedSource, position: Position, *, most_kept: int) -> None:
        self.position = position
        """All events up to it have been told."""
        self._source = source
        self._most_kept = most_kept
        self._ready: list[LogEntry] = []
        """Events of this node that follow the position."""
        self._about: dict[int, object] = {}
        """What they were announced with, by number."""
        self._newest = position.number
        """The newest number that is known to exist."""
        self._awaited: tuple[int, float] | None = None
        """An event that is not told yet, and when it was heard of by the event loop's clock."""
        self._wake = asyncio.Event()
        self._reached: list[tuple[int, asyncio.Future[None]]] = []
        self._is_ended = False

    def keep(self, announced: Announced) -> None:
        """Keep the events of a commit of this node, if they are the next ones."""
        first = announced.last - len(announced.events) + 1
        if self._ready and self._ready[-1].number < self.position.number:
            self._ready.clear()
        follows = (self._ready[-1].number if self._ready else self.position.number) + 1
        is_next = announced.epoch == self.position.epoch and first == follows
        if is_next and len(self._ready) < self._most_kept:
            epoch = str(announced.epoch)
            self._ready += [
                LogEntry(number, epoch, event)
                for number, event in enumerate(announced.events, first)
            ]
            self._about |= {first + place: each for place, each in announced.about.items()}

    def notice(self, position: Position) -> None:
        """Take notice of how far the log goes."""
        if position.number > self._newest and position.epoch == self.position.epoch:
            self._newest = position.number
            self._await_newest()
            self._wake.set()

    def lag(self) -> tuple[int, float]:
        """Return how far the sessions are behind the log, in events and in seconds."""
        if self._awaited is None:
            return 0, 0.0
        seconds = asyncio.get_running_loop().time() - self._awaited[1]
        return self._newest - self.position.number, seconds

    def _await_newest(self) -> None:
        """Remember when the newest event was heard of, unless an earlier one is awaited still."""
        number = self.position.number
        if self._newest == number:
            self._awaited = None
        elif self._awaited is None or self._awaited[0] <= number:
            self._awaited = self._newest, asyncio.get_running_loop().time()

    async def reach(self, position: Position) -> None:
        """Wait until all events up to a position were told.

        Raises:
            FeedClosed: the tail ends before.
        """
        if self._is_ended:
            raise FeedClosed
        if self.position.epoch == position.epoch and self.position.number < position.number:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._reached.append((position.number, future))
            await future

    def end(self) -> None:
        """Fail those who wait for a position, and whoever asks for one from now on."""
        self._is_ended = True
        for _, future in self._reached:
            if not future.done():
                future.set_exception(FeedClosed())

    async def wait(self) -> None:
        """Wait until there is something new."""
        await self._wake.wait()
        self._wake.clear()

    def wake(self) -> None:
        """End the wait: what was new has not been told."""
        self._wake.set()

    @property
    def has_more(self) -> bool:
        """Return whether events are known to follow the position."""
        return self.position.number < self._newest

    async def next_batch(self) -> FeedBatch:
        """Return the next events: those that this node has, or the log's."""
        after, ready = self.position.number, self._ready
        if ready:
            del ready[: after + 1 - ready[0].number]
        if ready and ready[0].number == after + 1:
            entries = ready[:BATCH_SIZE]
            numbers = [each.number for each in entries]
            about = {each: self._about.pop(each) for each in numbers if each in self._about}
            return FeedBatch(entries, numbers[-1], about=about)
        ready.clear()
        self._about.clear()
        return await self._source.read(after)

    def advance(self, number: int) -> None:
        """Go on to the event with this number: all up to it have been told."""
        self.position = Position(self.position.epoch, number)
        self._newest = max(self._newest, number)
        self._await_newest()
        for each, future in self._reached:
            if each <= number and not future.done():
                future.set_result(None)
        self._reached = [each for each in self._reached if not each[1].done()]
