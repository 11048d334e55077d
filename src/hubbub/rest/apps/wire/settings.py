"""The shapes of settings."""

from typing import Annotated, Any

from msgspec import Meta

from hubbub.records.settings.model import DEFAULTS, AppSettings, Value, check_settings
from hubbub.rest.wire.shapes import Shape


class SettingShape(Shape):
    """A setting: what it is, and what it is when it is not set."""

    key: str
    value: bool | int
    default: bool | int


def setting_shapes(settings: AppSettings) -> list[SettingShape]:
    """All settings as the interface shows them."""
    return [
        SettingShape(key=key, value=settings.given.get(key, default), default=default)
        for key, default in DEFAULTS.items()
    ]


class SetSettings(Shape):
    """Values by key."""

    settings: Annotated[dict[str, Any], Meta(max_length=100)]

    def values(self) -> dict[str, Value]:
        """The values that are to be set.

        Raises:
            BadInput: a key is unknown, or a value does not fit.
        """
        return check_settings(self.settings)


class ResetSettings(Shape):
    """The settings that are to be as usual."""

    keys: Annotated[list[Annotated[str, Meta(max_length=100)]], Meta(max_length=100)]
