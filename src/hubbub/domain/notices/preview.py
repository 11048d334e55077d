"""Say what a person would be sent of a message, on each channel and device, and why not."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from hubbub.domain.access.people import access_user
from hubbub.domain.notices.entries import PUSH
from hubbub.domain.notices.local_time import Instant
from hubbub.domain.notices.planning.audience import Page, Served, find_audience
from hubbub.domain.notices.planning.bundling import Bundles
from hubbub.domain.notices.planning.channels import Channels, read_channels
from hubbub.domain.notices.planning.happening import Describe, Happening
from hubbub.domain.notices.planning.people import People, read_people
from hubbub.domain.notices.planning.planner import Planner
from hubbub.domain.notices.planning.reader import Reader, find_reader
from hubbub.domain.notices.planning.write import decide_letter
from hubbub.domain.notices.sending.gateways import open_gateway, setup_of
from hubbub.domain.notices.sending.letters import Letter
from hubbub.domain.notices.sending.opened import open_bundle
from hubbub.domain.notices.sending.pushes import PushPart
from hubbub.outbox.log import LogEntry as Event
from hubbub.records.apps import store as apps_store
from hubbub.records.apps.model import App
from hubbub.records.members.store import find_member
from hubbub.records.messages.model import MessageIdNotFound
from hubbub.records.notices.model import Bundle, UnreadNotice
from hubbub.records.notices.unread import find_sent
from hubbub.records.notifications.reasons import Reason
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

    channels: Channels
    served: Served
    people: People
    readers: dict[str, Reader] = field(default_factory=dict)
    """By channel."""


async def preview(
    runtime: Runtime, describe: Describe, app_id: str, uid: str, message_id: int
) -> list[Preview]:
    """Return what a person would be sent of a message now; nothing is sent or logged.

    It is empty if they are no audience: they sent it, can't see it, or have blocked who sent it.

    Raises:
        UidNotFound: the user does not exist or is deactivated.
        MessageIdNotFound: the message does not exist, or was deleted.
    """
    app = await apps_store.find_app(runtime.database, app_id)

    async def find_event(snapshot: Snapshot) -> Event:
        await access_user(snapshot, uid)
        sent = await find_sent(snapshot, message_id)
        if sent is None:
            raise MessageIdNotFound(message_id)
        return Event(0, "", sent)

    event = await runtime.database.read(app_id, find_event)
    [happening] = await describe(runtime, app_id, [event])
    if app is None or happening is None:
        raise MessageIdNotFound(message_id)
    instant = Instant(runtime.clock.milliseconds() / 1000)
    found = await runtime.database.read(
        app_id, lambda snapshot: _find(runtime, snapshot, happening, uid, instant)
    )
    if found is None:
        return []
    previews = _preview_pushes(runtime, app, found, happening, uid)
    return [*previews, *_preview_letters(runtime, app, found, happening, instant)]


async def _find(
    runtime: Runtime, snapshot: Snapshot, happening: Happening, uid: str, instant: Instant
) -> _Found | None:
    """Return what decides on a person; None if they are no audience."""
    channels = await read_channels(runtime, snapshot)
    audience = await find_audience(snapshot, happening)
    served = channels.serving(happening, audience.size)
    conversation = happening.event.conversation
    if happening.guid is not None:
        is_member = await find_member(snapshot, conversation, uid) is not None
    else:
        is_member = uid in audience.uids
    if not is_member or not happening.occasion.may_concern(uid):
        return None
    page = Page(happening, served, [uid], None)
    people = await read_people(snapshot, channels.settings, [page], needs_devices=False)
    if people.recipient(happening, uid) is None:
        return None
    found = _Found(channels, served, people)
    for channel in served.by_letters:
        reader = await find_reader(snapshot, channels, channel, uid, [happening], instant)
        if reader is not None:
            found.readers[channel] = reader
    return found


def _preview_pushes(
    runtime: Runtime, app: App, found: _Found, happening: Happening, uid: str
) -> list[Preview]:
    if not found.served.by_push:
        return []
    now_ms = runtime.clock.milliseconds()
    planner = Planner(found.channels, found.people, Bundles(runtime.ids, now_ms), now_ms)
    planner.plan(Page(happening, Served(True, (), False), [uid], None))
    refused = [Preview(PUSH, entry.reason, entry.provider) for entry in planner.entries]
    sent = [
        preview
        for bundle in planner.bundles.close()
        for preview in _preview_bundle(runtime, app, found.channels, bundle)
    ]
    return [*sent, *refused]


def _preview_letters(
    runtime: Runtime, app: App, found: _Found, happening: Happening, instant: Instant
) -> Iterator[Preview]:
    event = happening.event
    for channel, reader in found.readers.items():
        uid = reader.user.uid
        notice = UnreadNotice(channel, uid, event.conversation, 0, event.message - 1, event.at)
        letter = decide_letter(
            runtime, app.id, found.channels, notice, reader, [happening], instant
        )
        if letter.entry is not None:
            yield Preview(channel, letter.entry.reason)
        elif letter.bundle is not None:
            yield from _preview_bundle(runtime, app, found.channels, letter.bundle)


def _preview_bundle(
    runtime: Runtime, app: App, channels: Channels, bundle: Bundle
) -> Iterator[Preview]:
    setup = setup_of(channels.providers, bundle.provider)
    gateway = open_gateway(runtime, app, bundle.provider, setup)
    for part in open_bundle(bundle, gateway).parts:
        if isinstance(part, PushPart):
            payload = part.gateway.provider and part.gateway.provider.render(part.push)
            yield Preview(PUSH, None, gateway.kind, payload)
        elif isinstance(part, Letter):
            yield Preview(part.channel, None, gateway.kind, part.payload)
