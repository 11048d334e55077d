"""`/apps`: the management calls, which need the headers `key` and `secret`."""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta, structs

from hubbub.domain.apps import manage
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import MANAGEMENT
from hubbub.records.apps.model import REGIONS, App, AppAlreadyExists, AppNotFound
from hubbub.records.keys.model import ApiKey
from hubbub.rest.apps.wire.keys import ApiKeyShape, key_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Listing, Name, PageQuery, PerPage, SearchKey, Shape, page_answer


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


TAG = operation.Tag(
    "Apps",
    "The apps of an installation; each has users, groups and messages of its own.",
)


@operation.post("/apps", tag=TAG, key=MANAGEMENT, errors=(AppAlreadyExists,))
async def create_app(call: Call, body: CreateApp) -> AppShape:
    """Create an app, with two API keys.

    The answer has both keys, with their scopes: `fullAccess` for your server, `authOnly` to sign
    users in. The app is empty, but for the role `default`.
    """
    app, keys = await manage.create_app(
        call.runtime, name=body.name, region=body.region, app_id=body.id, version=body.version
    )
    return app_shape(app, keys)


@operation.get("/apps", tag=TAG, key=MANAGEMENT)
async def list_apps(call: Call, query: ListApps) -> Listing[AppShape]:
    """List the apps, oldest first; `searchKey` finds a part of the name or the id.

    Each app has its API keys. Apps that are being deleted are not listed.
    """
    page = await manage.list_apps(call.runtime, query.search_key, query.request())
    return page_answer(page, [app_shape(app, keys) for app, keys in page.items])


@operation.get("/apps/{appId}", tag=TAG, key=MANAGEMENT, errors=(AppNotFound,))
async def get_app(call: Call, app_id: path.AppId) -> AppShape:
    """Get an app.

    The answer has its API keys. An app that is being deleted is not found.
    """
    return app_shape(*await manage.get_app(call.runtime, app_id))


@operation.delete("/apps/{appId}", tag=TAG, key=MANAGEMENT, errors=(AppNotFound,))
async def delete_app(call: Call, app_id: path.AppId) -> DeletedApp:
    """Delete an app: it can't be used any more, and after 30 days its data are erased.

    Its API keys and auth tokens are refused from then on, on other nodes within five seconds.
    Nothing brings it back: export what you need before.
    """
    erased_at = await manage.delete_app(call.runtime, app_id)
    return DeletedApp(success=True, scheduled_to_delete_at=erased_at)
