"""`…/providers/webpush`: read the request, call the domain, write the answer."""

from hubbub.domain.notifications import providers, webpush
from hubbub.domain.notifications.providers import make_provider_id
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.records.notifications.model import (
    ProviderAlreadyExists,
    ProviderNotFound,
    TooManyProviders,
)
from hubbub.records.notifications.setups import WebPushSetup
from hubbub.rest.notifications.contact_details import TAG
from hubbub.rest.notifications.wire import webpush as wire
from hubbub.rest.notifications.wire.webpush import webpush_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Success

WEB_PUSH = "/notifications/push/v1/providers/webpush"


@operation.post(WEB_PUSH, tag=TAG, errors=(ProviderAlreadyExists, TooManyProviders), is_own=True)
async def add_webpush_provider(call: Call, body: wire.AddWebPushProvider) -> wire.WebPushAdded:
    """Add a Web Push provider to the app, with a new pair of keys.

    Browsers subscribe with the `publicKey` of the answer. The first provider becomes the default.
    """
    provider_id = body.provider_id or make_provider_id(call.runtime.ids)
    setup = await webpush.add_webpush_provider(call.runtime, call.app_id, provider_id, body.subject)
    return wire.WebPushAdded(
        success=True, provider_id=provider_id, public_key=setup.config.public_key or ""
    )


@operation.get(WEB_PUSH, tag=TAG, is_own=True)
async def list_webpush_providers(call: Call) -> wire.WebPushProviders:
    """List the Web Push providers of the app, oldest first, with their public keys.

    Browsers need `publicKey` as `applicationServerKey`; private keys are never shown.
    """
    found = await providers.list_providers(call.runtime, call.app_id, WebPushSetup)
    return wire.WebPushProviders(push_providers=[webpush_shape(provider) for provider in found])


@operation.delete(WEB_PUSH + "/{providerId}", tag=TAG, errors=(ProviderNotFound,), is_own=True)
async def delete_webpush_provider(call: Call, provider_id: path.ProviderId) -> Success:
    """Delete a Web Push provider; after the default, the oldest becomes the default.

    Subscriptions made with its key can't be sent to any more.
    """
    await providers.delete_provider(call.runtime, call.app_id, provider_id, WebPushSetup)
    return Success(success=True)
