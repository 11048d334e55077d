"""How the people of an app may be told: its providers, its settings, its limits."""

from collections.abc import Mapping
from dataclasses import dataclass

from hubbub.domain.notifications.happening import Happening
from hubbub.domain.notifications.planning.decide import is_off, is_switched_off
from hubbub.domain.notifications.planning.people import Served
from hubbub.records.devices.model import WEB_PUSH, PushDevice
from hubbub.records.growing.events import MessageGrown
from hubbub.records.messages.events import MessageSent
from hubbub.records.notifications.app_settings import (
    ChannelSettings,
    NotificationSettings,
)
from hubbub.records.notifications.channels import Providers, find_providers
from hubbub.records.notifications.items import MESSAGES, Item
from hubbub.records.notifications.preference_store import find_settings
from hubbub.records.notifications.sending.model import EMAIL, SMS, push_queue
from hubbub.records.notifications.setups import (
    ApnsSetup,
    CustomEmailSetup,
    CustomSmsSetup,
    FcmSetup,
    WebPushSetup,
)
from hubbub.records.settings.model import (
    EMAIL_GROUP_MEMBERS,
    PUSH_GROUP_MEMBERS,
    SKIP_READ,
    SMS_GROUP_MEMBERS,
    AppSettings,
)
from hubbub.records.settings.store import find_settings as find_app_settings
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

DIGEST_LIMITS = {EMAIL: EMAIL_GROUP_MEMBERS, SMS: SMS_GROUP_MEMBERS}
"""The limits of the members of groups, by the channels of digests."""


@dataclass(frozen=True, slots=True)
class Channels:
    """What an app has set up to tell people."""

    settings: NotificationSettings
    providers: Providers
    limits: AppSettings
    queues: Mapping[tuple[str, str | None], str]
    """The queues of complete push providers, by kind and id; by None those of the defaults."""

    @property
    def has_custom_push(self) -> bool:
        """Return whether the custom push provider is told of everybody."""
        return self.providers.custom_push is not None

    @property
    def skips_read(self) -> bool:
        """Return whether connected people who read a message at once get no push for it."""
        return self.limits.is_on(SKIP_READ)

    def queue_of(self, device: PushDevice) -> str | None:
        """Return the queue for a device; None if its provider is missing or incomplete."""
        return self.queues.get((_kind_of(device), device.provider_id))

    def serving(self, happening: Happening, members: int) -> Served:
        """Return how people may be told of an event; `members` is the number of people."""
        is_group = happening.is_group
        if not members:
            return Served(False, (), False)
        has_push = bool(self.queues) or self.has_custom_push
        is_for_one = not is_group or happening.asked_by is not None
        is_small = is_for_one or members <= self.limits.limit(PUSH_GROUP_MEMBERS)
        event = happening.event
        is_counted = isinstance(event, MessageSent | MessageGrown) and event.counts
        digest_channels = tuple(
            channel
            for channel, limit in DIGEST_LIMITS.items()
            if is_counted
            and self.has(channel)
            and (not is_group or members <= self.limits.limit(limit))
        )
        return Served(has_push and is_small, digest_channels, self._is_off(happening))

    def limits_of(self, channel: str) -> ChannelSettings:
        """Return when, and how often, people are written to."""
        return self.settings.email if channel == EMAIL else self.settings.sms

    def needs_address(self, channel: str) -> bool:
        """Return whether only people are written to whose address or number is stored."""
        setup = self.providers.email if channel == EMAIL else self.providers.sms
        if isinstance(setup, CustomEmailSetup | CustomSmsSetup):
            return bool(setup.uses_stored_address)
        return True

    def has(self, channel: str) -> bool:
        """Return whether the app has an enabled provider of a channel."""
        setup = self.providers.email if channel == EMAIL else self.providers.sms
        return setup is not None

    def _is_off(self, happening: Happening) -> bool:
        """Return whether people are told only if they have chosen so: by default it is off."""
        if happening.item in MESSAGES or happening.item is Item.REACTION:
            return False
        settings = self.settings
        return is_off(settings, happening) and not is_switched_off(settings, happening)


async def read_channels(runtime: Runtime, snapshot: Snapshot) -> Channels:
    """Return what the app has set up."""
    providers = await find_providers(snapshot, runtime.sealer)
    queues: dict[tuple[str, str | None], str] = {}
    for provider in providers.push:
        kind = provider.setup.kind
        if provider.setup.is_complete:
            queues[kind, provider.id] = push_queue(kind, provider.id)
            if provider.is_default:
                queues[kind, None] = push_queue(kind, provider.id)
    return Channels(
        settings=await find_settings(snapshot),
        providers=providers,
        limits=await find_app_settings(snapshot),
        queues=queues,
    )


def _kind_of(device: PushDevice) -> str:
    if device.platform == WEB_PUSH:
        return WebPushSetup.kind
    return FcmSetup.kind if device.platform.startswith(FcmSetup.kind) else ApnsSetup.kind
