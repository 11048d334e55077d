"""The gateways of a node: providers of apps, opened once and kept while their setup stays."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from hubbub.domain.notifications.sending.digests import MailGateway, SmsGateway
from hubbub.domain.notifications.sending.pushes import PushGateway
from hubbub.providers.open import open_mail, open_push, open_sms
from hubbub.records.apps import store as apps_store
from hubbub.records.apps.model import App
from hubbub.records.notifications.channels import Providers, find_providers
from hubbub.records.notifications.sending.model import CUSTOM, CUSTOM_PUSH, EMAIL, SMS
from hubbub.records.notifications.setups import CustomSetup
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

Gateway: TypeAlias = PushGateway | MailGateway | SmsGateway


@dataclass(frozen=True, slots=True)
class _Opened:
    """A gateway, and what it was opened from."""

    gateway: Gateway
    app: App
    setup: object


class Gateways:
    """The gateways of a node, by app and queue."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._opened: dict[tuple[str, str], _Opened] = {}

    async def find(self, app_id: str, queue: str) -> Gateway:
        """Return the gateway of a queue; one without a provider if the app does not have it."""
        app = await apps_store.find_app(self._runtime.database, app_id)

        async def within(snapshot: Snapshot) -> Providers:
            return await find_providers(snapshot, self._runtime.sealer)

        setup = setup_of(await self._runtime.database.read(app_id, within), queue)
        if app is None or setup is None:
            self._opened.pop((app_id, queue), None)
            return open_gateway(self._runtime, None, queue, None)
        found = self._opened.get((app_id, queue))
        if found is None or found.app != app or found.setup != setup:
            gateway = open_gateway(self._runtime, app, queue, setup)
            found = self._opened[app_id, queue] = _Opened(gateway, app, setup)
        return found.gateway


def setup_of(providers: Providers, queue: str) -> Any:
    """Return the setup of the provider that a queue is for; None if there is none complete."""
    if queue == EMAIL:
        return providers.email
    if queue == SMS:
        return providers.sms
    if queue == CUSTOM_PUSH:
        return providers.custom_push
    kind, _, id_ = queue.partition(":")
    for provider in providers.push:
        if provider.setup.kind == kind and provider.id == id_ and provider.setup.is_complete:
            return provider.setup
    return None


def open_gateway(runtime: Runtime, app: App | None, queue: str, setup: Any) -> Gateway:
    """Return a gateway with the provider of a setup, or without one."""

    def opened(open_provider: Callable[..., Any]) -> Any:
        return None if app is None or setup is None else open_provider(runtime, app, setup)

    kind, _, id_ = queue.partition(":")
    if queue == EMAIL:
        return MailGateway(opened(open_mail), name_of(setup))
    if queue == SMS:
        return SmsGateway(opened(open_sms), name_of(setup))
    return PushGateway(opened(open_push), kind, id_ or None)


def name_of(setup: Any) -> str:
    """Return the name of a provider as the log has it."""
    is_custom = isinstance(setup, CustomSetup)
    return CUSTOM if is_custom or setup is None else str(setup.kind)
