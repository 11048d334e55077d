"""Decide on the people of an event: who is to get a push, on which device, or be written to."""

from collections.abc import Iterator, Sequence

from hubbub.domain.notifications.happening import Happening
from hubbub.domain.notifications.logs import PUSH, refused
from hubbub.domain.notifications.planning.bundling import Bundles
from hubbub.domain.notifications.planning.channels import Channels
from hubbub.domain.notifications.planning.decide import Addressee, decide
from hubbub.domain.notifications.planning.local_time import Instant
from hubbub.domain.notifications.planning.people import People, PeoplePage
from hubbub.records.devices.model import ALERT, PushDevice
from hubbub.records.notifications.logs import NotificationEntry
from hubbub.records.notifications.model import Reason
from hubbub.records.notifications.sending.model import CUSTOM_PUSH, PendingDigest, Subject


class Planner:
    """Plans for the people of a batch of events."""

    def __init__(self, channels: Channels, people: People, bundles: Bundles, now_ms: int) -> None:
        self.bundles = bundles
        self.entries: list[NotificationEntry] = []
        """Of people who are not told, with the reasons."""
        self.unread: list[PendingDigest] = []
        self._channels = channels
        self._people = people
        self._instant = Instant(now_ms / 1000)
        self._now_ms = now_ms

    def plan(self, page: PeoplePage) -> None:
        """Plan for some people of an event."""
        happening, people = page.happening, self._people
        if people.is_erased(happening.actor, happening.entry.number):
            return
        addressees = [
            people.addressee(happening, uid)
            for uid in page.uids
            if people.barred(happening, uid) in (None, Reason.MESSAGE_DELETED)
        ]
        if page.served.by_push:
            self._plan_pushes(happening, addressees, is_logged=not page.served.to_choosers)
        for channel in page.served.digest_channels:
            due_at = self._now_ms + 1000 * self._channels.limits_of(channel).interval_seconds
            event = happening.event
            self.unread += [
                PendingDigest(
                    channel, each.uid, event.conversation, due_at, event.message - 1, event.at
                )
                for each in addressees
            ]

    def _plan_pushes(
        self, happening: Happening, addressees: Sequence[Addressee], *, is_logged: bool
    ) -> None:
        settings = self._channels.settings
        subject = happening.subject()
        for addressee in addressees:
            devices = list(self._devices(addressee.uid))
            if not devices:
                continue
            reason = decide(settings, happening, self._instant, addressee)
            if reason is None:
                self._add(happening, subject, addressee.uid, devices)
            elif is_logged:
                entry = refused(PUSH, addressee.uid, subject.about, reason, self._now_ms)
                self.entries.append(entry)

    def _devices(self, uid: str) -> Iterator[tuple[str | None, PushDevice | None]]:
        """Yield the queues of a person's devices; None for a provider that the app has not."""
        for device in self._people.devices.get(uid, ()):
            if device.kind == ALERT:
                yield self._channels.queue_of(device), device
        if self._channels.has_custom_push:
            yield CUSTOM_PUSH, None

    def _add(
        self,
        happening: Happening,
        subject: Subject,
        uid: str,
        devices: Sequence[tuple[str | None, PushDevice | None]],
    ) -> None:
        skips_read = self._channels.skips_read and happening.asked_by is None
        checks_read = skips_read and self._people.is_online(uid)
        for queue, device in devices:
            if queue is not None:
                self.bundles.add(queue, subject, uid, device, checks_read=checks_read)
            elif device is not None:
                self.entries.append(self._unserved(subject, device))

    def _unserved(self, subject: Subject, device: PushDevice) -> NotificationEntry:
        """Return the log's entry for a device whose provider the app does not have."""
        return refused(
            PUSH,
            device.uid,
            subject.about,
            Reason.INVALID_PUSH_PROVIDER_ID,
            self._now_ms,
            provider_id=device.provider_id,
            token_type=device.platform,
            push_token=device.shown_token,
        )
