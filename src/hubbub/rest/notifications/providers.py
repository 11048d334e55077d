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
    TooManyProviders,
)
from hubbub.rest.notifications.contact_details import TAG
from hubbub.rest.notifications.wire import providers as wire
from hubbub.rest.notifications.wire.providers import apns_shape, fcm_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Success

FCM = "/notifications/push/v1/providers/fcm"
APNS = "/notifications/push/v1/providers/apns"


@operation.post(FCM, tag=TAG, errors=(ProviderAlreadyExists, TooManyProviders))
async def add_fcm_provider(call: Call, body: wire.AddFcmProvider) -> wire.FcmAddedAnswer:
    """Add an FCM provider to the app.

    Without a `providerId`, one is generated and returned. With all of `serviceAccountCreds` the
    provider is complete. The first complete one becomes the default.
    """
    provider_id = body.provider_id or make_provider_id(call.runtime.ids)
    await providers.add_provider(call.runtime, call.app_id, provider_id, wire.read_fcm(body))
    made_id = None if body.provider_id else provider_id
    return wire.FcmAddedAnswer(data=wire.FcmAdded(success=True, provider_id=made_id), meta={})


@operation.get(FCM, tag=TAG)
async def list_fcm_providers(call: Call) -> wire.FcmProviders:
    """List the FCM providers of the app, oldest first; secrets are redacted.

    Those without complete credentials have `isComplete` false, and send nothing.
    """
    found = await providers.list_providers(call.runtime, call.app_id, FcmSetup)
    return wire.FcmProviders(push_providers=[fcm_shape(provider) for provider in found])


@operation.put(FCM, tag=TAG, errors=(ProviderNotFound,))
async def update_fcm_provider(call: Call, body: wire.UpdateFcmProvider) -> Success:
    """Change an FCM provider; fields that are absent keep their values.

    This includes each of its credentials and platforms. A secret that is sent as answers show it,
    redacted, keeps its value, too.
    """
    changes = wire.without_redacted(wire.read_fcm(body))
    await providers.update_provider(call.runtime, call.app_id, body.provider_id, changes)
    return Success(success=True)


@operation.delete(FCM + "/{providerId}", tag=TAG, errors=(ProviderNotFound,))
async def delete_fcm_provider(call: Call, provider_id: path.ProviderId) -> Success:
    """Delete an FCM provider; after the default, the oldest complete one becomes the default.

    Devices that were registered with it get no push with it any more; register them with another
    one.
    """
    await providers.delete_provider(call.runtime, call.app_id, provider_id, FcmSetup)
    return Success(success=True)


@operation.put(FCM + "/default/{providerId}", tag=TAG, errors=(ProviderNotFound,))
async def choose_default_fcm_provider(call: Call, provider_id: path.ProviderId) -> Success:
    """Make an FCM provider the default.

    It serves the devices that name no provider.
    """
    await providers.choose_default_provider(call.runtime, call.app_id, provider_id, FcmSetup)
    return Success(success=True)


@operation.post(APNS, tag=TAG, errors=(ProviderAlreadyExists, TooManyProviders))
async def add_apns_provider(call: Call, body: wire.AddApnsProvider) -> wire.ApnsProviders:
    """Add an APNs provider to the app; the answer lists all of them.

    Without a `providerId`, one is generated. With `keyId`, `teamId`, `bundleId` and `p8Key` the
    provider is complete. The first complete one becomes the default.
    """
    provider_id = body.provider_id or make_provider_id(call.runtime.ids)
    found = await providers.add_provider(
        call.runtime, call.app_id, provider_id, wire.read_apns(body)
    )
    return wire.ApnsProviders(push_providers=[apns_shape(provider) for provider in found])


@operation.get(APNS, tag=TAG)
async def list_apns_providers(call: Call) -> wire.ApnsProviders:
    """List the APNs providers of the app, oldest first; secrets are redacted.

    Those without complete credentials have `isComplete` false, and send nothing.
    """
    found = await providers.list_providers(call.runtime, call.app_id, ApnsSetup)
    return wire.ApnsProviders(push_providers=[apns_shape(provider) for provider in found])


@operation.put(APNS, tag=TAG, errors=(ProviderNotFound,))
async def update_apns_provider(call: Call, body: wire.UpdateApnsProvider) -> Success:
    """Change an APNs provider; fields that are absent keep their values.

    A secret that is sent as answers show it, redacted, keeps its value, too.
    """
    changes = wire.without_redacted(wire.read_apns(body))
    await providers.update_provider(call.runtime, call.app_id, body.provider_id, changes)
    return Success(success=True)


@operation.delete(APNS + "/{providerId}", tag=TAG, errors=(ProviderNotFound,))
async def delete_apns_provider(call: Call, provider_id: path.ProviderId) -> Success:
    """Delete an APNs provider; after the default, the oldest complete one becomes the default.

    Devices that were registered with it get no push with it any more; register them with another
    one.
    """
    await providers.delete_provider(call.runtime, call.app_id, provider_id, ApnsSetup)
    return Success(success=True)


@operation.put(APNS + "/default/{providerId}", tag=TAG, errors=(ProviderNotFound,))
async def choose_default_apns_provider(call: Call, provider_id: path.ProviderId) -> Success:
    """Make an APNs provider the default.

    It serves the devices that name no provider.
    """
    await providers.choose_default_provider(call.runtime, call.app_id, provider_id, ApnsSetup)
    return Success(success=True)
