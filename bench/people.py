"""The users that the measured messages are between."""

from tests.live import LiveNode

from bench.scenarios import uids

USERS_IN_A_REQUEST = 50


async def make_people(node: LiveNode) -> str:
    """Create an app and its users; return its API key."""
    world = await node.world()
    people = uids()
    for first in range(0, len(people), USERS_IN_A_REQUEST):
        some = people[first : first + USERS_IN_A_REQUEST]
        rows = {uid: {"uid": uid, "name": uid.replace("-", " ").title()} for uid in some}
        await world.post("/data_import/users", {"users": rows})
    return world.key
