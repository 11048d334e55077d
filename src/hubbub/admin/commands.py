"""The admin commands of an installation, as functions from JSON to JSON.

A command runs in the process that has locked the data folder: in the node, which gets it over its
socket, or else in the process of the command line.
"""

import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from typing import Any

from hubbub.domain.access.credentials import find_app
from hubbub.domain.apps import credentials
from hubbub.domain.apps import manage as apps
from hubbub.domain.apps import repair_times as apps_repair
from hubbub.domain.keys import manage as keys
from hubbub.domain.secrets import rotate as rotation
from hubbub.kernel.errors import BadInput
from hubbub.kernel.pages import PER_PAGE_MOST, PageRequest
from hubbub.records.apps.model import App
from hubbub.records.keys.model import ApiKey
from hubbub.records.secrets.store import NAMED
from hubbub.records.totals import store as totals
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

CommandAnswer = dict[str, Any]
Command = Callable[[Runtime, Mapping[str, Any]], Awaitable[CommandAnswer]]
LONGEST_NAME = 100


async def create_app(runtime: Runtime, arguments: Mapping[str, Any]) -> CommandAnswer:
    """Create an app: `id`, `name`, `region`."""
    app, app_keys = await apps.create_app(
        runtime, name=_name(arguments), region=arguments["region"], app_id=arguments.get("id")
    )
    return _app(app, app_keys)


async def list_apps(runtime: Runtime, arguments: Mapping[str, Any]) -> CommandAnswer:
    """List the apps with their keys."""
    found: list[CommandAnswer] = []
    total = 1
    while len(found) < total:
        request = PageRequest(len(found) // PER_PAGE_MOST + 1, PER_PAGE_MOST)
        page = await apps.list_apps(runtime, "", request)
        total = page.total if page.items else 0
        found += [_app(app, app_keys) for app, app_keys in page.items]
    return {"apps": found}


async def delete_app(runtime: Runtime, arguments: Mapping[str, Any]) -> CommandAnswer:
    """Delete the app `id`."""
    erased_at = await apps.delete_app(runtime, arguments["id"])
    return {"success": True, "scheduledToDeleteAt": erased_at}


async def create_key(runtime: Runtime, arguments: Mapping[str, Any]) -> CommandAnswer:
    """Create a key in the app `app`: `name`, `scope`."""
    await find_app(runtime, arguments["app"])
    return _key(
        await keys.create_key(runtime, arguments["app"], _name(arguments), arguments["scope"])
    )


async def list_keys(runtime: Runtime, arguments: Mapping[str, Any]) -> CommandAnswer:
    """List the keys of the app `app`."""
    await find_app(runtime, arguments["app"])
    found = await keys.list_keys(runtime, arguments["app"], None, None)
    return {"apiKeys": [_key(key) for key in found]}


async def delete_key(runtime: Runtime, arguments: Mapping[str, Any]) -> CommandAnswer:
    """Delete the key `key` of the app `app`."""
    await find_app(runtime, arguments["app"])
    await keys.delete_key(runtime, arguments["app"], arguments["key"], calling="")
    return {"success": True}


async def list_all_apps(runtime: Runtime, arguments: Mapping[str, Any]) -> CommandAnswer:
    """List the ids of all apps, deleted ones included."""
    found = await runtime.database.read(INSTALLATION, totals.list_apps)
    return {"ids": [app.id for app in found]}


async def repair_times(runtime: Runtime, arguments: Mapping[str, Any]) -> CommandAnswer:
    """Correct times of the app `app` that lie ahead of the clock."""
    return {"rows": await apps_repair.repair_times(runtime, arguments["app"])}


async def create_credentials(runtime: Runtime, arguments: Mapping[str, Any]) -> CommandAnswer:
    """Create a further pair of management credentials."""
    number, made = await credentials.create_credentials(runtime)
    return {"number": number, "key": made.key, "secret": made.secret}


async def list_credentials(runtime: Runtime, arguments: Mapping[str, Any]) -> CommandAnswer:
    """List the pairs of management credentials; keys and secrets are not known."""
    found = await credentials.list_credentials(runtime)
    return {"credentials": [{"number": number, "createdAt": at} for number, at in found]}


async def revoke_credentials(runtime: Runtime, arguments: Mapping[str, Any]) -> CommandAnswer:
    """Revoke the pair of management credentials with the number `number`."""
    await credentials.revoke_credentials(runtime, arguments["number"])
    return {"success": True}


async def begin_rotation(runtime: Runtime, arguments: Mapping[str, Any]) -> CommandAnswer:
    """Have nodes seal with the new master key; answer what is sealed, and whether that is new."""
    is_begun = await rotation.begin_rotation(runtime)
    return {"isBegun": is_begun, "columns": list(NAMED)}


async def count_waiting_nodes(runtime: Runtime, arguments: Mapping[str, Any]) -> CommandAnswer:
    """Count the nodes that don't seal with the new master key yet."""
    return {"nodes": await rotation.count_waiting(runtime)}


async def reseal(runtime: Runtime, arguments: Mapping[str, Any]) -> CommandAnswer:
    """Seal some values of the app `app` anew: those of `column` after the row `after`."""
    column = NAMED[arguments["column"]]
    chunk = await rotation.reseal_chunk(runtime, arguments["app"], column, arguments["after"])
    return asdict(chunk)


async def check_sealed(runtime: Runtime, arguments: Mapping[str, Any]) -> CommandAnswer:
    """Look at some values, as `reseal` does, and change nothing."""
    column = NAMED[arguments["column"]]
    chunk = await rotation.check_chunk(runtime, arguments["app"], column, arguments["after"])
    return asdict(chunk)


async def end_rotation(runtime: Runtime, arguments: Mapping[str, Any]) -> CommandAnswer:
    """Make the new master key that of the store."""
    await rotation.end_rotation(runtime)
    return {"success": True}


async def refuse_writes(runtime: Runtime, arguments: Mapping[str, Any]) -> CommandAnswer:
    """Refuse writes for `seconds`, until the process ends if that is null."""
    seconds = arguments["seconds"]
    runtime.gate.close_for(math.inf if seconds is None else float(seconds))
    return {"success": True}


def _name(arguments: Mapping[str, Any]) -> str:
    name = str(arguments["name"])
    if not 1 <= len(name) <= LONGEST_NAME or "\0" in name:
        raise BadInput(f"The name must be 1 to {LONGEST_NAME} characters, without NUL.")
    return name


def _app(app: App, app_keys: list[ApiKey]) -> CommandAnswer:
    return {
        "id": app.id,
        "name": app.name,
        "region": app.region,
        "createdAt": app.created_at,
        "apiKeys": [_key(key) for key in app_keys],
    }


def _key(key: ApiKey) -> CommandAnswer:
    return {"apiKey": key.api_key, "name": key.name, "scope": key.scope}


COMMANDS: dict[str, Command] = {
    "app create": create_app,
    "app list": list_apps,
    "app delete": delete_app,
    "credentials new": create_credentials,
    "credentials list": list_credentials,
    "credentials revoke": revoke_credentials,
    "secrets begin": begin_rotation,
    "secrets waiting": count_waiting_nodes,
    "secrets reseal": reseal,
    "secrets check": check_sealed,
    "secrets end": end_rotation,
    "copy refuse writes": refuse_writes,
    "repair list": list_all_apps,
    "repair times": repair_times,
    "key create": create_key,
    "key list": list_keys,
    "key delete": delete_key,
}
