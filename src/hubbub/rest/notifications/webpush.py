"""`/notifications/push/v1/providers/webpush`: push providers whose keys are made here."""

from typing import Any

from msgspec import Struct

from hubbub.domain.notifications.providers import push, webpush
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.records.notifications.model import ProviderNotFound
from hubbub.records.notifications.setups import WebPushSetup
from hubbub.rest.notifications.contact_details import TAG
from hubbub.rest.notifications.providers import ADD_ERRORS
from hubbub.rest.notifications.wire import providers as wire
from hubbub.rest.notifications.wire.providers import provider_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Success

WEB_PUSH = "/notifications/push/v1/providers/webpush"


@operation.post(
    WEB_PUSH, tag=TAG, errors=ADD_ERRORS, is_own=True, hints={"body": wire.AddWebPushProvider}
)
async def add_webpush_provider(call: Call, body: Any) -> wire.WebPushAdded:
    """Add a Web Push provider to the app, with a new pair of keys.

    Browsers subscribe with the `publicKey` of the answer. The first provider becomes the default.
    """
    provider_id = body.provider_id or push.make_provider_id(call.runtime.ids)
    setup = await webpush.add_webpush_provider(call.runtime, call.app_id, provider_id, body.subject)
    return wire.WebPushAdded(
        success=True, provider_id=provider_id, public_key=setup.public_key or ""
    )


@operation.get(WEB_PUSH, tag=TAG, is_own=True, hints={"return": wire.WebPushProviders})
async def list_webpush_providers(call: Call) -> Struct:
    """List the Web Push providers of the app, oldest first, with their public keys.

    Browsers need `publicKey` as `applicationServerKey`; private keys are never shown.
    """
    found = await push.list_providers(call.runtime, call.app_id, WebPushSetup)
    return wire.WebPushProviders(push_providers=[provider_shape(provider) for provider in found])


@operation.delete(WEB_PUSH + "/{providerId}", tag=TAG, errors=(ProviderNotFound,), is_own=True)
async def delete_webpush_provider(call: Call, provider_id: path.ProviderId) -> Success:
    """Delete a Web Push provider; after the default, the oldest becomes the default.

    Subscriptions made with its key can't be sent to any more.
    """
    await push.delete_provider(call.runtime, call.app_id, provider_id, WebPushSetup)
    return Success(success=True)
