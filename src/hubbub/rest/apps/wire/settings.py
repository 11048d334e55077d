"""The shapes of settings."""

from typing import Annotated, Any

from msgspec import Meta

from hubbub.records.settings.model import DEFAULTS, AppSettings, Value, check_settings
from hubbub.rest.wire.shapes import Shape


class SettingShape(Shape):
    """A setting with its value and its default."""

    key: str
    value: bool | int
    default: bool | int


def setting_shapes(settings: AppSettings) -> list[SettingShape]:
    """Return all settings on the wire."""
    return [
        SettingShape(key=key, value=settings.given.get(key, default), default=default)
        for key, default in DEFAULTS.items()
    ]


class SetSettings(Shape):
    """The settings to change: their values by key."""

    settings: Annotated[dict[str, Any], Meta(max_length=100)]

    def values(self) -> dict[str, Value]:
        """Return the values to set.

        Raises:
            BadInput: a key is unknown, or a value is invalid.
        """
        return check_settings(self.settings)


class ResetSettings(Shape):
    """The settings to reset, by key."""

    keys: Annotated[list[Annotated[str, Meta(max_length=100)]], Meta(max_length=100)]
