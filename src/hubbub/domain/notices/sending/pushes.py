"""The pushes of a bundle: the verdict on each, made when they are sent, and what they say."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from hubbub.domain.notices.decide import decide
from hubbub.domain.notices.entries import PUSH, logged, people_of, refused
from hubbub.domain.notices.fields import Fields, PushFields
from hubbub.domain.notices.local_time import Instant
from hubbub.domain.notices.planning.bundling import registration_of
from hubbub.domain.notices.planning.happening import Describe, Happening, entry_of
from hubbub.domain.notices.planning.people import People, read_recipients
from hubbub.providers.interface import Outcome, Push, PushProvider, Result
from hubbub.records.notices.model import About, PushContent, Recipient, Subject
from hubbub.records.notices.people import list_readers
from hubbub.records.notifications.app_settings import NotificationSettings
from hubbub.records.notifications.logs import LogEntry, shown_token
from hubbub.records.notifications.preference_store import find_settings
from hubbub.records.notifications.reasons import Reason
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


@dataclass(frozen=True, slots=True)
class PushPart:
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
        return replace(self, recipient=msgspec.structs.replace(self.recipient, log_id=log_id))

    def entry(self, result: Result, began_ms: int, now_ms: int) -> LogEntry:
        """Return the log's entry of an answer."""
        provider = self.gateway.provider
        return logged(
            self.about,
            self.recipient.uid,
            PUSH,
            started_at_ms=began_ms,
            ended_at_ms=now_ms,
            is_triggered=True,
            is_success=result.outcome is Outcome.SENT,
            error=result.reason[:LONGEST_REASON] or None,
            payload=provider.render(self.push) if provider else None,
            **_device(self.gateway, self.recipient),
        )


@dataclass(frozen=True, slots=True)
class Scene:
    """What is true when a bundle is sent."""

    settings: NotificationSettings
    happenings: Sequence[Happening | None]
    """Those of the subjects, in their order; None for what is gone."""
    people: People
    now_ms: int
    registered: frozenset[Registration]
    readers: frozenset[tuple[int, str]] = frozenset()
    """Who has read what they would be told of: the place of the subject, and the uid."""
    find_ahead: Callable[[int], int] = lambda _: 0
    """Returns by how much the clock was set ahead since a time, in milliseconds."""


@dataclass(slots=True)
class PushBundle:
    """The pushes of a bundle that are to be sent, and entries about the others."""

    content: PushContent
    gateway: PushGateway
    parts: list[PushPart] = field(default_factory=list)
    dropped: list[LogEntry] = field(default_factory=list)

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


async def read_scene(
    runtime: Runtime, describe: Describe, app_id: str, content: PushContent
) -> Scene:
    """Read what decides on the pushes of a bundle, as things are now."""
    entries = [entry_of(each) for each in content.subjects]
    happenings = await describe(runtime, app_id, entries)
    uids = sorted({each.uid for each in content.recipients})
    named = set().union(*(people_of(each.about) for each in content.subjects))

    async def within(snapshot: Snapshot) -> Scene:
        settings = await find_settings(snapshot)
        present = [each for each in happenings if each is not None]
        people = await read_recipients(snapshot, settings, present, uids, named)
        return scene_of(
            settings,
            happenings,
            people,
            runtime.clock.milliseconds(),
            readers=frozenset(await _list_readers(snapshot, content)),
            find_ahead=runtime.steps.find_ahead,
        )

    return await runtime.database.read(app_id, within)


def scene_of(
    settings: NotificationSettings,
    happenings: Sequence[Happening | None],
    people: People,
    now_ms: int,
    *,
    readers: frozenset[tuple[int, str]] = frozenset(),
    find_ahead: Callable[[int], int] = lambda _: 0,
) -> Scene:
    """Return what is true of some people and events."""
    registered = _list_registered(people)
    return Scene(settings, happenings, people, now_ms, registered, readers, find_ahead)


def decide_pushes(content: PushContent, gateway: PushGateway, scene: Scene) -> PushBundle:
    """Decide on each push of a bundle; what is sent says what is true now."""
    bundle = PushBundle(content, gateway)
    told = [
        _Told(subject, happening, scene)
        for subject, happening in zip(content.subjects, scene.happenings, strict=True)
    ]
    for recipient in content.recipients:
        about = told[recipient.subject]
        if about.names_erased(recipient.uid):
            continue
        reason = Reason.INVALID_PUSH_PROVIDER_ID if gateway.provider is None else None
        reason = reason or about.refusal(recipient)
        if reason is not None:
            device = _device(gateway, recipient)
            entry = refused(PUSH, recipient.uid, about.about, reason, scene.now_ms, **device)
            bundle.dropped.append(entry)
            continue
        bundle.parts.append(PushPart(about.about, recipient, gateway, about.push(recipient)))
    return bundle


class _Told:
    """What people are told of one subject."""

    def __init__(self, subject: Subject, happening: Happening | None, scene: Scene) -> None:
        self.about = subject.about
        self._subject = subject
        self._happening = happening
        self._scene = scene
        self._instant = Instant(scene.now_ms / 1000)
        self._entry = entry_of(subject)
        at = self._entry.event.at
        self._expires_at = at + EXPIRY_SECONDS + scene.find_ahead(1000 * at) // 1000
        self._fields = PushFields(scene.settings, happening.occasion) if happening else None
        people, number = scene.people, subject.number
        self._is_erased = any(people.is_erased(uid, number) for uid in people_of(subject.about))

    def names_erased(self, uid: str) -> bool:
        """Return whether an entry of the log would name somebody who was erased."""
        return self._is_erased or self._scene.people.is_erased(uid, self._subject.number)

    def refusal(self, recipient: Recipient) -> Reason | None:
        """Return why a device gets nothing; None if it gets the push."""
        scene, happening, uid = self._scene, self._happening, recipient.uid
        if 1000 * self._expires_at <= scene.now_ms:
            return Reason.TIMED_OUT
        if happening is None:
            return Reason.MESSAGE_DELETED
        reason = scene.people.barred(happening, uid)
        if reason is not None:
            return reason
        if (uid, recipient.token, recipient.registration) not in scene.registered:
            return Reason.LOGGED_OUT
        if (recipient.subject, uid) in scene.readers:
            return Reason.ALREADY_READ
        person = scene.people.recipient(happening, uid)
        return decide(scene.settings, happening.occasion, self._instant, person)

    def push(self, recipient: Recipient) -> Push:
        """Return what a device is sent."""
        people, uid = self._scene.people, recipient.uid
        return Push(
            uid,
            recipient.platform,
            recipient.token,
            self._render(uid, is_private=people.preferences[uid].uses_privacy_template),
            people.unread.get(uid, 0),
            self._entry.id,
            self._expires_at,
            sound=self._scene.settings.sound.chat,
        )

    def _render(self, uid: str, *, is_private: bool) -> Fields:
        assert self._fields is not None
        return self._fields.of(uid, is_private=is_private)


def _list_registered(people: People) -> frozenset[Registration]:
    """Return the present registrations of people; the custom provider has everybody."""
    registered = {
        (uid, device.token, registration_of(device))
        for uid, devices in people.devices.items()
        for device in devices
    }
    return frozenset(registered | {(uid, "", "") for uid in people.standing})


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
