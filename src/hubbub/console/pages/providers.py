"""The providers with which an app notifies people: push, e-mail and SMS."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec

from hubbub.console import page
from hubbub.console.channel_forms import channel_fields, read_channel, shown_setup
from hubbub.console.page import DEVELOPERS, ChangeMade, PageForm, PageShown, show
from hubbub.console.visit import Visit
from hubbub.domain.notifications.addresses import (
    NoAddress,
    normalise_email,
    normalise_phone_number,
)
from hubbub.domain.notifications.providers import channels, push, webpush
from hubbub.domain.notifications.try_out import send_sample
from hubbub.http.decoding.decode import convert_body
from hubbub.kernel.errors import BadInput
from hubbub.kernel.text import normalise_id
from hubbub.providers.interface import SendOutcome
from hubbub.records.devices.model import LONGEST_TOKEN
from hubbub.records.notifications.model import ProviderNotFound
from hubbub.records.notifications.sending.store import Failing, list_failing_queues
from hubbub.records.notifications.setups import (
    CHANNEL_KINDS,
    EMAIL_KINDS,
    PUSH_KINDS,
    SMS_KINDS,
    ApnsSetup,
    AppleId,
    BundleId,
    ChannelSetup,
    FcmSetup,
    Pem,
    PushSetup,
    ServiceAccount,
    Subject,
)
from hubbub.rest.notifications.wire.providers import ProviderId
from hubbub.storage.interface import INSTALLATION

PROVIDERS = "/apps/{app}/providers"
CHANNEL = PROVIDERS + "/channels/{kind}"
PUSH = PROVIDERS + "/push/{kind}"
MOST_FAILING = 1_000
NAMES = {
    "fcm": "Firebase Cloud Messaging (Android, iOS, Web)",
    "apns": "Apple Push Notification service",
    "webpush": "Web Push",
    "sendgrid": "E-mail by SendGrid",
    "smtp": "E-mail by a mail server",
    "custom_email": "E-mail by your own server",
    "twilio": "SMS by Twilio",
    "custom_sms": "SMS by your own server",
    "custom_push": "Push by your own server",
}
"""The kinds by their names, for people."""
_ADDRESSEES = {"email": "E-mail address", "sms": "Phone number", "push": "Uid"}


class NewFcm(PageForm):
    """The FCM provider to add."""

    account: Annotated[str, msgspec.Meta(min_length=2, max_length=20_000)]
    """The file of the service account, as Google gives it."""
    provider_id: ProviderId | None = None


class NewApns(PageForm):
    """The APNs provider to add."""

    key_id: AppleId
    team_id: AppleId
    bundle_id: BundleId
    p8_key: Pem
    production_mode: bool = False
    provider_id: ProviderId | None = None


class NewWebPush(PageForm):
    """The Web Push provider to add."""

    subject: Subject
    provider_id: ProviderId | None = None


class SampleTo(PageForm):
    """Whom a sample is sent to."""

    to: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_TOKEN)]


@dataclass(frozen=True, slots=True)
class TriedProvider:
    """What a provider said to a sample."""

    name: str
    is_accepted: bool
    reason: str


@page.get(PROVIDERS, title="Providers", roles=DEVELOPERS)
async def list_providers(visit: Visit, app: str) -> PageShown:
    """List the providers of an app, without secrets, with those that fail now."""
    return await _list(visit, app)


async def _list(visit: Visit, app: str, tried: TriedProvider | None = None) -> PageShown:
    of_push = [
        (kind, each, shown_setup(each.setup))
        for kind, setup in PUSH_KINDS.items()
        for each in await push.list_providers(visit.runtime, app, setup)
    ]
    of_channels = [
        (kind, found, {} if found is None else shown_setup(found))
        for kind, setup in CHANNEL_KINDS.items()
        for found in [await channels.get_channel(visit.runtime, app, setup)]
    ]
    return show(
        "providers.html",
        push=of_push,
        channels=of_channels,
        failing=await _failing(visit, app),
        names=NAMES,
        tried=tried,
    )


async def _failing(visit: Visit, app: str) -> Sequence[Failing]:
    found = await visit.runtime.database.read(
        INSTALLATION, lambda snapshot: list_failing_queues(snapshot, limit=MOST_FAILING)
    )
    return [each for each in found if each.app_id == app]


@page.get(CHANNEL, title="Provider", roles=DEVELOPERS)
async def show_channel(visit: Visit, app: str, kind: str) -> PageShown:
    """Show the form of a provider that an app has at most one of."""
    return await _show_channel(visit, app, kind)


async def _show_channel(
    visit: Visit, app: str, kind: str, tried: TriedProvider | None = None
) -> PageShown:
    setup = _channel(kind)
    stored = await channels.get_channel(visit.runtime, app, setup)
    return show(
        "channel.html",
        title=NAMES[kind],
        kind=kind,
        fields=list(channel_fields(setup, stored)),
        is_stored=stored is not None,
        addressee=_ADDRESSEES[_form_of(setup)],
        tried=tried,
    )


@page.post(CHANNEL, roles=DEVELOPERS, back=CHANNEL)
async def save_channel(visit: Visit, app: str, kind: str) -> ChangeMade:
    """Set a provider up; a secret that is sent as its mark keeps its value."""
    given = read_channel(_channel(kind), visit.entered)
    await visit.change(
        "provider.save",
        kind,
        lambda runtime: channels.save_channel(runtime, app, given),
        after={"isEnabled": bool(given.is_enabled)},
    )
    return ChangeMade(f"Saved: {NAMES[kind]}.", to=f"/apps/{app}/providers")


@page.post(CHANNEL + "/test", roles=DEVELOPERS, back=CHANNEL)
async def test_channel(visit: Visit, app: str, kind: str, form: SampleTo) -> PageShown:
    """Send a sample by a provider, and show what it says."""
    setup = await channels.get_channel(visit.runtime, app, _channel(kind))
    if setup is None:
        raise ProviderNotFound(kind)
    to = _read_addressee(type(setup), form.to.strip())
    await visit.look("provider.test", kind, after={"to": to})
    return await _show_channel(visit, app, kind, await _try(visit, app, NAMES[kind], setup, to))


@page.post(PUSH + "/{provider}/test", roles=DEVELOPERS, back=PROVIDERS)
async def test_push(visit: Visit, app: str, kind: str, provider: str, form: SampleTo) -> PageShown:
    """Send a sample by a push provider to a device, and show what it says."""
    stored = await push.list_providers(visit.runtime, app, _push(kind, provider))
    found = next((each for each in stored if each.id == provider), None)
    if found is None:
        raise ProviderNotFound(provider)
    if not found.setup.is_complete:
        raise BadInput.field("to", "The provider has no credentials: nothing can be sent with it.")
    await visit.look("provider.test", f"{kind}/{provider}")
    return await _list(visit, app, await _try(visit, app, provider, found.setup, form.to.strip()))


async def _try(
    visit: Visit, app: str, name: str, setup: PushSetup | ChannelSetup, to: str
) -> TriedProvider:
    result = await send_sample(visit.runtime, app, setup, to)
    return TriedProvider(name, result.outcome is SendOutcome.SENT, result.reason)


def _form_of(setup: type[ChannelSetup]) -> str:
    return "email" if setup in EMAIL_KINDS else "sms" if setup in SMS_KINDS else "push"


def _read_addressee(setup: type[ChannelSetup], text: str) -> str:
    """Return whom a sample is for, normalised.

    Raises:
        BadInput: it is no e-mail address, phone number or uid.
    """
    read = {"email": normalise_email, "sms": normalise_phone_number}.get(_form_of(setup))
    if read is None:
        return normalise_id(text, "to")
    try:
        return read(text)
    except NoAddress as fault:
        raise BadInput.field("to", str(fault)) from None


@page.post(CHANNEL + "/delete", roles=DEVELOPERS, back=PROVIDERS)
async def delete_channel(visit: Visit, app: str, kind: str) -> ChangeMade:
    """Delete a provider that an app has at most one of."""
    setup = _channel(kind)
    await visit.change(
        "provider.delete", kind, lambda runtime: channels.delete_channel(runtime, app, setup)
    )
    return ChangeMade(f"Deleted: {NAMES[kind]}. Nothing is sent with it any more.")


@page.post(PROVIDERS + "/fcm", roles=DEVELOPERS, back=PROVIDERS)
async def add_fcm(visit: Visit, app: str, form: NewFcm) -> ChangeMade:
    """Add an FCM provider."""
    setup = FcmSetup(service_account_creds=_account(form))
    return await _add_push(visit, app, form.provider_id, setup)


@page.post(PROVIDERS + "/apns", roles=DEVELOPERS, back=PROVIDERS)
async def add_apns(visit: Visit, app: str, form: NewApns) -> ChangeMade:
    """Add an APNs provider."""
    setup = ApnsSetup(
        key_id=form.key_id,
        team_id=form.team_id,
        bundle_id=form.bundle_id,
        p8_key=form.p8_key.replace("\r\n", "\n"),
        production_mode=form.production_mode,
    )
    return await _add_push(visit, app, form.provider_id, setup)


@page.post(PROVIDERS + "/webpush", roles=DEVELOPERS, back=PROVIDERS)
async def add_webpush(visit: Visit, app: str, form: NewWebPush) -> ChangeMade:
    """Add a Web Push provider, whose keys are made here."""
    provider_id = form.provider_id or push.make_provider_id(visit.runtime.ids)
    await visit.change(
        "provider.add",
        f"webpush/{provider_id}",
        lambda runtime: webpush.add_webpush_provider(runtime, app, provider_id, form.subject),
    )
    return ChangeMade(f"The provider {provider_id} is added. Browsers need its publicKey.")


@page.post(PUSH + "/{provider}/default", roles=DEVELOPERS, back=PROVIDERS)
async def choose_default(visit: Visit, app: str, kind: str, provider: str) -> ChangeMade:
    """Make a push provider the default of its kind."""
    setup = _push(kind, provider)
    await visit.change(
        "provider.default",
        f"{kind}/{provider}",
        lambda runtime: push.choose_default_provider(runtime, app, provider, setup),
    )
    return ChangeMade(f"{provider} serves the devices that name no provider now.")


@page.post(PUSH + "/{provider}/delete", roles=DEVELOPERS, back=PROVIDERS)
async def delete_push(visit: Visit, app: str, kind: str, provider: str) -> ChangeMade:
    """Delete a push provider."""
    setup = _push(kind, provider)
    await visit.change(
        "provider.delete",
        f"{kind}/{provider}",
        lambda runtime: push.delete_provider(runtime, app, provider, setup),
    )
    return ChangeMade(f"{provider} is deleted. Devices that were registered with it get no push.")


async def _add_push(
    visit: Visit, app: str, provider_id: str | None, setup: FcmSetup | ApnsSetup
) -> ChangeMade:
    made_id = provider_id or push.make_provider_id(visit.runtime.ids)

    await visit.change(
        "provider.add",
        f"{setup.kind}/{made_id}",
        lambda runtime: push.add_provider(runtime, app, made_id, setup),
    )
    return ChangeMade(f"The provider {made_id} is added.")


def _account(form: NewFcm) -> ServiceAccount:
    """Return the service account of a form.

    Raises:
        BadInput: it is not the JSON of one.
    """
    try:
        found = msgspec.json.decode(form.account)
    except msgspec.DecodeError:
        raise BadInput.field("account", "The account must be the JSON file of Google.") from None
    account: ServiceAccount = convert_body(found, ServiceAccount)
    return account


def _channel(kind: str) -> type[ChannelSetup]:
    if kind not in CHANNEL_KINDS:
        raise ProviderNotFound(kind)
    return CHANNEL_KINDS[kind]


def _push(kind: str, provider: str) -> type[PushSetup]:
    if kind not in PUSH_KINDS:
        raise ProviderNotFound(provider)
    return PUSH_KINDS[kind]
