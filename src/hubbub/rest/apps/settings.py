"""`/settings`: read the request, call the domain, write the answer."""

from hubbub.domain.access.rates import Rate
from hubbub.domain.settings import manage
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.rest.apps.wire import settings as wire
from hubbub.rest.apps.wire.settings import SettingShape, setting_shapes
from hubbub.rest.wire.shapes import Listing, unpaged

TAG = operation.Tag(
    "Settings",
    "The settings of an app: rate limits, and what updates conversations.",
)


@operation.get("/settings", tag=TAG, rate=Rate.FREE, is_own=True)
async def list_settings(call: Call) -> Listing[SettingShape]:
    """List all settings of the app, each with its value and its default.

    `value` is in effect. The keys and their meanings are in the schema `Settings`.
    """
    return unpaged(setting_shapes(await manage.get_settings(call.runtime, call.app_id)))


@operation.put("/settings", tag=TAG, rate=Rate.FREE, is_own=True)
async def set_settings(call: Call, body: wire.SetSettings) -> Listing[SettingShape]:
    """Change settings of the app; settings that are not named keep their values.

    If one key or value is not valid, nothing is changed. A change takes effect on all nodes
    within five seconds. The answer lists all settings.
    """
    settings = await manage.set_settings(call.runtime, call.app_id, body.values())
    return unpaged(setting_shapes(settings))


@operation.delete("/settings", tag=TAG, rate=Rate.FREE, is_own=True)
async def reset_settings(call: Call, body: wire.ResetSettings) -> Listing[SettingShape]:
    """Reset settings of the app to their defaults.

    The others keep their values. The answer lists all settings.
    """
    settings = await manage.reset_settings(call.runtime, call.app_id, body.keys)
    return unpaged(setting_shapes(settings))
