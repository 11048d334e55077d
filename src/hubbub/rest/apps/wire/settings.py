"""The shapes of settings."""

from typing import Annotated, Any, Literal

from msgspec import Meta, defstruct, field

from hubbub.http.documented import documented_as
from hubbub.records.settings.model import DEFAULTS, AppSettings, Value, check_settings
from hubbub.rest.wire.shapes import Shape

SettingKey = Annotated[
    str,
    documented_as(Literal[tuple(DEFAULTS)], title="SettingKey"),
]


class SettingShape(Shape):
    """A setting with its value and its default."""

    key: SettingKey
    value: bool | int
    default: bool | int


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
