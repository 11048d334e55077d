"""The shapes of apps."""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta, structs

from hubbub.records.apps.model import REGIONS, App
from hubbub.records.keys.model import ApiKey
from hubbub.rest.apps.wire.keys import ApiKeyShape, key_shape
from hubbub.rest.wire.shapes import Name, PageQuery, PerPage, SearchKey, Shape


class Region(Shape):
    """The region of an app."""

    id: str
    name: str
    description: str


class AppShape(Shape):
    """An app with its API keys."""

    id: str
    name: str
    plan: str
    state: str
    owner: str
    region: str
    version: str
    created_at: int
    app_region: Region
    api_keys: dict[str, ApiKeyShape]


def app_shape(app: App, keys: Sequence[ApiKey]) -> AppShape:
    """Return an app on the wire."""
    name, description = REGIONS[app.region]
    return AppShape(
        id=app.id,
        name=app.name,
        plan="self-hosted",
        state="active",
        owner=app.owner,
        region=app.region,
        version=app.version,
        created_at=app.created_at,
        app_region=Region(id=app.region, name=name, description=description),
        api_keys={
            key.api_key: structs.replace(key_shape(key), created_by=key.created_by) for key in keys
        },
    )


class CreateApp(Shape):
    """The app to create; without an `id`, one is generated."""

    name: Name
    id: Annotated[str, Meta(max_length=63)] | None = None
    region: Literal["us", "eu", "in"] = "us"
    version: Annotated[str, Meta(max_length=20)] = "3"
    skip_sample_data: bool = False


class ListApps(PageQuery):
    """The page and the filter of a list of apps."""

    per_page: PerPage = 25
    search_key: SearchKey = ""


class DeletedApp(Shape):
    """The time at which the data of a deleted app will be erased."""

    success: bool
    scheduled_to_delete_at: int
