"""The feed of an app: its log, read once by this node, and told to its sessions in order."""

import asyncio

import structlog

from hubbub.domain.log.consumers import SOCKETS
from hubbub.http.server.websocket import SERVICE_RESTART
from hubbub.kernel.errors import Unavailable
from hubbub.kernel.gathered import Gathered
from hubbub.outbox.heads import Position
from hubbub.outbox.reader import LogReader
from hubbub.realtime.feeds.admission import Admission, Arrival
from hubbub.realtime.feeds.broadcast import Broadcast
from hubbub.realtime.feeds.hints import Hints
from hubbub.realtime.feeds.listeners import Listeners
from hubbub.realtime.feeds.recent import Recent
from hubbub.realtime.feeds.render import Renderer
from hubbub.realtime.feeds.source import FeedSource
from hubbub.realtime.feeds.tail import Tail
from hubbub.realtime.protocol.close_codes import INTERNAL_ERROR
from hubbub.runtime import Runtime
from hubbub.storage.interface import Announced

log = structlog.get_logger()

RETRY_SECONDS = 0.5
"""The pause after the database was away."""
UNSEEN_SECONDS = 0.02
"""The pause if the database does not show yet what another node has told of."""


class Feed:
    """The events of an app, in order, and its sessions on this node."""

    def __init__(
        self,
        runtime: Runtime,
        app_id: str,
        position: Position,
        *,
        most_kept: int,
        admissions: Gathered[Arrival, Admission | None],
    ) -> None:
        reader = LogReader(SOCKETS, runtime.database, runtime.consumers[SOCKETS])
        self.app_id = app_id
        self.admissions = admissions
        """What is read of the users of sessions that join."""
        self._source = FeedSource(runtime, app_id, reader)
        self.tail = Tail(self._source, position, most_kept=most_kept)
        self.recent = Recent(position.number, most=most_kept)
        self.renderer = Renderer(runtime, app_id, position.epoch, reader)
        self.listeners = Listeners()
        self.hints = Hints(runtime, app_id, self.listeners)
        self._broadcast = Broadcast(
            self._source, self.renderer, self.recent, self.listeners, self.hints, runtime.sockets
        )
        self._most_kept = most_kept
        self._loading = asyncio.Lock()
        self.is_closed = False
        self.used_at = 0.0
        """When there was a session the last time, by the gateway's clock."""
        self.task = asyncio.create_task(self._run())

    @property
    def position(self) -> Position:
        """Return the position up to which all events have been told."""
        return self.tail.position

    def note(self, announced: Announced) -> None:
        """Take the events of a commit of this node."""
        self.tail.keep(announced)
        self.notice(Position(announced.epoch, announced.last))

    def notice(self, position: Position) -> None:
        """Take notice of how far the log goes."""
        if position.epoch > self.position.epoch:
            self.close()  # the store was replaced: events have other numbers
        else:
            self.tail.notice(position)

    async def reach(self, position: Position) -> None:
        """Wait until all events up to a position were told.

        Raises:
            FeedClosed: it ends before.
        """
        self.notice(position)
        await self.tail.reach(position)

    async def remember(self, since: Position) -> bool:
        """Have the events after a position in memory, if they are not too many; return whether."""
        async with self._loading:  # many clients come back at once: one of them loads
            is_here = since.number >= self.recent.after
            number = self.position.number
            if not is_here and number - since.number <= self._most_kept:
                await self._source.fill(self.recent, max(0, number - self._most_kept))
        return since.number >= self.recent.after

    def close(self) -> None:
        """Stop telling. Its sessions end, and their clients resume on another feed."""
        self._end(SERVICE_RESTART, "The server restarts.")
        self.task.cancel()

    def _end(self, code: int, reason: str) -> None:
        self.is_closed = True
        self.listeners.end(code, reason)
        self.tail.end()

    async def _run(self) -> None:
        try:
            while True:
                await self.tail.wait()
                await self._catch_up()
        except Exception as defect:
            log.error("feed_defect", app=self.app_id, at=str(self.position), exc_info=defect)
            self._end(INTERNAL_ERROR, "The server failed; its log has the reason.")

    async def _catch_up(self) -> None:
        """Tell what is known to exist."""
        try:
            while self.tail.has_more:
                batch = await self.tail.next_batch()
                is_unseen = batch.upto == self.position.number
                await self._broadcast.tell(batch)
                self.tail.advance(batch.upto)
                self.hints.tell_early(batch.upto)
                self.recent.trim(batch.upto)
                await asyncio.sleep(UNSEEN_SECONDS if is_unseen else 0)
        except Unavailable:
            await asyncio.sleep(RETRY_SECONDS)
            self.tail.wake()
