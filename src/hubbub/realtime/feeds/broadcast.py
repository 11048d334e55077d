"""Tell the events of a batch to the listeners of a feed."""

from collections.abc import Collection, Sequence

from hubbub.http.server.websocket import SERVICE_RESTART
from hubbub.kernel.measures import SocketMeasures
from hubbub.realtime.feeds.hints import Hints
from hubbub.realtime.feeds.kinds import RULING, Shown
from hubbub.realtime.feeds.listeners import Listener, Listeners
from hubbub.realtime.feeds.recent import Recent, Told
from hubbub.realtime.feeds.render import NO_FRAMES, Frames, Renderer
from hubbub.realtime.feeds.source import FeedBatch, FeedSource
from hubbub.realtime.feeds.told import ENDING, TOLD_ONLY, ends_session
from hubbub.realtime.feeds.visibility import find_entry
from hubbub.realtime.protocol.close_codes import TOKEN_REFUSED
from hubbub.records.messages.model import Message


class Broadcast:
    """Tells events in order; each changes who is told what before the next one is told."""

    def __init__(
        self,
        source: FeedSource,
        renderer: Renderer,
        recent: Recent,
        listeners: Listeners,
        hints: Hints,
        measures: SocketMeasures,
    ) -> None:
        self._source = source
        self._renderer = renderer
        self._recent = recent
        self._listeners = listeners
        self._hints = hints
        self._measures = measures

    async def tell(self, batch: FeedBatch) -> None:
        """Tell the events of a batch. Listeners that enter meanwhile are told, too."""
        told = await self._source.place(batch.entries)
        frames = self._render_known(told, batch)
        shown: Shown | None = None
        is_ruling = any(isinstance(each.entry.event, RULING) for each in told)
        # Others enter while this waits for the database: look again until everything is here.
        while True:
            if wanted := self._list_wanted(told, frames):
                frames |= await self._renderer.render(wanted)
            elif shown is None and (self._listeners.ruled or is_ruling):
                told, shown = await self._renderer.show(told)
            else:
                break
        outgoing = Outgoing()
        for each in told:
            number = each.entry.number
            message = shown.get(number) if shown else None
            self._tell_one(each, frames.get(number, NO_FRAMES), outgoing, message)
        outgoing.send()
        self._measures.told += outgoing.told
        self._make_up_for(batch, told)

    def _render_known(self, told: Sequence[Told], batch: FeedBatch) -> dict[int, Frames]:
        """Return the frames of events for which nothing must be read."""
        found: dict[int, Frames] = {}
        for each in told if batch.about else ():
            about = batch.about.get(each.entry.number)
            if about is not None and self._listeners.has_any(each.keys):
                frames = self._renderer.render_about(each.entry, about)
                if frames is not None:
                    found[each.entry.number] = frames
        return found

    def _list_wanted(self, told: Sequence[Told], frames: dict[int, Frames]) -> list[Told]:
        """Return the events that listeners are told and that are not rendered yet."""
        if len(frames) == len(told):
            return []
        entries = [find_entry(each.entry.event) for each in told]
        entering = {
            entry.conversation
            for entry in entries
            if entry is not None and self._listeners.has_any(entry.uids)
        }
        return [
            each
            for each in told
            if each.entry.number not in frames
            and (self._listeners.has_any(each.keys) or not entering.isdisjoint(each.keys))
        ]

    def _tell_one(
        self, told: Told, frames: Frames, outgoing: "Outgoing", message: Message | None
    ) -> None:
        """Tell an event. `message` is what it shows, if a listener may not see all messages."""
        listeners, event = self._listeners, told.entry.event
        listeners.open(event)
        if frames.uid:
            for key in told.keys:
                outgoing.add(listeners.of((key,)), frames.of(key))
        else:
            meant = listeners.list_shown(listeners.of(told.keys), event)
            outgoing.add(listeners.list_allowed(meant, message), frames.usual)
        listeners.close(event)
        self._hints.follow(event)
        if isinstance(event, ENDING):
            outgoing.send()
            self._end_refused(told)
        if told.keys or isinstance(event, RULING):
            self._recent.add(told)

    def _end_refused(self, told: Told) -> None:
        """End the sessions whose token or user is refused from now on."""
        for listener in list(self._listeners.of(told.keys)):
            if ends_session(told.entry.event, listener.uid, listener.token):
                listener.socket.close(TOKEN_REFUSED, "The auth token is no longer valid.")

    def _make_up_for(self, batch: FeedBatch, told: Sequence[Told]) -> None:
        """End all sessions if an event was left out that may say who is told what.

        They come back at once, with what is true by then, and without a gap.
        """
        lost = list(batch.lost)
        if len(told) < len(batch.entries):
            numbers = {each.entry.number for each in told}
            lost += [type(each.event) for each in batch.entries if each.number not in numbers]
        if any(not issubclass(kind, TOLD_ONLY) for kind in lost):
            self._listeners.end(SERVICE_RESTART, "An event can't be read. Connect again.")


class Outgoing:
    """The frames of a batch of events, collected so that those of a listener are one write.

    A write of one frame takes 4 to 9 µs, nearly all of it in the kernel; one of ten little more.
    """

    def __init__(self) -> None:
        self._frames: dict[Listener, list[bytes]] = {}
        self.told = 0
        """The events, counted for each listener."""

    def add(self, listeners: Collection[Listener], frame: bytes | None) -> None:
        """Add a frame for listeners; None is no frame."""
        if frame is None:
            return
        self.told += len(listeners)
        frames = self._frames
        for listener in listeners:
            if listener in frames:
                frames[listener].append(frame)
            else:
                frames[listener] = [frame]

    def send(self) -> None:
        """Send the frames so far. Listeners with the same frames share the bytes of the write."""
        joined: dict[tuple[bytes, ...], bytes] = {}
        for listener, frames in self._frames.items():
            if len(frames) == 1:
                listener.tell(frames[0])
                continue
            key = tuple(frames)
            if key not in joined:
                joined[key] = b"".join(frames)
            listener.tell_all(frames, joined[key])
        self._frames = {}
