"""What a node holds of the messages that grow: appends since they were stored last, and frames."""

import asyncio
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from hubbub.records.growing.model import NoLongerHeld, SequenceGap, TextSoFar, text_too_long
from hubbub.records.messages.model import Message

Key = TypeVar("Key")

LENGTHS_KEPT = 200
"""So many of the last appends are answered again with the length that the text had."""
OVERHEAD_BYTES = 2_000
"""What a held message takes besides its text."""


@dataclass(slots=True, eq=False)
class Growth:
    """A message that this node holds; only the event loop changes it."""

    app_id: str
    message: Message
    conversation_id: str
    event: int
    """The number of its `message_sent`."""
    is_of_user: bool
    limit: int
    """The most bytes of UTF-8."""
    touch_seconds: float
    """So long an empty append may wait to be stored."""
    stored: int
    """The last append that is on disk."""
    confirmed_at: float
    """When the store last agreed that this node holds it, by the monotonic clock."""
    sequence: int = field(init=False)
    length: int = field(init=False)
    """In code points."""
    size: int = field(init=False)
    """In bytes of UTF-8."""
    text_sequence: int = field(init=False)
    """The last append that was not empty, or is on disk."""
    tell_after: int = 0
    """This append is on disk before it, and what follows, is told."""
    checked: int = -1
    """The version of the app's records up to which its sender is known to be allowed to send."""
    storing: asyncio.Task[None] | None = None
    closing: asyncio.Future[None] | None = None
    """Is set while it ends, or goes to another node: nothing is appended then."""
    untold: list[str] = field(default_factory=list)
    """What was appended since the last frame."""
    told_length: int = field(init=False)
    told_at: float = float("-inf")
    _lengths: deque[int] = field(default_factory=lambda: deque(maxlen=LENGTHS_KEPT))
    """The lengths after the last appends."""
    _shown: tuple[int, list[str], int] = field(init=False)
    """The sequence, the parts of the text, and how many: other threads read it, too."""

    def begin(self, so_far: TextSoFar) -> "Growth":
        """Go on with a text; return itself."""
        self.sequence = self.text_sequence = so_far.sequence
        self.length = self.told_length = len(so_far.text)
        self.size = len(so_far.text.encode())
        self._shown = (so_far.sequence, [so_far.text], 1)
        return self

    @property
    def id(self) -> int:
        """Return the id of the message."""
        return self.message.id

    @property
    def is_unstored(self) -> bool:
        """Return whether something was appended that is not on disk."""
        return self.stored < self.sequence

    @property
    def user(self) -> str | None:
        """Return the sender, if the rights of users apply to them."""
        return self.message.sender if self.is_of_user else None

    @property
    def has_unstored_text(self) -> bool:
        """Return whether the text is longer than what is on disk."""
        return self.stored < self.text_sequence

    def is_due(self, now: float) -> bool:
        """Return whether what is not on disk is to be stored; empty appends may wait."""
        return self.has_unstored_text or now - self.confirmed_at >= self.touch_seconds

    def read(self) -> TextSoFar:
        """Return the text so far; any thread may ask."""
        sequence, parts, count = self._shown
        if count > 1:
            return TextSoFar(sequence, "".join(parts[:count]))
        return TextSoFar(sequence, parts[0])

    def pack(self) -> TextSoFar:
        """Return the text so far, and keep it as one part."""
        so_far = self.read()
        self._shown = (so_far.sequence, [so_far.text], 1)
        return so_far

    def take(self, text: str, sequence: int) -> bool:
        """Append a text; return False if it was appended before.

        Raises:
            SequenceGap: appends before it are missing.
            BadInput: the text would be too long.
        """
        following = self.sequence + 1
        if sequence < following:
            return False
        if sequence > following:
            raise SequenceGap(sequence, following)
        size = self.size_with(text)
        if size > self.limit:
            raise text_too_long("text", size, self.limit)
        _, parts, _ = self._shown
        if text:
            parts.append(text)
            self.text_sequence = sequence
        self.sequence, self.size = sequence, size
        self.length += len(text)
        self._lengths.append(self.length)
        self._shown = (sequence, parts, len(parts))
        return True

    def size_with(self, text: str) -> int:
        """Return the bytes that the text would have with another one behind it."""
        return self.size + (len(text) if text.isascii() else len(text.encode()))

    def length_after(self, sequence: int) -> int:
        """Return the length after an append; that of now, if it was long ago."""
        back = self.sequence - sequence
        return self._lengths[-1 - back] if back < len(self._lengths) else self.length

    def take_untold(self) -> tuple[int, str]:
        """Return what was not told yet, with the code points before it."""
        text = "".join(self.untold)
        offset = self.told_length
        self.told_length += len(text)
        self.untold.clear()
        return offset, text

    def close(self) -> None:
        """Take no more appends, and tell no more, for a while."""
        self.closing = asyncio.get_running_loop().create_future()

    def reopen(self) -> None:
        """Take appends again, or wake those who wait for the end."""
        if self.closing is not None:
            self.closing.set_result(None)
            self.closing = None


class Growing:
    """The messages that a node holds, by app."""

    def __init__(self) -> None:
        self.held: dict[str, dict[int, Growth]] = {}
        self.unstored: dict[str, dict[int, Growth]] = {}
        """Those with appends that are not on disk."""
        self.sizes: Counter[str] = Counter()
        """The bytes that the messages of each app take."""
        self.sizes_of_users: Counter[tuple[str, str]] = Counter()
        """The bytes that those of each user take to whom the rights of users apply."""
        self.untold: dict[Growth, None] = {}
        """Those with appends for which the next frame is not due yet."""
        self.telling: dict[str, asyncio.Task[None]] = {}
        """What tells the frames of an app that are due."""
        self.taking: dict[tuple[str, int], asyncio.Task[Growth]] = {}
        self.released: dict[tuple[str, int], asyncio.Event] = {}
        """Set when another node has given a message away for which this one waits."""
        self.teller: asyncio.TimerHandle | None = None

    def find(self, app_id: str, message_id: int) -> Growth | None:
        """Return a message that this node holds."""
        held = self.held.get(app_id)
        return held.get(message_id) if held is not None else None

    def add(self, growth: Growth) -> None:
        """Hold a message."""
        self.held.setdefault(growth.app_id, {})[growth.id] = growth
        self._add_size(growth, growth.size + OVERHEAD_BYTES)

    def append(self, growth: Growth, text: str, sequence: int) -> bool:
        """Append a text to a message; return False if it was appended before.

        Raises:
            NoLongerHeld: it was dropped.
            SequenceGap: appends before it are missing.
            BadInput: the text would be too long.
        """
        if self.find(growth.app_id, growth.id) is not growth:
            raise NoLongerHeld
        before = growth.size
        if not growth.take(text, sequence):
            return False
        self._add_size(growth, growth.size - before)
        self.unstored.setdefault(growth.app_id, {})[growth.id] = growth
        return True

    def drop(self, growth: Growth) -> None:
        """Hold a message no more; what is not on disk of it is forgotten."""
        if self.find(growth.app_id, growth.id) is growth:
            self._add_size(growth, -growth.size - OVERHEAD_BYTES)
            _remove(self.held, growth)
        self.note_stored(growth)
        self.untold.pop(growth, None)
        growth.reopen()

    def _add_size(self, growth: Growth, size: int) -> None:
        _add(self.sizes, growth.app_id, size)
        if growth.is_of_user:
            _add(self.sizes_of_users, (growth.app_id, growth.message.sender), size)

    def note_stored(self, growth: Growth) -> None:
        """Note that nothing of a message is left to store."""
        if self.unstored.get(growth.app_id, {}).get(growth.id) is growth:
            _remove(self.unstored, growth)

    def list_held(self) -> Iterator[Growth]:
        """Yield all messages that are held."""
        for of_app in list(self.held.values()):
            yield from list(of_app.values())


def _add(sizes: Counter[Key], key: Key, size: int) -> None:
    """Add to a size; one that is 0 is forgotten."""
    sizes[key] += size
    if not sizes[key]:
        del sizes[key]


def _remove(by_app: dict[str, dict[int, Growth]], growth: Growth) -> None:
    of_app = by_app[growth.app_id]
    del of_app[growth.id]
    if not of_app:
        del by_app[growth.app_id]
