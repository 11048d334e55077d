"""What sessions are told besides the events of the log: it is stored nowhere."""

from dataclasses import dataclass
from functools import partial

from hubbub.domain.receipts.tell import are_receipts_told
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox.audience import Key, Keys, pair_keys
from hubbub.outbox.log import LogEntry
from hubbub.outbox.registry import decode
from hubbub.realtime.feeds.listeners import Listeners
from hubbub.realtime.feeds.signals import Visible, advanced_frame, appended_frame, signal_frame
from hubbub.realtime.protocol.frames import ephemeral_frame
from hubbub.records.conversations.model import GROUP
from hubbub.records.growing.signals import MessageAppended
from hubbub.records.presence.signals import UserPresenceChanged
from hubbub.records.receipts.events import MessageReadReceipt, ReceiptEvent
from hubbub.records.receipts.signals import GroupMarked
from hubbub.records.users.events import UserDeleted, UsersDeactivated
from hubbub.records.users.model import OFFLINE
from hubbub.records.users.store import find_users
from hubbub.rest.payloads.render import render_events
from hubbub.runtime import Runtime
from hubbub.storage.interface import Event

MOST_EARLY = 1_000
"""The appends that wait for the event of their message; of others clients read the text again."""


@dataclass(slots=True)
class ReceiptProgress:
    """The last messages of a group that all members have; 0 for no news."""

    guid: str
    delivered: int = 0
    read: int = 0


class Advances:
    """What is to be told of groups with the next look."""

    def __init__(self) -> None:
        self._by_key: dict[tuple[int, str], ReceiptProgress] = {}
        """By conversation, and the uid of the only user who is told; empty for all members."""

    def add(self, receipt: ReceiptEvent) -> None:
        """Take a receipt of all members of a group."""
        # The only member of a group is told nothing: nobody else has read anything.
        key = receipt.conversation, receipt.of or ""
        progress = self._by_key.setdefault(key, ReceiptProgress(receipt.receiver))
        if isinstance(receipt, MessageReadReceipt):
            progress.read = max(progress.read, receipt.upto)
        progress.delivered = max(progress.delivered, receipt.upto)

    async def tell(self, runtime: Runtime, app_id: str, listeners: Listeners) -> None:
        """Tell what was gathered to the sessions that it concerns.

        Raises:
            Unavailable: the database can't be reached.
        """
        gathered, self._by_key = self._by_key, {}
        told: dict[str, bool] = {}
        for (conversation, uid), progress in gathered.items():
            guid, key = progress.guid, _key_of(conversation, uid)
            if not listeners.has_any([key]):
                continue
            if guid not in told:
                told[guid] = await runtime.database.read(
                    app_id, partial(are_receipts_told, guid=guid)
                )
            if told[guid]:
                at = runtime.clock.now()
                frame = advanced_frame(guid, progress.delivered, progress.read, at)
                for listener in list(listeners.of((key,))):
                    listener.tell(frame)


def _keys_of(signal: MessageAppended) -> Keys:
    if signal.receiver_type == GROUP:
        return (signal.conversation,)
    return pair_keys(signal.sender, signal.receiver)


def _key_of(conversation: int, uid: str) -> Key:
    return uid or conversation


class Hints:
    """Tells the sessions of an app signals, and what follows from events only after a while."""

    def __init__(self, runtime: Runtime, app_id: str, listeners: Listeners) -> None:
        self._runtime = runtime
        self._app_id = app_id
        self._listeners = listeners
        self._advances = Advances()
        self._gone: set[str] = set()
        """Users whose sessions have ended with their account."""
        self._early: list[MessageAppended] = []
        """Appends to messages whose event was not told yet."""

    def tell(self, signal: Visible) -> None:
        """Tell a signal to the sessions that it concerns."""
        frame = signal_frame(signal)
        if isinstance(signal, UserPresenceChanged):
            for each in list(self._listeners.watching):
                rules = each.visibility.rules
                if each.uid != signal.uid and each.watched.includes(signal, rules):
                    each.tell(frame)
            return
        key = signal.conversation or signal.receiver
        for listener in list(self._listeners.of((key,))):
            if listener.uid != signal.sender:
                listener.tell(frame)

    def tell_append(self, signal: MessageAppended, told: int) -> None:
        """Tell what was appended to a message, once its event is told; `told` is the last one."""
        if signal.after > told:
            if len(self._early) < MOST_EARLY:
                self._early.append(signal)
            return
        listeners = self._listeners.of(_keys_of(signal))
        if not listeners:
            return
        frame = appended_frame(signal)
        shown = self._listeners.list_growing(listeners, signal)
        for listener in list(shown):
            listener.tell(frame)

    def tell_early(self, told: int) -> None:
        """Tell the appends that came before the event of their message."""
        early, self._early = self._early, []
        for signal in early:
            self.tell_append(signal, told)

    async def tell_mark(self, marked: GroupMarked) -> None:
        """Tell a user's sessions how far they are in a group, on whichever device they read.

        Raises:
            Unavailable: the database can't be reached.
        """
        if not self._listeners.has_any([marked.uid]):
            return
        [event] = decode(marked.name, bytes(marked.body).decode())
        [data] = await render_events(self._runtime, self._app_id, [LogEntry(0, "0", event)])
        if data is not None:
            frame = ephemeral_frame(marked.name, event.at, data)
            for listener in list(self._listeners.of_user(marked.uid)):
                listener.tell(frame)

    def follow(self, event: Event) -> None:
        """Take what follows from an event, to tell it with the next look."""
        match event:
            case ReceiptEvent(uid=uid) if event.receiver_type == GROUP and uid == SYSTEM_UID:
                self._advances.add(event)
            case UsersDeactivated() if self._listeners.watching:
                self._gone.update(event.uids)
            case UserDeleted() if self._listeners.watching:
                self._gone.add(event.uid)

    async def look(self) -> None:
        """Tell what is told once a second.

        Raises:
            Unavailable: the database can't be reached.
        """
        await self._advances.tell(self._runtime, self._app_id, self._listeners)
        if self._gone:
            await self._tell_gone()

    async def _tell_gone(self) -> None:
        """Tell that users are offline whose account has ended, whatever node they were on.

        Each node tells its own sessions: all nodes know of it by the log.
        """
        gone, self._gone = self._gone, set()
        users = await self._runtime.database.read(
            self._app_id, lambda snapshot: find_users(snapshot, gone)
        )
        now = self._runtime.clock.now()
        for user in users.values():
            last = user.last_active_at
            self.tell(UserPresenceChanged(user.uid, user.name, user.role, OFFLINE, last, now))
