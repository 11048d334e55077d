"""The pushes of a bundle: the verdict on each, made when they are sent, and what they say."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Any

import msgspec

from hubbub.domain.notifications.happening import Happening, entry_of, find_happenings
from hubbub.domain.notifications.logs import PUSH, logged, people_of, refused
from hubbub.domain.notifications.planning.bundling import registration_of
from hubbub.domain.notifications.planning.decide import decide
from hubbub.domain.notifications.planning.local_time import Instant
from hubbub.domain.notifications.planning.people import People, read_recipients
from hubbub.domain.notifications.rendering.context import Show, open_show
from hubbub.domain.notifications.rendering.fields import PushFields
from hubbub.providers.interface import Push, PushProvider, Result, SendOutcome
from hubbub.records.notifications.app_settings import NotificationSettings
from hubbub.records.notifications.logs import NotificationEntry, shown_token
from hubbub.records.notifications.model import Reason
from hubbub.records.notifications.preference_store import find_settings
from hubbub.records.notifications.sending.model import About, PushContent, Recipient, Subject
from hubbub.records.notifications.sending.people import list_readers
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

LONGEST_REASON = 300
Registration = tuple[str, str, str]
"""A user, their push token, and the log-in that has registered it."""
EXPIRY_SECONDS = 86_400
"""After a day, a push is worth nothing."""


@dataclass(frozen=True, slots=True)
class PushGateway:
    """A push provider of an app, by the names that the log has for it."""

    provider: PushProvider | None
    """None if the app does not have it any more, or its credentials are not complete."""
    kind: str
    """`fcm`, `apns`, `webpush` or `custom`."""
    id: str | None


class PushPart(msgspec.Struct, frozen=True):
    """A push to one device."""

    about: About
    recipient: Recipient
    gateway: PushGateway
    push: Push

    @property
    def uid(self) -> str:
        """Return whom it is for."""
        return self.recipient.uid

    @property
    def log_id(self) -> str:
        """Return the id of the log's entry that says that it waits; empty if there is none."""
        return self.recipient.log_id

    def waiting(self, log_id: str) -> "PushPart":
        """Return the push with the id of the log's entry that says that it waits."""
        recipient = msgspec.structs.replace(self.recipient, log_id=log_id)
        return msgspec.structs.replace(self, recipient=recipient)

    def entry(self, result: Result, began_ms: int, now_ms: int) -> NotificationEntry:
        """Return the log's entry of an answer."""
        return logged(
            self.about,
            self.recipient.uid,
            PUSH,
            started_at_ms=began_ms,
            ended_at_ms=now_ms,
            is_triggered=True,
            is_success=result.outcome is SendOutcome.SENT,
            error=result.reason[:LONGEST_REASON] or None,
            payload=result.payload,
            **_device(self.gateway, self.recipient),
        )


@dataclass(slots=True)
class Scene:
    """What is true when a bundle is sent."""

    settings: NotificationSettings
    happenings: Sequence[Happening | None]
    """Those of the subjects, in their order; None for what is gone."""
    people: People
    now_ms: int
    show: Show
    readers: Set[tuple[int, str]] = frozenset()
    """Who has read what they would be told of: the place of the subject, and the uid."""
    find_ahead: Callable[[int], int] = lambda _: 0
    """Returns by how much the clock was set ahead since a time, in milliseconds."""
    _instant: Instant = field(init=False)
    _registered: Set[Registration] = field(init=False)
    """The present registrations; the custom provider has everybody."""

    def __post_init__(self) -> None:
        self._instant = Instant(self.now_ms / 1000)
        self._registered = {(uid, "", "") for uid in self.people.standing} | {
            (uid, device.token, registration_of(device))
            for uid, devices in self.people.devices.items()
            for device in devices
        }

    def find_refusal(
        self, happening: Happening | None, recipient: Recipient, expires_at: int
    ) -> Reason | None:
        """Return why a device gets nothing; None if it gets the push."""
        uid = recipient.uid
        if 1000 * expires_at <= self.now_ms:
            return Reason.TIMED_OUT
        if happening is None:
            return Reason.MESSAGE_DELETED
        reason = self.people.barred(happening, uid)
        if reason is not None:
            return reason
        if (uid, recipient.token, recipient.registration) not in self._registered:
            return Reason.LOGGED_OUT
        if (recipient.subject, uid) in self.readers:
            return Reason.ALREADY_READ
        addressee = self.people.addressee(happening, uid)
        return decide(self.settings, happening, self._instant, addressee)


@dataclass(slots=True)
class PushBundle:
    """The pushes of a bundle that are to be sent, and entries about the others."""

    content: PushContent
    gateway: PushGateway
    parts: list[PushPart] = field(default_factory=list)
    dropped: list[NotificationEntry] = field(default_factory=list)

    @property
    def log_ids(self) -> set[str]:
        """Return the ids of the log's entries that say that some of it waits."""
        return {each.log_id for each in self.content.recipients if each.log_id}

    def narrow(self, parts: Sequence[PushPart]) -> PushContent:
        """Return what is stored of some pushes."""
        recipients = [part.recipient for part in parts]
        return msgspec.structs.replace(self.content, recipients=recipients)

    async def send(self) -> Sequence[Result]:
        """Have the gateway send the pushes, and return its answers in the same order."""
        provider = self.gateway.provider
        return await provider.send([part.push for part in self.parts]) if provider else []


async def read_scene(runtime: Runtime, app_id: str, content: PushContent) -> Scene:
    """Read what decides on the pushes of a bundle, and what they say, as things are now."""
    entries = [entry_of(each) for each in content.subjects]
    uids = sorted({each.uid for each in content.recipients})
    named = set().union(*(people_of(each.about) for each in content.subjects))

    async def within(snapshot: Snapshot) -> Scene:
        happenings = await find_happenings(snapshot, entries)
        settings = await find_settings(snapshot)
        present = [each for each in happenings if each is not None]
        return Scene(
            settings,
            happenings,
            await read_recipients(snapshot, settings, present, uids, named),
            runtime.clock.milliseconds(),
            open_show(runtime, app_id),
            await _list_readers(snapshot, content),
            runtime.steps.find_ahead,
        )

    return await runtime.database.read(app_id, within)


def decide_pushes(content: PushContent, gateway: PushGateway, scene: Scene) -> PushBundle:
    """Decide on each push of a bundle; what is sent says what is true now."""
    bundle = PushBundle(content, gateway)
    for place, recipients in groupby(content.recipients, attrgetter("subject")):
        subject, happening = content.subjects[place], scene.happenings[place]
        names = people_of(subject.about)
        if not any(scene.people.is_erased(uid, subject.number) for uid in names):
            _decide_subject(bundle, scene, subject, happening, recipients)
    return bundle


def _decide_subject(
    bundle: PushBundle,
    scene: Scene,
    subject: Subject,
    happening: Happening | None,
    recipients: Iterable[Recipient],
) -> None:
    """Decide on the pushes of a bundle that are about one event."""
    people, gateway, entry = scene.people, bundle.gateway, entry_of(subject)
    at: int = entry.event.at
    expires_at = at + EXPIRY_SECONDS + scene.find_ahead(1000 * at) // 1000
    fields = PushFields(scene.settings, happening, scene.show) if happening else None
    for recipient in recipients:
        uid = recipient.uid
        if people.is_erased(uid, subject.number):
            continue
        reason = scene.find_refusal(happening, recipient, expires_at)
        if gateway.provider is None:
            reason = Reason.INVALID_PUSH_PROVIDER_ID
        if reason is not None:
            device = _device(gateway, recipient)
            dropped = refused(PUSH, uid, subject.about, reason, scene.now_ms, **device)
            bundle.dropped.append(dropped)
            continue
        assert fields is not None  # what is gone is refused
        is_private = people.preferences[uid].uses_privacy_template
        push = Push(
            uid,
            recipient.platform,
            recipient.token,
            fields.of(uid, is_private=is_private),
            people.unread.get(uid, 0),
            entry.id,
            expires_at,
            sound=scene.settings.sound.chat,
        )
        bundle.parts.append(PushPart(subject.about, recipient, gateway, push))


def _device(gateway: PushGateway, recipient: Recipient) -> Mapping[str, Any]:
    return {
        "provider": gateway.kind,
        "provider_id": gateway.id,
        "token_type": recipient.platform or None,
        "push_token": shown_token(recipient.platform, recipient.token) or None,
    }


async def _list_readers(snapshot: Snapshot, content: PushContent) -> set[tuple[int, str]]:
    """Return who has read what they would be told of, if it is not sent to them then."""
    if not content.checks_read:
        return set()
    uids: dict[int, set[str]] = {}
    for recipient in content.recipients:
        uids.setdefault(recipient.subject, set()).add(recipient.uid)
    found: set[tuple[int, str]] = set()
    for place, some in uids.items():
        about = content.subjects[place].about
        read = await list_readers(snapshot, about.conversation, about.message_id, some)
        found |= {(place, uid) for uid in read}
    return found
