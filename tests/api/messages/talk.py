"""Short ways to send messages, to read them, and to look at their rows."""

from typing import Any, Unpack

from tests.clock import START
from tests.eventlog import list_logged
from tests.world import CallOptions, Json, Node, World

from hubbub.storage.interface import Row, Snapshot
from hubbub.storage.queries import Query


def to_user(uid: str, text: str = "Hello", **fields: Any) -> Json:
    """Return a text message to a user."""
    return {"receiver": uid, "receiverType": "user", "data": {"text": text}, **fields}


def to_group(guid: str, text: str = "Hello", **fields: Any) -> Json:
    """Return a text message to a group."""
    return {"receiver": guid, "receiverType": "group", "data": {"text": text}, **fields}


async def say(world: World, sender: str, body: Json) -> Json:
    """Send `body` as `sender`; return the answer."""
    said: Json = await world.post("/messages", body, as_=sender)
    return said


async def texts(world: World, path: str, **how: Unpack[CallOptions]) -> list[str]:
    """Return the texts of a list of messages, in its order."""
    return [row["data"]["text"] for row in await world.get(path, **how)]


async def import_rows(world: World, kind: str, rows: Json, query: str = "") -> Json:
    """Import rows; return the outcomes by key."""
    outcomes: Json = await world.post(f"/data_import/{kind}{query}", {kind: rows})
    return outcomes


async def group(world: World, guid: str, *members: str, **fields: Any) -> None:
    """Create a group of existing users; it is public unless `type` says otherwise."""
    row = {"guid": guid, "name": guid.capitalize(), "type": "public", "createdAt": 1, **fields}
    made = await import_rows(world, "groups", {guid: row})
    assert made[guid]["success"], made
    joined = [await join(world, guid, uid) for uid in members]
    assert all(outcome["success"] for outcome in joined), joined


async def join(world: World, guid: str, uid: str, **fields: Any) -> Json:
    """Import one member; return the outcome of the row."""
    key = f"{guid}_member_{uid}"
    row = {"memberId": key, "guid": guid, "uid": uid, "joinedAt": START, **fields}
    outcome: Json = (await import_rows(world, "members", {key: row}))[key]
    return outcome


def past(sender: str, body: Json, sent_at: int | str, **fields: Any) -> Json:
    """Return a row of an import of messages, without its muid."""
    return {"sender": sender, "sentAt": sent_at, **body, **fields}


async def import_past(world: World, **rows: Json) -> Json:
    """Import messages by muid; return the outcomes."""
    return await import_rows(
        world, "messages", {muid: {"muid": muid, **row} for muid, row in rows.items()}
    )


async def stored(node: Node, world: World, text: str) -> list[Row]:
    """Return the rows that a statement with `:app_id` finds in the world's store."""
    query = Query("look", text)

    async def within(snapshot: Snapshot) -> list[Row]:
        return [tuple(row) for row in await snapshot.fetch(query)]

    return await node.runtime.database.read(world.app_id, within)


async def events(node: Node, world: World) -> list[Row]:
    """Return the app's log: number, id, name, at, body."""

    async def within(snapshot: Snapshot) -> list[Row]:
        return [*await list_logged(snapshot)]

    return await node.runtime.database.read(world.app_id, within)
