"""Groups, made through the interface as users make them, and short looks at their state."""

from typing import Any, Unpack

from tests.world import CallOptions, Json, Node, World

from hubbub.outbox import lock_counters
from hubbub.storage.interface import Transaction
from hubbub.storage.queries import Query

BAD = "ERR_BAD_REQUEST"
NO_GROUP = "ERR_GUID_NOT_FOUND"
NOBODY = "ERR_UID_NOT_FOUND"
NOT_JOINED = "ERR_GROUP_NOT_JOINED"
BANNED = "ERR_BANNED_GROUPMEMBER"
NOT_A_MEMBER = "ERR_NOT_A_MEMBER"
ALREADY_JOINED = "ERR_ALREADY_JOINED"
NO_CLEARANCE = "ERR_GROUP_NO_CLEARANCE"
NO_SCOPE_CLEARANCE = "ERR_GROUP_NO_SCOPE_CLEARANCE"
NO_ADMIN = "ERR_GROUP_NO_ADMIN_SCOPE"
NO_MODERATOR = "ERR_GROUP_NO_MODERATOR_SCOPE"
NO_SELF = "ERR_GROUP_NO_SELF_ACTION"
HIKERS = "/groups/hikers"
MEMBERS = "/groups/hikers/members"
BANS = "/groups/hikers/bannedusers"


async def create_group(
    world: World, guid: str = "hikers", *, by: str | None = "olga", **fields: Any
) -> Json:
    """Create a group, by a user or by the app; public unless `type` says otherwise."""
    body = {"guid": guid, "name": guid.capitalize(), "type": "public", **fields}
    made: Json = await world.post("/groups", body, as_=by)
    return made


async def make_hikers(world: World, **fields: Any) -> None:
    """Create the hikers: owner Olga, admin Adam, moderator Mona, participant Paul; Bob is banned.

    Sara is a stranger.
    """
    await world.users("olga", "adam", "mona", "paul", "bob", "sara")
    lists = {
        "admins": ["adam"],
        "moderators": ["mona"],
        "participants": ["paul"],
        "usersToBan": ["bob"],
    }
    await create_group(world, members=lists, **fields)


async def create_member(world: World, uid: str, scope: str, guid: str = "hikers") -> None:
    """Create a user, and make them a member of that scope."""
    await world.user(uid)
    outcomes = await world.post(f"/groups/{guid}/members", {f"{scope}s": [uid]})
    assert outcomes[f"{scope}s"][uid]["success"], outcomes


async def add_participants(world: World, guid: str, *uids: str, **how: Unpack[CallOptions]) -> Json:
    """Add participants; return the outcomes by uid."""
    outcomes = await world.post(f"/groups/{guid}/members", {"participants": list(uids)}, **how)
    added: Json = outcomes["participants"]
    return added


async def join_group(world: World, uid: str, guid: str = "hikers", **body: Any) -> Json:
    """Join a group as a user; return the outcome."""
    outcomes = await world.post(f"/groups/{guid}/members", body, as_=uid)
    outcome: Json = outcomes["participants"][uid]
    return outcome


async def scopes(world: World, guid: str = "hikers") -> dict[str, str]:
    """Return the scope of each member of a group; check that their number is the group's."""
    members = await world.get(f"/groups/{guid}/members?perPage=1000")
    by_uid = {row["uid"]: row["scope"] for row in members}
    assert (await world.get(f"/groups/{guid}"))["membersCount"] == len(members) == len(by_uid)
    return by_uid


async def owner(world: World, guid: str = "hikers") -> str:
    """Return the owner of a group; check that they are an admin, unless it is the app."""
    uid: str = (await world.get(f"/groups/{guid}"))["owner"]
    assert uid == "app_system" or (await scopes(world, guid))[uid] == "admin"
    return uid


async def banned(world: World, guid: str = "hikers") -> list[str]:
    """Return the uids of a group's banned users."""
    return await world.uids(f"/groups/{guid}/bannedusers")


async def guids(world: World, path: str, **how: Unpack[CallOptions]) -> list[str]:
    """Return the guids in a list, in its order."""
    return [row["guid"] for row in await world.get(path, **how)]


async def member_actions(world: World, guid: str = "hikers") -> list[tuple[str, str, str]]:
    """Return the member actions in a group's history: action, actor, target."""
    rows = await world.get(f"/groups/{guid}/messages?category=action&limit=1000")
    told = []
    for row in rows:
        entities = row["data"]["entities"]
        by, on = (entities[name]["entity"]["uid"] for name in ("by", "on"))
        told.append((row["data"]["action"], by, on))
    return told


async def change_store(node: Node, world: World, text: str, /, **args: Any) -> None:
    """Run a statement with `:app_id` in the world's store."""
    query = Query("change", text)

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        await tx.run(query, **args)

    await node.runtime.database.write(world.app_id, within)
