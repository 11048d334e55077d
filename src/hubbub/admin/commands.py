"""What an operator can ask of an installation, as functions from JSON to JSON.

A command runs in the process that has the store: the node, over its socket, or the command itself.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from hubbub.domain.access.credentials import find_app
from hubbub.domain.apps import manage as apps
from hubbub.domain.apps.model import App
from hubbub.domain.keys import manage as keys
from hubbub.domain.keys.model import ApiKey
from hubbub.kernel.pages import PageRequest
from hubbub.runtime import Runtime

Answer = dict[str, Any]
Command = Callable[[Runtime, Mapping[str, Any]], Awaitable[Answer]]
ALL = PageRequest(1, 1000)


async def create_app(runtime: Runtime, asked: Mapping[str, Any]) -> Answer:
    """Make an app: `id`, `name`, `region`."""
    app, made = await apps.create_app(
        runtime, name=asked["name"], region=asked["region"], app_id=asked.get("id")
    )
    return _app(app, made)


async def list_apps(runtime: Runtime, asked: Mapping[str, Any]) -> Answer:
    """The apps, with their keys."""
    page = await apps.list_apps(runtime, "", ALL)
    return {"apps": [_app(app, held) for app, held in page.items]}


async def delete_app(runtime: Runtime, asked: Mapping[str, Any]) -> Answer:
    """Delete the app `id`."""
    erased_at = await apps.delete_app(runtime, asked["id"])
    return {"success": True, "scheduledToDeleteAt": erased_at}


async def create_key(runtime: Runtime, asked: Mapping[str, Any]) -> Answer:
    """Make a key in the app `app`: `name`, `scope`."""
    await find_app(runtime, asked["app"])
    return _key(await keys.create_key(runtime, asked["app"], asked["name"], asked["scope"]))


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
