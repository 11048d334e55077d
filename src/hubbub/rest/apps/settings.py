"""`/settings`: read the request, call the domain, write the answer."""

from typing import Annotated, Any, Literal

from msgspec import Meta, defstruct, field

from hubbub.domain.access.rates import Rate
from hubbub.domain.settings import manage
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.documented import documented_as
from hubbub.records.settings.model import DEFAULTS, AppSettings, Value, check_settings
from hubbub.rest.wire.shapes import Listing, Shape, unpaged

SettingKey = Annotated[
    str,
    documented_as(Literal[tuple(DEFAULTS)], title="SettingKey"),
]


class SettingShape(Shape):
    """A setting with its value and its default."""

    key: SettingKey
    value: bool | int | float | str
    default: bool | int | float | str


def setting_shapes(settings: AppSettings) -> list[SettingShape]:
    """Return all settings on the wire."""
    return [
        SettingShape(key=key, value=settings.given.get(key, default), default=default)
        for key, default in DEFAULTS.items()
    ]


Settings = defstruct(
    "Settings",
    [
        (key.replace(".", "_"), type(default), field(name=key, default=None))
        for key, default in DEFAULTS.items()
    ],
    namespace={"__doc__": "Settings by key; those that are absent keep their values."},
)


class SetSettings(Shape):
    """The settings to change: their values by key."""

    settings: Annotated[dict[str, Any], Meta(max_length=100), documented_as(Settings)]

    def values(self) -> dict[str, Value]:
        """Return the values to set.

        Raises:
            BadInput: a key is unknown, or a value is invalid.
        """
        return check_settings(self.settings)


class ResetSettings(Shape):
    """The settings to reset, by key."""

    keys: Annotated[list[Annotated[SettingKey, Meta(max_length=100)]], Meta(max_length=100)]


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
async def set_settings(call: Call, body: SetSettings) -> Listing[SettingShape]:
    """Change settings of the app; settings that are not named keep their values.

    If one key or value is not valid, nothing is changed. A change takes effect on all nodes
    within five seconds. The answer lists all settings.
    """
    settings = await manage.set_settings(call.runtime, call.app_id, body.values())
    return unpaged(setting_shapes(settings))


@operation.delete("/settings", tag=TAG, rate=Rate.FREE, is_own=True)
async def reset_settings(call: Call, body: ResetSettings) -> Listing[SettingShape]:
    """Reset settings of the app to their defaults.

    The others keep their values. The answer lists all settings.
    """
    settings = await manage.reset_settings(call.runtime, call.app_id, body.keys)
    return unpaged(setting_shapes(settings))
