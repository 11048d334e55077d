"""The shapes of API keys."""

from typing import Annotated, Literal

from msgspec import Meta

from hubbub.records.keys.model import ApiKey
from hubbub.rest.wire.shapes import Name, Shape

Scope = Literal["authOnly", "fullAccess"]


class ApiKeyShape(Shape):
    """An API key."""

    api_key: str
    name: str
    scope: str
    created_at: int
    created_by: str | None = None


def key_shape(key: ApiKey) -> ApiKeyShape:
    """`key` as the interface shows it."""
    return ApiKeyShape(
        api_key=key.api_key, name=key.name, scope=key.scope, created_at=key.created_at
    )


class CreateKey(Shape):
    """A key to be."""

    name: Name
    scope: Scope = "authOnly"


class UpdateKey(Shape):
    """What is to change of a key."""

    name: Name | None = None
    scope: Scope | None = None


class ListKeys(Shape):
    """Which keys."""

    scope: Scope | None = None
    search_key: Annotated[str, Meta(max_length=100)] = ""
