"""What an operator can ask of an installation, as functions from JSON to JSON.

A command runs in the process that has the store: the node, over its socket, or the command itself.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from hubbub.domain.access.credentials import find_app
from hubbub.domain.apps import manage as apps
from hubbub.domain.keys import manage as keys
from hubbub.kernel.errors import BadInput
from hubbub.kernel.pages import PER_PAGE_MOST, PageRequest
from hubbub.records.apps.model import App
from hubbub.records.keys.model import ApiKey
from hubbub.runtime import Runtime

Answer = dict[str, Any]
Command = Callable[[Runtime, Mapping[str, Any]], Awaitable[Answer]]
LONGEST_NAME = 100


async def create_app(runtime: Runtime, asked: Mapping[str, Any]) -> Answer:
    """Make an app: `id`, `name`, `region`."""
    app, made = await apps.create_app(
        runtime, name=_name(asked), region=asked["region"], app_id=asked.get("id")
    )
    return _app(app, made)


async def list_apps(runtime: Runtime, asked: Mapping[str, Any]) -> Answer:
    """The apps, with their keys."""
    found: list[Answer] = []
    total = 1
    while len(found) < total:
        request = PageRequest(len(found) // PER_PAGE_MOST + 1, PER_PAGE_MOST)
        page = await apps.list_apps(runtime, "", request)
        total = page.total if page.items else 0
        found += [_app(app, held) for app, held in page.items]
    return {"apps": found}


async def delete_app(runtime: Runtime, asked: Mapping[str, Any]) -> Answer:
    """Delete the app `id`."""
    erased_at = await apps.delete_app(runtime, asked["id"])
    return {"success": True, "scheduledToDeleteAt": erased_at}


async def create_key(runtime: Runtime, asked: Mapping[str, Any]) -> Answer:
    """Make a key in the app `app`: `name`, `scope`."""
    await find_app(runtime, asked["app"])
    return _key(await keys.create_key(runtime, asked["app"], _name(asked), asked["scope"]))


async def list_keys(runtime: Runtime, asked: Mapping[str, Any]) -> Answer:
    """The keys of the app `app`."""
    await find_app(runtime, asked["app"])
    found = await keys.list_keys(runtime, asked["app"], None, None)
    return {"apiKeys": [_key(key) for key in found]}


async def delete_key(runtime: Runtime, asked: Mapping[str, Any]) -> Answer:
    """Delete the key `key` of the app `app`."""
    await find_app(runtime, asked["app"])
    await keys.delete_key(runtime, asked["app"], asked["key"], calling="")
    return {"success": True}


def _name(asked: Mapping[str, Any]) -> str:
    name = str(asked["name"])
    if not 1 <= len(name) <= LONGEST_NAME or "\0" in name:
        raise BadInput(f"A name has 1 to {LONGEST_NAME} characters.")
    return name


def _app(app: App, held: list[ApiKey]) -> Answer:
    return {
        "id": app.id,
        "name": app.name,
        "region": app.region,
        "createdAt": app.created_at,
        "apiKeys": [_key(key) for key in held],
    }


def _key(key: ApiKey) -> Answer:
    return {"apiKey": key.api_key, "name": key.name, "scope": key.scope}


COMMANDS: dict[str, Command] = {
    "app create": create_app,
    "app list": list_apps,
    "app delete": delete_app,
    "key create": create_key,
    "key list": list_keys,
    "key delete": delete_key,
}
