"""`/notifications/push/v1/providers/{fcm,apns}`: the push providers with credentials of the app.

They differ in what adding one answers; the other operations are the same.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from hubbub.domain.notifications.providers import push
from hubbub.domain.notifications.providers.push import make_provider_id
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.records.notifications.model import (
    ProviderAlreadyExists,
    ProviderNotFound,
    TooManyProviders,
)
from hubbub.records.notifications.setups import ApnsSetup, FcmSetup
from hubbub.rest.notifications.contact_details import TAG
from hubbub.rest.notifications.wire import providers as wire
from hubbub.rest.notifications.wire.providers import provider_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.derived import given_fields
from hubbub.rest.wire.shapes import Success

FCM = "/notifications/push/v1/providers/fcm"
APNS = "/notifications/push/v1/providers/apns"
ADD_ERRORS = (ProviderAlreadyExists, TooManyProviders)
DELETED = (
    "Devices that were registered with it get no push with it any more; register them with another"
    "\none."
)


class _Kind:
    """The operations that the kinds have in common whose credentials are the app's."""

    def __init__(self, setup: type[FcmSetup | ApnsSetup], listed: type[Struct]) -> None:
        self._setup = setup
        self._listed = listed

    async def list(self, call: Call) -> Struct:
        """List the {kind} providers of the app, oldest first; secrets are redacted.

        Those without complete credentials have `isComplete` false, and send nothing.
        """
        found = await push.list_providers(call.runtime, call.app_id, self._setup)
        return self._listed(push_providers=[provider_shape(provider) for provider in found])

    async def update(self, call: Call, body: Any) -> Success:
        """Change {a} provider; fields that are absent keep their values.

        {kept}
        """
        given = self._setup(**given_fields(body, self._setup))
        await push.update_provider(call.runtime, call.app_id, body.provider_id, given)
        return Success(success=True)

    async def delete(self, call: Call, provider_id: path.ProviderId) -> Success:
        """Delete {a} provider; after the default, the oldest complete one becomes the default.

        {deleted}
        """
        await push.delete_provider(call.runtime, call.app_id, provider_id, self._setup)
        return Success(success=True)

    async def choose_default(self, call: Call, provider_id: path.ProviderId) -> Success:
        """Make {a} provider the default.

        It serves the devices that name no provider.
        """
        await push.choose_default_provider(call.runtime, call.app_id, provider_id, self._setup)
        return Success(success=True)


def _declare(
    setup: type[FcmSetup | ApnsSetup],
    at: str,
    *,
    listed: type[Struct],
    update: type[Struct],
    words: Mapping[str, str],
) -> None:
    """Declare these operations for a kind."""
    kind, name = _Kind(setup, listed), f"{setup.kind}_provider"
    common: dict[str, Any] = {"tag": TAG, "words": {**words, "deleted": DELETED}}
    missing = {**common, "errors": (ProviderNotFound,)}
    operation.get(at, name=f"list_{name}s", hints={"return": listed}, **common)(kind.list)
    operation.put(at, name=f"update_{name}", hints={"body": update}, **missing)(kind.update)
    operation.delete(at + "/{providerId}", name=f"delete_{name}", **missing)(kind.delete)
    operation.put(at + "/default/{providerId}", name=f"choose_default_{name}", **missing)(
        kind.choose_default
    )


@operation.post(FCM, tag=TAG, errors=ADD_ERRORS, hints={"body": wire.AddFcmProvider})
async def add_fcm_provider(call: Call, body: Any) -> wire.FcmAddedAnswer:
    """Add an FCM provider to the app.

    Without a `providerId`, one is generated and returned. With all of `serviceAccountCreds` the
    provider is complete. The first complete one becomes the default.
    """
    provider_id = body.provider_id or make_provider_id(call.runtime.ids)
    setup = FcmSetup(**given_fields(body, FcmSetup))
    await push.add_provider(call.runtime, call.app_id, provider_id, setup)
    made_id = None if body.provider_id else provider_id
    return wire.FcmAddedAnswer(data=wire.FcmAdded(success=True, provider_id=made_id), meta={})


_declare(
    FcmSetup,
    FCM,
    listed=wire.FcmProviders,
    update=wire.UpdateFcmProvider,
    words={
        "kind": "FCM",
        "a": "an FCM",
        "kept": "This includes each of its credentials and platforms. A secret that is sent as"
        " answers show it,\nredacted, keeps its value, too.",
    },
)


@operation.post(
    APNS,
    tag=TAG,
    errors=ADD_ERRORS,
    hints={"body": wire.AddApnsProvider, "return": wire.ApnsProviders},
)
async def add_apns_provider(call: Call, body: Any) -> Struct:
    """Add an APNs provider to the app; the answer lists all of them.

    Without a `providerId`, one is generated. With `keyId`, `teamId`, `bundleId` and `p8Key` the
    provider is complete. The first complete one becomes the default.
    """
    provider_id = body.provider_id or make_provider_id(call.runtime.ids)
    setup = ApnsSetup(**given_fields(body, ApnsSetup))
    found = await push.add_provider(call.runtime, call.app_id, provider_id, setup)
    return wire.ApnsProviders(push_providers=[provider_shape(provider) for provider in found])


_declare(
    ApnsSetup,
    APNS,
    listed=wire.ApnsProviders,
    update=wire.UpdateApnsProvider,
    words={
        "kind": "APNs",
        "a": "an APNs",
        "kept": "A secret that is sent as answers show it, redacted, keeps its value, too.",
    },
)
