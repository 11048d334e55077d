"""The shapes of API keys."""

from typing import Annotated

from msgspec import Meta

from hubbub.http.documented import documented_as
from hubbub.records.keys.model import ApiKey
from hubbub.rest.wire.enums import KeyScope
from hubbub.rest.wire.shapes import Name, SearchKey, Shape


class ApiKeyShape(Shape):
    """An API key."""

    api_key: str
    name: str
    scope: Annotated[str, documented_as(KeyScope)]
    created_at: int
    created_by: str | None = None


def key_shape(key: ApiKey) -> ApiKeyShape:
    """Return an API key on the wire."""
    return ApiKeyShape(
        api_key=key.api_key, name=key.name, scope=key.scope, created_at=key.created_at
    )


class CreateKey(Shape):
    """The API key to create."""

    name: Name
    scope: KeyScope = "authOnly"


class UpdateKey(Shape):
    """The changes to an API key; fields that are absent keep their values."""

    name: Name | None = None
    scope: KeyScope | None = None


class ListKeys(Shape):
    """The filters of a list of API keys."""

    scope: Annotated[KeyScope | None, Meta(description="Only keys of this scope.")] = None
    search_key: SearchKey = ""
