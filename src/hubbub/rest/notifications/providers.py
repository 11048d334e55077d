"""`/notifications/push/v1/providers`: read the request, call the domain, write the answer."""

from hubbub.domain.notifications import providers
from hubbub.domain.notifications.providers import make_provider_id
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.records.notifications.model import (
    ApnsSetup,
    FcmSetup,
    ProviderAlreadyExists,
    ProviderNotFound,
)
from hubbub.rest.notifications.wire import providers as wire
from hubbub.rest.notifications.wire.providers import apns_shape, fcm_shape
from hubbub.rest.wire.shapes import Succeeded

TAG = "Notifications"
FCM = "/notifications/push/v1/providers/fcm"
APNS = "/notifications/push/v1/providers/apns"


@operation.post(FCM, tag=TAG, errors=(ProviderAlreadyExists,))
async def add_fcm_provider(call: Call, body: wire.AddFcmProvider) -> wire.FcmAddedAnswer:
    """Add an FCM provider for the app.

    Without a `providerId` one is made and answered. With all of `serviceAccountCreds` the provider
    is complete; the first complete one becomes the default.
    """
    provider_id = body.provider_id or make_provider_id(call.runtime.ids)
    await providers.add_provider(call.runtime, call.app_id, provider_id, wire.read_fcm(body))
    made_id = None if body.provider_id else provider_id
    return wire.FcmAddedAnswer(data=wire.FcmAdded(success=True, provider_id=made_id), meta={})


@operation.get(FCM, tag=TAG)
async def list_fcm_providers(call: Call) -> wire.FcmProviders:
    """List the app's FCM providers, oldest first; secrets are redacted."""
    found = await providers.list_providers(call.runtime, call.app_id, FcmSetup)
    return wire.FcmProviders(push_providers=[fcm_shape(provider) for provider in found])


@operation.put(FCM, tag=TAG, errors=(ProviderNotFound,))
async def update_fcm_provider(call: Call, body: wire.UpdateFcmProvider) -> Succeeded:
    """Change an FCM provider; what is not given stays, each of its credentials and platforms too.

    A secret that is given as it stands in answers, redacted, stays as well.
    """
    given = wire.read_fcm_change(body)
    await providers.update_provider(call.runtime, call.app_id, body.provider_id, given)
    return Succeeded(success=True)


@operation.delete(FCM + "/{providerId}", tag=TAG, errors=(ProviderNotFound,))
async def delete_fcm_provider(call: Call, provider_id: str) -> Succeeded:
    """Delete an FCM provider; after the default one the oldest complete one becomes the default."""
    await providers.delete_provider(call.runtime, call.app_id, provider_id, FcmSetup)
    return Succeeded(success=True)


@operation.put(FCM + "/default/{providerId}", tag=TAG, errors=(ProviderNotFound,))
async def choose_default_fcm_provider(call: Call, provider_id: str) -> Succeeded:
    """Make an FCM provider the default one."""
    await providers.choose_default_provider(call.runtime, call.app_id, provider_id, FcmSetup)
    return Succeeded(success=True)


@operation.post(APNS, tag=TAG, errors=(ProviderAlreadyExists,))
async def add_apns_provider(call: Call, body: wire.AddApnsProvider) -> wire.ApnsProviders:
    """Add an APNs provider for the app; the answer lists all of them.

    Without a `providerId` one is made. With `keyId`, `teamId`, `bundleId` and `p8Key` the provider
    is complete; the first complete one becomes the default.
    """
    provider_id = body.provider_id or make_provider_id(call.runtime.ids)
    found = await providers.add_provider(
        call.runtime, call.app_id, provider_id, wire.read_apns(body)
    )
    return wire.ApnsProviders(push_providers=[apns_shape(provider) for provider in found])


@operation.get(APNS, tag=TAG)
async def list_apns_providers(call: Call) -> wire.ApnsProviders:
    """List the app's APNs providers, oldest first; secrets are redacted."""
    found = await providers.list_providers(call.runtime, call.app_id, ApnsSetup)
    return wire.ApnsProviders(push_providers=[apns_shape(provider) for provider in found])


@operation.put(APNS, tag=TAG, errors=(ProviderNotFound,))
async def update_apns_provider(call: Call, body: wire.UpdateApnsProvider) -> Succeeded:
    """Change an APNs provider; what is not given stays.

    A secret that is given as it stands in answers, redacted, stays as well.
    """
    given = wire.read_apns_change(body)
    await providers.update_provider(call.runtime, call.app_id, body.provider_id, given)
    return Succeeded(success=True)


@operation.delete(APNS + "/{providerId}", tag=TAG, errors=(ProviderNotFound,))
async def delete_apns_provider(call: Call, provider_id: str) -> Succeeded:
    """Delete an APNs provider; after the default the oldest complete one becomes the default."""
    await providers.delete_provider(call.runtime, call.app_id, provider_id, ApnsSetup)
    return Succeeded(success=True)


@operation.put(APNS + "/default/{providerId}", tag=TAG, errors=(ProviderNotFound,))
async def choose_default_apns_provider(call: Call, provider_id: str) -> Succeeded:
    """Make an APNs provider the default one."""
    await providers.choose_default_provider(call.runtime, call.app_id, provider_id, ApnsSetup)
    return Succeeded(success=True)
