"""Put pushes into bundles: many people, and many events, in one for each provider."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from hubbub.kernel.ids import Ids
from hubbub.providers.interface import Device
from hubbub.records.notices.model import Bundle, PushContent, Recipient, Told

MOST_RECIPIENTS = 200
"""The pushes of a bundle: their answers are stored together."""
READING_SECONDS = 3.0
"""People who are connected are given so long to read a message before they are told of it."""
ID_LENGTH = 24

_encode = msgspec.json.Encoder().encode


@dataclass(slots=True)
class _Open:
    """The pushes to one provider."""

    pushes: list[Told] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)
    """The place of each push, by its identity."""
    recipients: list[Recipient] = field(default_factory=list)

    def place_of(self, told: Told) -> int:
        """Return the place of a push."""
        place = self.places.get(id(told))
        if place is None:
            place = self.places[id(told)] = len(self.pushes)
            self.pushes.append(told)
        return place


class Bundles:
    """The pushes that are planned together."""

    def __init__(self, ids: Ids, now_ms: int) -> None:
        self._ids = ids
        self._now_ms = now_ms
        self._open: dict[tuple[str, bool], _Open] = {}
        self._done: list[Bundle] = []

    def add(
        self,
        provider: str,
        told: Told,
        device: Device,
        unread: int,
        *,
        updated_at: int,
        checks_read: bool,
    ) -> None:
        """Add a push to one device; with `checks_read` it waits until the person may have read."""
        key = provider, checks_read
        open_ = self._open.get(key)
        if open_ is None:
            open_ = self._open[key] = _Open()
        place = open_.place_of(told)
        open_.recipients.append(
            Recipient(place, device.uid, device.platform, device.token, unread, updated_at)
        )
        if len(open_.recipients) == MOST_RECIPIENTS:
            self._close(key)

    def close(self) -> Sequence[Bundle]:
        """Return all bundles."""
        for key in list(self._open):
            self._close(key)
        return self._done

    def _close(self, key: tuple[str, bool]) -> None:
        provider, checks_read = key
        open_ = self._open.pop(key)
        content = PushContent(open_.pushes, open_.recipients, checks_read)
        pause = round(1000 * READING_SECONDS) if checks_read else 0
        self._done.append(
            Bundle(
                provider=provider,
                id=self._ids.hexadecimal(ID_LENGTH),
                due_at=self._now_ms + pause,
                tries=0,
                content=_encode(content).decode(),
            )
        )
