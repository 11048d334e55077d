"""The commands by which a user is erased, and which tell how far that is."""

from collections.abc import Mapping
from typing import Any

from hubbub.domain.access.credentials import find_app
from hubbub.domain.users.delete import delete_user
from hubbub.kernel.text import normalise_id
from hubbub.records.erasure.store import count_pending
from hubbub.records.personal.store import count_rows
from hubbub.records.users.model import UidNotFound
from hubbub.runtime import Runtime

Answer = dict[str, Any]


async def request(runtime: Runtime, arguments: Mapping[str, Any]) -> Answer:
    """Delete the user `uid` of the app `app` permanently; say what there was, and what stays."""
    app, uid = arguments["app"], normalise_id(arguments["uid"], "uid")
    await find_app(runtime, app)
    counts = await runtime.database.read(app, lambda snapshot: count_rows(snapshot, uid))
    if not counts["user"]:
        raise UidNotFound(uid)
    await delete_user(runtime, app, uid, is_permanent=True)
    settings = runtime.settings
    return {
        "counts": counts,
        "at": runtime.clock.now(),
        "engine": runtime.database.engine,
        "eventsKeepSeconds": settings.events_keep,
        "webhookKeepSeconds": settings.webhook_keep,
    }


async def find_state(runtime: Runtime, arguments: Mapping[str, Any]) -> Answer:
    """Say what is left of the user `uid` whose erasure was requested `at`."""
    app, uid = arguments["app"], normalise_id(arguments["uid"], "uid")
    at = int(arguments["at"])
    pending = await runtime.database.read(app, lambda snapshot: count_pending(snapshot, at))
    counts = await runtime.database.read(app, lambda snapshot: count_rows(snapshot, uid))
    return {"pending": pending, "counts": counts}


ERASE_COMMANDS = {"erase request": request, "erase state": find_state}
