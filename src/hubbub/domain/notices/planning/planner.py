"""Decide on the people of an event: who gets a push on which device, who may be written to."""

from collections.abc import Iterator, Sequence

from hubbub.domain.notices.decide import Recipient, decide
from hubbub.domain.notices.entries import PUSH, logged
from hubbub.domain.notices.fields import PushFields
from hubbub.domain.notices.local_time import Instant
from hubbub.domain.notices.planning.audience import Page
from hubbub.domain.notices.planning.bundling import Bundles
from hubbub.domain.notices.planning.channels import Channels
from hubbub.domain.notices.planning.happening import Happening
from hubbub.domain.notices.planning.people import People
from hubbub.providers.interface import Device
from hubbub.records.devices.model import ALERT
from hubbub.records.devices.model import Device as Registered
from hubbub.records.notices.model import CUSTOM, CUSTOM_PUSH, Told, UnreadNotice
from hubbub.records.notifications.logs import LogEntry
from hubbub.records.notifications.reasons import Reason

EXPIRY_SECONDS = 86_400
"""After a day, a push is worth nothing."""


class Planner:
    """Plans for the people of a batch of events."""

    def __init__(self, channels: Channels, people: People, bundles: Bundles, now_ms: int) -> None:
        self.bundles = bundles
        self.entries: list[LogEntry] = []
        """Of people who are not told, with the reasons."""
        self.unread: list[UnreadNotice] = []
        self._channels = channels
        self._people = people
        self._instant = Instant(now_ms / 1000)
        self._now_ms = now_ms

    def plan(self, page: Page) -> None:
        """Plan for some people of an event."""
        happening = page.happening
        recipients = [
            recipient
            for uid in page.uids
            if (recipient := self._people.recipient(happening, uid)) is not None
        ]
        if page.served.by_push:
            self._plan_pushes(happening, recipients, is_logged=not page.served.to_choosers)
        for channel in page.served.by_letters:
            due_at = self._now_ms + 1000 * self._channels.limits_of(channel).interval_seconds
            event = happening.event
            self.unread += [
                UnreadNotice(
                    channel, each.uid, event.conversation, due_at, event.message - 1, event.at
                )
                for each in recipients
            ]

    def _plan_pushes(
        self, happening: Happening, recipients: Sequence[Recipient], *, is_logged: bool
    ) -> None:
        event = PlannedEvent(self._channels, happening, self._now_ms)
        settings, occasion = self._channels.settings, happening.occasion
        for recipient in recipients:
            devices = list(self._devices(recipient.uid))
            if not devices:
                continue
            reason = decide(settings, occasion, self._instant, recipient)
            if reason is None:
                self._add(event, recipient, devices)
            elif is_logged:
                self.entries.append(event.suppressed(recipient.uid, reason))

    def _devices(self, uid: str) -> Iterator[tuple[str | None, Registered | None]]:
        """Yield the queues of a person's devices; None for a provider that the app has not."""
        for device in self._people.devices.get(uid, ()):
            if device.kind == ALERT:
                yield self._channels.queue_of(device), device
        if self._channels.has_custom_push:
            yield CUSTOM_PUSH, None

    def _add(
        self,
        event: "PlannedEvent",
        recipient: Recipient,
        devices: Sequence[tuple[str | None, Registered | None]],
    ) -> None:
        uid = recipient.uid
        told = event.told(uid, is_private=recipient.preferences.uses_privacy_template)
        unread = self._people.unread.get(uid, 0)
        checks_read = self._channels.skips_read and uid in self._people.online
        for queue, device in devices:
            if queue is None:
                assert device is not None
                self.entries.append(event.unserved(device))
                continue
            target = (
                Device(uid, CUSTOM, "")
                if device is None
                else Device(uid, device.platform, device.token)
            )
            updated_at = device.updated_at if device is not None else 0
            self.bundles.add(
                queue, told, target, unread, updated_at=updated_at, checks_read=checks_read
            )


class PlannedEvent:
    """What is equal for the people who are told of an event."""

    def __init__(self, channels: Channels, happening: Happening, now_ms: int) -> None:
        self._about = happening.about()
        self._fields = PushFields(channels.settings, happening.occasion)
        self._sound = channels.settings.sound.chat
        self._collapse_id = happening.entry.id
        self._expires_at = happening.event.at + EXPIRY_SECONDS
        self._now_ms = now_ms
        self._told: dict[int, Told] = {}

    def told(self, uid: str, *, is_private: bool) -> Told:
        """Return what a person is told; people who are told the same share it."""
        fields = self._fields.of(uid, is_private=is_private)
        found = self._told.get(id(fields))
        if found is None:
            found = self._told[id(fields)] = Told(
                self._about, dict(fields), self._collapse_id, self._expires_at, self._sound
            )
        return found

    def suppressed(self, uid: str, reason: Reason) -> LogEntry:
        """Return the log's entry for a person who gets no push."""
        return logged(
            self._about,
            uid,
            PUSH,
            started_at_ms=self._now_ms,
            ended_at_ms=self._now_ms,
            is_triggered=False,
            reason=reason,
        )

    def unserved(self, device: Registered) -> LogEntry:
        """Return the log's entry for a device whose provider the app does not have."""
        return logged(
            self._about,
            device.uid,
            PUSH,
            started_at_ms=self._now_ms,
            ended_at_ms=self._now_ms,
            is_triggered=False,
            reason=Reason.INVALID_PUSH_PROVIDER_ID,
            provider_id=device.provider_id,
            token_type=device.platform,
            push_token=device.shown_token,
        )
