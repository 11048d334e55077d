"""Say what a person would be sent of a message, on each channel and device, and why not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from hubbub.domain.access.people import access_user
from hubbub.domain.notifications.happening import Happening, find_happenings
from hubbub.domain.notifications.logs import PUSH, people_of
from hubbub.domain.notifications.planning.bundling import Bundles
from hubbub.domain.notifications.planning.channels import Channels, read_channels
from hubbub.domain.notifications.planning.decide_digest import (
    DigestReader,
    decide_digest,
    find_reader,
)
from hubbub.domain.notifications.planning.due_digests import content_of
from hubbub.domain.notifications.planning.local_time import Instant
from hubbub.domain.notifications.planning.people import (
    People,
    PeoplePage,
    Served,
    count_people,
    read_recipients,
)
from hubbub.domain.notifications.planning.plan_people import Planner
from hubbub.domain.notifications.rendering.context import open_show
from hubbub.domain.notifications.sending.contents import decode_push
from hubbub.domain.notifications.sending.digests import render_digest
from hubbub.domain.notifications.sending.gateways import name_of, open_gateway, setup_of
from hubbub.domain.notifications.sending.pushes import PushGateway, Scene, decide_pushes
from hubbub.outbox.log import BEYOND, LogEntry
from hubbub.records.apps import store as apps_store
from hubbub.records.apps.model import App
from hubbub.records.messages.model import MessageIdNotFound
from hubbub.records.notifications.channels import list_channels
from hubbub.records.notifications.model import Reason
from hubbub.records.notifications.sending.digests import find_sent
from hubbub.records.notifications.sending.model import EMAIL, SMS, Bundle, PendingDigest
from hubbub.records.notifications.setups import EMAIL_KINDS, ChannelSetup, CustomPushSetup
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class Preview:
    """What a person would be sent on one channel, or device; or why they are not sent anything."""

    channel: str
    reason: Reason | None = None
    provider: str | None = None
    payload: Any = None


@dataclass(slots=True)
class _Found:
    """What decides on a person and a message."""

    happening: Happening
    channels: Channels
    served: Served
    people: People
    disabled: Sequence[ChannelSetup] = ()
    """The providers that are stored and switched off."""
    readers: dict[str, DigestReader] = field(default_factory=dict)
    """By channel."""


async def preview(runtime: Runtime, app_id: str, uid: str, message_id: int) -> list[Preview]:
    """Return what a person would be sent of a message now; nothing is sent or logged.

    It is empty if they are no audience: they sent it, can't see it, or have blocked who sent it.

    Raises:
        UidNotFound: the user does not exist or is deactivated.
        MessageIdNotFound: the message does not exist, or was deleted.
    """
    app = await apps_store.find_app(runtime.database, app_id)
    instant = Instant(runtime.clock.milliseconds() / 1000)

    async def within(snapshot: Snapshot) -> _Found | None:
        await access_user(snapshot, uid)
        sent = await find_sent(snapshot, message_id)
        entries = [] if sent is None else [LogEntry(BEYOND, "", sent)]
        for happening in await find_happenings(snapshot, entries):
            if happening is not None:
                return await _find(runtime, snapshot, happening, uid, instant)
        raise MessageIdNotFound(message_id)

    found = await runtime.database.read(app_id, within)
    if app is None or found is None:
        return []
    return [
        *_preview_pushes(runtime, app, found, uid),
        *_preview_digests(runtime, app, found, instant),
        *_preview_disabled(found),
    ]


async def _find(
    runtime: Runtime, snapshot: Snapshot, happening: Happening, uid: str, instant: Instant
) -> _Found | None:
    """Return what decides on a person; None if they are no audience."""
    channels = await read_channels(runtime, snapshot)
    served = channels.serving(happening, await count_people(snapshot, happening))
    is_pair = not happening.is_group
    if is_pair and uid not in (happening.message.sender, happening.message.receiver):
        return None
    named = people_of(happening.about())
    people = await read_recipients(snapshot, channels.settings, [happening], [uid], named)
    if people.barred(happening, uid) is not None:
        return None
    stored = await list_channels(snapshot, runtime.sealer)
    disabled = [each for each in stored if not each.is_enabled]
    found = _Found(happening, channels, served, people, disabled)
    for channel in served.digest_channels:
        reader = await find_reader(snapshot, channels, channel, uid, [happening], instant)
        if reader is not None:
            found.readers[channel] = reader
    return found


def _preview_pushes(runtime: Runtime, app: App, found: _Found, uid: str) -> list[Preview]:
    happening, channels = found.happening, found.channels
    if not channels.queues and not channels.has_custom_push:
        reason = Reason.INVALID_PUSH_PROVIDER_ID
        return [Preview(PUSH, reason, each.setup.kind) for each in channels.providers.push]
    if not found.served.by_push:
        return []
    now_ms = runtime.clock.milliseconds()
    planner = Planner(channels, found.people, Bundles(runtime.ids, now_ms), now_ms)
    planner.plan(PeoplePage(happening, Served(True, (), False), [uid], None))
    show = open_show(runtime, app.id)
    scene = Scene(channels.settings, [happening], found.people, now_ms, show)
    sent = [
        preview
        for bundle in planner.bundles.close()
        for preview in _preview_bundle(runtime, app, channels, bundle, scene)
    ]
    refused = [Preview(PUSH, each.reason, each.provider) for each in planner.entries]
    return [*sent, *refused] or [Preview(PUSH, Reason.NOT_FOUND)]  # they have no device


def _preview_bundle(
    runtime: Runtime, app: App, channels: Channels, bundle: Bundle, scene: Scene
) -> Iterator[Preview]:
    setup = setup_of(channels.providers, bundle.provider)
    gateway = open_gateway(runtime, app, bundle.provider, setup)
    assert isinstance(gateway, PushGateway)
    content = decode_push(bundle.content)
    decided = decide_pushes(content, gateway, scene)
    for part in decided.parts:
        payload = gateway.provider and gateway.provider.render(part.push)
        yield Preview(PUSH, None, gateway.kind, payload)
    for entry in decided.dropped:
        yield Preview(PUSH, entry.reason, gateway.kind)


def _preview_digests(
    runtime: Runtime, app: App, found: _Found, instant: Instant
) -> Iterator[Preview]:
    happening, event = found.happening, found.happening.event
    for channel, reader in found.readers.items():
        sent_today = reader.sent_today(event.conversation)
        verdict = decide_digest(found.channels, channel, reader, [happening], instant, sent_today)
        if verdict.reason is not None:
            yield Preview(channel, verdict.reason)
            continue
        setup = setup_of(found.channels.providers, channel)
        gateway = open_gateway(runtime, app, channel, setup)
        assert not isinstance(gateway, PushGateway)
        pending = PendingDigest(
            channel, reader.user.uid, event.conversation, 0, event.message - 1, event.at
        )
        content = content_of(runtime, pending, verdict)
        digest = render_digest(runtime, app.id, found.channels, content, gateway, verdict)
        for part in digest.parts:
            yield Preview(channel, None, gateway.kind, part.payload)


def _preview_disabled(found: _Found) -> Iterator[Preview]:
    """Yield the providers that are switched off of channels that have no other one."""
    channels = found.channels
    for setup in found.disabled:
        if isinstance(setup, CustomPushSetup):
            channel, is_served = PUSH, channels.has_custom_push or bool(channels.queues)
        else:
            channel = EMAIL if isinstance(setup, EMAIL_KINDS) else SMS
            is_served = channels.has(channel)
        if not is_served:
            yield Preview(channel, Reason.NOT_FOUND, name_of(setup))
