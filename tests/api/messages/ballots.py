"""Short ways to send polls, to vote in them, and to have done what is due of them."""

from typing import Any

from tests.api.messages.talk import events
from tests.world import Json, Node, World

from hubbub.domain.polls.due import poll_runs

QUESTION = {"question": "Where to?", "options": ["North", "South", "West"]}


def poll_to(guid: str, **data: Any) -> Json:
    """Return a poll to a group, with three options unless `data` says otherwise."""
    return {
        "receiver": guid,
        "receiverType": "group",
        "category": "interactive",
        "type": "poll",
        "data": {**QUESTION, **data},
    }


async def ask(world: World, sender: str, guid: str, **data: Any) -> str:
    """Send a poll to a group; return the id of its message."""
    sent = await world.post("/messages", poll_to(guid, **data), as_=sender)
    return str(sent["id"])


async def vote(world: World, uid: str, id_: str, *options: int) -> Json:
    """Vote for options of a poll; return the answer."""
    voted: Json = await world.post(f"/messages/{id_}/votes", {"options": options}, as_=uid)
    return voted


async def counts(world: World, id_: str, uid: str | None = None) -> list[int]:
    """Return how many have voted for each option, and at the end how many have voted at all."""
    poll = (await world.get(f"/messages/{id_}", as_=uid))["data"]["poll"]
    return [*(each["votes"] for each in poll["options"]), poll["voters"]]


async def own(world: World, id_: str, uid: str) -> list[int]:
    """Return the options for which a user has voted."""
    poll = (await world.get(f"/messages/{id_}", as_=uid))["data"]["poll"]
    return [at for at, each in enumerate(poll["options"]) if each.get("votedByMe")]


async def do_due(node: Node) -> None:
    """Do what is due of the polls of all apps."""
    runs = poll_runs(node.runtime)
    await runs.start_due()
    await runs.wait()
    await runs.close()


async def happened(node: Node, world: World) -> list[str]:
    """Return the names of the events of polls in the app's log, in their order."""
    return [row[2] for row in await events(node, world) if row[2].startswith("poll_")]
