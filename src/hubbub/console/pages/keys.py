"""The API keys of an app: shown only when they are asked for, and that is recorded."""

from typing import Annotated, Literal

import msgspec

from hubbub.console import page
from hubbub.console.page import DEVELOPERS, ChangeMade, PageForm, PageShown, show
from hubbub.console.visit import Visit
from hubbub.domain.keys import manage
from hubbub.records.keys.model import ApiKey, ApiKeyNotFound

KEYS = "/apps/{app}/keys"


class NewKey(PageForm):
    """The key to create."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    scope: Literal["authOnly", "fullAccess"] = "authOnly"


@page.get(KEYS, title="API keys", roles=DEVELOPERS)
async def list_keys(visit: Visit, app: str) -> PageShown:
    """List the keys of an app, without their secrets."""
    return await _list(visit, app)


@page.post(KEYS, roles=DEVELOPERS, back=KEYS)
async def create_key(visit: Visit, app: str, form: NewKey) -> PageShown:
    """Create a key, and show it."""
    key = await visit.change(
        "key.create",
        form.name,
        lambda runtime: manage.create_key(runtime, app, form.name, form.scope),
        after={"scope": form.scope},
    )
    return await _list(visit, app, shown=key)


@page.post(KEYS + "/{key}/show", roles=DEVELOPERS, back=KEYS)
async def show_key(visit: Visit, app: str, key: str) -> PageShown:
    """Show the text of a key."""
    found = await _find(visit, app, key)
    await visit.look("key.show", found.name, after={"scope": found.scope})
    return await _list(visit, app, shown=found)


@page.post(KEYS + "/{key}/delete", roles=DEVELOPERS, back=KEYS)
async def delete_key(visit: Visit, app: str, key: str) -> ChangeMade:
    """Delete a key: calls with it are refused from then on."""
    found = await _find(visit, app, key)
    await visit.change(
        "key.delete",
        found.name,
        lambda runtime: manage.delete_key(runtime, app, found.api_key, calling=""),
        before={"scope": found.scope},
    )
    return ChangeMade(f"The key {found.name} is deleted.")


async def _list(visit: Visit, app: str, shown: ApiKey | None = None) -> PageShown:
    keys = await manage.list_keys(visit.runtime, app, None, None)
    rows = [(_mark(visit, each), each) for each in keys]
    return show("keys.html", title="API keys", keys=rows, shown=shown)


def _mark(visit: Visit, key: ApiKey) -> str:
    """Return the name of a key in addresses, where the key itself must not stand."""
    return visit.runtime.sealer.hash(key.api_key)[:32]


async def _find(visit: Visit, app: str, mark: str) -> ApiKey:
    """Return the key with a mark.

    Raises:
        ApiKeyNotFound: the app does not have it.
    """
    for each in await manage.list_keys(visit.runtime, app, None, None):
        if _mark(visit, each) == mark:
            return each
    raise ApiKeyNotFound("of this page")
