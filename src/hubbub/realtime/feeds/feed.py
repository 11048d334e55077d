"""The feed of an app: its log, read once by this node, and told to its sessions in order.

What this node commits arrives in memory. What other nodes commit, and what was missed, is read from
the log. Events are told strictly by number.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import structlog

from hubbub.domain.log.consumers import SOCKETS
from hubbub.http.server.websocket import SERVICE_RESTART
from hubbub.kernel.errors import Unavailable
from hubbub.kernel.gathered import Gathered
from hubbub.outbox.heads import Position
from hubbub.outbox.log import LogEntry, read_readable
from hubbub.outbox.old import find_start
from hubbub.outbox.reader import Reader
from hubbub.outbox.registry import KINDS
from hubbub.realtime.feeds.audience import ENDING, TOLD_ONLY, ends_session, keys_of
from hubbub.realtime.feeds.crowd import Crowd, Outgoing, list_entering
from hubbub.realtime.feeds.hints import Hints
from hubbub.realtime.feeds.kinds import RULING, Shown, find_shown
from hubbub.realtime.feeds.places import PlaceFinder
from hubbub.realtime.feeds.recent import Recent, Told, filled
from hubbub.realtime.feeds.render import Frames, frames_about, render_frames
from hubbub.realtime.feeds.standing import Arrival, Standing
from hubbub.realtime.protocol.dialogue import TOKEN_REFUSED
from hubbub.records.friends.events import FriendsAdded, FriendsRemoved
from hubbub.records.messages.model import Message
from hubbub.runtime import Runtime
from hubbub.storage.interface import Announced, Event

log = structlog.get_logger()

BATCH_SIZE = 200
RETRY_SECONDS = 0.5
"""The pause after the database was away."""
UNSEEN_SECONDS = 0.02
"""The pause if the database does not show yet what another node has told of."""
NO_FRAMES = Frames(None)
FRIENDS = (FriendsAdded, FriendsRemoved)
INTERNAL_ERROR = 1011


class FeedClosed(Unavailable):
    """The feed has ended; the client comes back, to another one."""

    def __init__(self) -> None:
        super().__init__("The events of the app begin anew. Connect again.")


@dataclass(slots=True)
class _Batch:
    """Consecutive events, up to a number; those of unknown kinds are left out."""

    entries: Sequence[LogEntry]
    upto: int
    lost: Sequence[type[Event]] = ()
    """The kinds of those that can't be read."""


class Feed:
    """The events of an app, in order, and its sessions on this node."""

    def __init__(
        self,
        runtime: Runtime,
        app_id: str,
        position: Position,
        *,
        most_kept: int,
        standings: Gathered[Arrival, Standing | None],
    ) -> None:
        self.app_id = app_id
        self.position = position
        """All events up to it have been told."""
        self.crowd = Crowd()
        self.recent = Recent(position.number, most=most_kept)
        self.hints = Hints(runtime, app_id, self.crowd)
        self.places = PlaceFinder(runtime, app_id)
        self.standings = standings
        """What the users of sessions are told that join."""
        self._runtime = runtime
        self._reader = Reader(SOCKETS, runtime.database, runtime.consumers[SOCKETS])
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
        self._loading = asyncio.Lock()
        self.is_closed = False
        self.used_at = 0.0
        """When there was a session the last time, by the gateway's clock."""
        self.task = asyncio.create_task(self._run())

    def note(self, announced: Announced) -> None:
        """Take the events of a commit of this node."""
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
        self.notice(Position(announced.epoch, announced.last))

    def notice(self, position: Position) -> None:
        """Take notice of how far the log goes."""
        if position.epoch > self.position.epoch:
            self.close()  # the store was replaced: events have other numbers
        elif position.number > self._newest and position.epoch == self.position.epoch:
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
            FeedClosed: it ends before.
        """
        self.notice(position)
        if self.is_closed:
            raise FeedClosed
        if self.position.epoch == position.epoch and self.position.number < position.number:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._reached.append((position.number, future))
            await future

    async def remember(self, since: Position) -> bool:
        """Have the events after a position in memory, if they are not too many; return whether."""
        async with self._loading:  # many clients come back at once: one of them loads
            is_here = since.number >= self.recent.after
            if not is_here and self.position.number - since.number <= self._most_kept:
                await self._load_older()
        return since.number >= self.recent.after

    async def _load_older(self) -> None:
        """Read the log as far back as resumes may go."""
        at = oldest = max(0, self.position.number - self._most_kept)
        older: list[Told] = []
        while at < self.recent.after:
            batch = await self.read(at)
            if batch.upto == at:
                return
            older += await self.place(batch.entries)
            at = batch.upto
        start = max(oldest, await self._runtime.database.read(self.app_id, find_start))
        recent = self.recent
        if at >= recent.after > start:
            older = [each for each in older if start < each.entry.number <= recent.after]
            newer = recent.list_after(recent.after)
            self.recent = filled(start, [*older, *newer], most=self._most_kept)

    def close(self) -> None:
        """Stop telling. Its sessions end, and their clients resume on another feed."""
        self._end(SERVICE_RESTART, "The server restarts.")
        self.task.cancel()

    def _end(self, code: int, reason: str) -> None:
        self.is_closed = True
        for session in list(self.crowd.sessions):
            session.socket.close(code, reason)
        for _, future in self._reached:
            if not future.done():
                future.set_exception(FeedClosed())

    async def _run(self) -> None:
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                await self._catch_up()
        except Exception as defect:
            log.error("feed_defect", app=self.app_id, at=str(self.position), exc_info=defect)
            self._end(INTERNAL_ERROR, "The server failed; its log has the reason.")

    async def _catch_up(self) -> None:
        """Tell what is known to exist."""
        try:
            while self.position.number < self._newest:
                batch = await self._next_batch()
                has_more = batch.upto > self.position.number
                await self._tell(batch)
                await asyncio.sleep(0 if has_more else UNSEEN_SECONDS)
        except Unavailable:
            await asyncio.sleep(RETRY_SECONDS)
            self._wake.set()

    async def _next_batch(self) -> _Batch:
        """Return the next events: those that this node has, or the log's."""
        after, ready = self.position.number, self._ready
        if ready:
            del ready[: after + 1 - ready[0].number]
        if ready and ready[0].number == after + 1:
            entries = ready[:BATCH_SIZE]
            return _Batch(entries, entries[-1].number)
        ready.clear()
        self._about.clear()
        return await self.read(after)

    async def read(self, after: int) -> _Batch:
        """Return events of the log after a number, without those that can't be read."""
        kinds = [kind.struct for kind in KINDS.values()]
        batch = await self._runtime.database.read(
            self.app_id,
            lambda snapshot: read_readable(snapshot, after, kinds, limit=BATCH_SIZE),
            is_short=True,
        )
        await self._reader.leave_out(self.app_id, batch.poison)
        lost = [KINDS[each.name].struct for each in batch.poison]
        return _Batch(batch.entries, batch.upto, lost)

    async def place(self, entries: Sequence[LogEntry]) -> list[Told]:
        """Return events with the keys under which they are told; some may be left out."""
        placed = await self._reader.isolate(self.app_id, entries, self._place)
        return list(placed.values())

    async def _place(self, entries: Sequence[LogEntry]) -> dict[int, Told]:
        places = await self.places.find(each.event for each in entries)
        return {each.number: Told(each, keys_of(each.event, places)) for each in entries}

    async def render(self, told: Iterable[Told]) -> dict[int, Frames]:
        """Return the frames of events by number; one that can't be rendered has none."""
        entries = [each.entry for each in told]
        frames = dict.fromkeys((each.number for each in entries), NO_FRAMES)
        render = partial(render_frames, self._runtime, self.app_id, self.position.epoch)
        return frames | await self._reader.isolate(self.app_id, entries, render)

    async def show(self, told: Sequence[Told]) -> tuple[list[Told], Shown]:
        """Return the events that can be told, and the messages that they show."""
        by_number = {each.entry.number: each for each in told}

        async def show(entries: Sequence[LogEntry]) -> dict[int, Message | None]:
            wanted = [by_number[each.number] for each in entries]
            found = await find_shown(self._runtime, self.app_id, wanted)
            return {each.number: found.get(each.number) for each in entries}

        shown = await self._reader.isolate(self.app_id, [each.entry for each in told], show)
        messages = {number: message for number, message in shown.items() if message is not None}
        return [each for each in told if each.entry.number in shown], messages

    async def _tell(self, batch: _Batch) -> None:
        """Tell the events of a batch. Sessions that enter meanwhile are told, too."""
        told = await self.place(batch.entries)
        frames = self._render_known(told)
        shown: Shown | None = None
        is_ruling = any(isinstance(each.entry.event, RULING) for each in told)
        while True:
            if wanted := self._list_wanted(told, frames):
                frames |= await self.render(wanted)
            elif shown is None and (self.crowd.ruled or is_ruling):
                told, shown = await self.show(told)
            else:
                break
        outgoing = Outgoing()
        for each in told:
            number = each.entry.number
            message = shown.get(number) if shown else None
            self._tell_one(each, frames.get(number, NO_FRAMES), outgoing, message)
        outgoing.send()
        self._runtime.sockets.told += outgoing.told
        self._advance(batch.upto)
        self._make_up_for(batch, told)

    def _make_up_for(self, batch: _Batch, told: Sequence[Told]) -> None:
        """End all sessions if an event was left out that may say who is told what.

        They come back at once, with what is true by then, and without a gap.
        """
        lost = list(batch.lost)
        if len(told) < len(batch.entries):
            numbers = {each.entry.number for each in told}
            lost += [type(each.event) for each in batch.entries if each.number not in numbers]
        if all(issubclass(kind, TOLD_ONLY) for kind in lost):
            return
        for session in list(self.crowd.sessions):
            session.socket.close(SERVICE_RESTART, "An event can't be read. Connect again.")

    def _render_known(self, told: Sequence[Told]) -> dict[int, Frames]:
        """Return the frames of events for which nothing must be read."""
        found: dict[int, Frames] = {}
        for each in told:
            about = self._about.pop(each.entry.number, None)
            if about is not None and self.crowd.has_any(each.keys):
                frames = self._render_about(each.entry, about)
                if frames is not None:
                    found[each.entry.number] = frames
        return found

    def _render_about(self, entry: LogEntry, about: object) -> Frames | None:
        """Return the frame of an event from what it was announced with; None if that fails."""
        try:
            return frames_about(self.app_id, self.position.epoch, entry, about)
        except Exception as defect:
            log.error("event_defect", app=self.app_id, number=entry.number, exc_info=defect)
            return None

    def _list_wanted(self, told: Sequence[Told], frames: dict[int, Frames]) -> list[Told]:
        """Return the events that sessions are told and that are not rendered yet."""
        if len(frames) == len(told):
            return []
        entering = {
            conversation
            for each in told
            for conversation, uid in list_entering(each.entry.event)
            if self.crowd.of_user(uid)
        }
        return [
            each
            for each in told
            if each.entry.number not in frames
            and (self.crowd.has_any(each.keys) or not entering.isdisjoint(each.keys))
        ]

    def _tell_one(
        self, told: Told, frames: Frames, outgoing: Outgoing, message: Message | None
    ) -> None:
        """Tell an event. `message` is what it shows, if a session may not see all messages."""
        crowd, event = self.crowd, told.entry.event
        crowd.admit(event)
        if isinstance(event, RULING):
            crowd.rule(event)
        if frames.uid:
            for key in told.keys:
                outgoing.add(crowd.of((key,)), frames.of(key))
        else:
            sessions = crowd.list_shown(crowd.of(told.keys), event)
            outgoing.add(crowd.list_allowed(sessions, message), frames.usual)
        crowd.dismiss(event)
        self.hints.follow(event)
        for session in crowd.watching if isinstance(event, FRIENDS) else ():
            session.watched.apply(session.uid, event)
        if isinstance(event, ENDING):
            outgoing.send()
            self._end_refused(told)
        if told.keys or isinstance(event, RULING):
            self.recent.add(told)

    def _end_refused(self, told: Told) -> None:
        """End the sessions whose token or user is refused from now on."""
        for session in list(self.crowd.of(told.keys)):
            if ends_session(told.entry.event, session.uid, session.token):
                session.socket.close(TOKEN_REFUSED, "The auth token is no longer valid.")

    def _advance(self, upto: int) -> None:
        self.position = Position(self.position.epoch, upto)
        self._newest = max(self._newest, upto)
        self._await_newest()
        self.recent.trim(upto)
        for number, future in self._reached:
            if number <= upto and not future.done():
                future.set_result(None)
        self._reached = [each for each in self._reached if not each[1].done()]
