"""Put pushes into bundles: many people, and many events, in one for each provider."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from hubbub.kernel.ids import Ids
from hubbub.records.devices.model import PushDevice
from hubbub.records.notifications.sending.model import (
    CUSTOM,
    Bundle,
    PushContent,
    Recipient,
    Subject,
)

MOST_RECIPIENTS = 200
"""The pushes of a bundle: their answers are stored together."""
READING_SECONDS = 3.0
"""People who are connected are given so long to read a message before they are told of it."""
ID_LENGTH = 24
REGISTRATION_LENGTH = 16
"""Of the hash of an auth token: enough to tell log-ins of one person from each other."""

_encode = msgspec.json.Encoder().encode


@dataclass(slots=True)
class _Open:
    """The pushes to one provider."""

    subjects: list[Subject] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)
    """The place of each subject, by its identity."""
    recipients: list[Recipient] = field(default_factory=list)

    def place_of(self, subject: Subject) -> int:
        """Return the place of a subject."""
        place = self.places.get(id(subject))
        if place is None:
            place = self.places[id(subject)] = len(self.subjects)
            self.subjects.append(subject)
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
        subject: Subject,
        uid: str,
        device: PushDevice | None,
        *,
        checks_read: bool,
    ) -> None:
        """Add a push to one device, or to the custom provider.

        With `checks_read` it waits until the person may have read the message.
        """
        key = provider, checks_read
        open_ = self._open.get(key)
        if open_ is None:
            open_ = self._open[key] = _Open()
        open_.recipients.append(_recipient(open_.place_of(subject), uid, device))
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
        content = PushContent(open_.subjects, open_.recipients, checks_read)
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


def registration_of(device: PushDevice) -> str:
    """Return what names the log-in that has registered a device."""
    return device.auth_hash[:REGISTRATION_LENGTH]


def _recipient(subject: int, uid: str, device: PushDevice | None) -> Recipient:
    if device is None:
        return Recipient(subject, uid, CUSTOM, "")
    return Recipient(
        subject, uid, device.platform, device.token, registration_of(device), device.updated_at
    )
