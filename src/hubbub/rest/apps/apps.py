"""`/apps`: the management calls, with the headers `key` and `secret`."""

from hubbub.domain.apps import manage
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import MANAGEMENT
from hubbub.kernel.pages import PageRequest
from hubbub.records.apps.model import AppAlreadyExists, AppNotFound
from hubbub.rest.apps.wire import apps as wire
from hubbub.rest.apps.wire.apps import AppShape, app_shape
from hubbub.rest.wire.shapes import Listing, listing

TAG = "Apps"


@operation.post("/apps", tag=TAG, key=MANAGEMENT, errors=(AppAlreadyExists,))
async def create_app(call: Call, body: wire.CreateApp) -> AppShape:
    """Make an app with its two built-in API keys."""
    app, keys = await manage.create_app(
        call.runtime, name=body.name, region=body.region, app_id=body.id, version=body.version
    )
    return app_shape(app, keys)


@operation.get("/apps", tag=TAG, key=MANAGEMENT)
async def list_apps(call: Call, query: wire.ListApps) -> Listing[AppShape]:
    """List the apps, oldest first; `searchKey` is looked for in names and ids."""
    request = PageRequest(query.page, query.per_page)
    page = await manage.list_apps(call.runtime, query.search_key, request)
    return listing(page, [app_shape(app, keys) for app, keys in page.items])


@operation.get("/apps/{appId}", tag=TAG, key=MANAGEMENT, errors=(AppNotFound,))
async def get_app(call: Call, app_id: str) -> AppShape:
    """Get an app."""
    return app_shape(*await manage.get_app(call.runtime, app_id))


@operation.delete("/apps/{appId}", tag=TAG, key=MANAGEMENT, errors=(AppNotFound,))
async def delete_app(call: Call, app_id: str) -> wire.DeletedApp:
    """Delete an app: nobody reaches it any more, and after 30 days it is erased."""
    erased_at = await manage.delete_app(call.runtime, app_id)
    return wire.DeletedApp(success=True, scheduled_to_delete_at=erased_at)
