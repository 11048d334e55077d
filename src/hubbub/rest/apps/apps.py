"""`/apps`: the management calls, which need the headers `key` and `secret`."""

from hubbub.domain.apps import manage
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import MANAGEMENT
from hubbub.records.apps.model import AppAlreadyExists, AppNotFound
from hubbub.rest.apps.wire import apps as wire
from hubbub.rest.apps.wire.apps import AppShape, app_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Listing, page_answer

TAG = operation.Tag(
    "Apps",
    "The apps of an installation; each has users, groups and messages of its own.",
)


@operation.post("/apps", tag=TAG, key=MANAGEMENT, errors=(AppAlreadyExists,))
async def create_app(call: Call, body: wire.CreateApp) -> AppShape:
    """Create an app, with two API keys.

    The answer has both keys, with their scopes: `fullAccess` for your server, `authOnly` to sign
    users in. The app is empty, but for the role `default`.
    """
    app, keys = await manage.create_app(
        call.runtime, name=body.name, region=body.region, app_id=body.id, version=body.version
    )
    return app_shape(app, keys)


@operation.get("/apps", tag=TAG, key=MANAGEMENT)
async def list_apps(call: Call, query: wire.ListApps) -> Listing[AppShape]:
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
async def delete_app(call: Call, app_id: path.AppId) -> wire.DeletedApp:
    """Delete an app: it can't be used any more, and after 30 days its data are erased.

    Its API keys and auth tokens are refused from then on, on other nodes within five seconds.
    Nothing brings it back: export what you need before.
    """
    erased_at = await manage.delete_app(call.runtime, app_id)
    return wire.DeletedApp(success=True, scheduled_to_delete_at=erased_at)
