"""Short ways to make messages grow."""

from typing import Any

from tests.world import World


async def begin(
    world: World, text: str | None = None, *, sender: str = "anna", **fields: Any
) -> Any:
    """Begin a message of a user to Ben, or to another receiver, and return it."""
    given = {"receiver": "ben", "receiverType": "user", "growing": True, **fields}
    body = given if text is None else {**given, "data": {"text": text}}
    return await world.post("/messages", body, as_=sender)


async def append(
    world: World, message: Any, text: str, sequence: int, *, sender: str = "anna", **fields: Any
) -> Any:
    """Append a text to a message."""
    body = {"text": text, "sequence": sequence, **fields}
    return await world.post(f"/messages/{message['id']}/append", body, as_=sender)


async def finish(world: World, message: Any, *, sender: str = "anna", **fields: Any) -> Any:
    """End a message and return it."""
    return await world.post(f"/messages/{message['id']}/finish", fields, as_=sender)


async def shown(world: World, message: Any, *, reader: str = "ben") -> Any:
    """Return the data of a message as a reader is shown it, without the users in it."""
    found = await world.get(f"/messages/{message['id']}", as_=reader)
    return {name: each for name, each in found["data"].items() if name != "entities"}
