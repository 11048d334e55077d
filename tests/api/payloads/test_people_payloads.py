"""The payloads of triggers about reactions and blocks."""

import pytest
from tests.api.groups.clubs import create_group
from tests.api.messages.talk import say, to_group, to_user
from tests.api.payloads.rendered import data_of
from tests.clock import ManualClock
from tests.world import Json, Node, World

ADDED, REMOVED = "message_reaction_added", "message_reaction_removed"
AVATAR = "https://example.com/anna.png"
ANNA: Json = {
    "uid": "anna",
    "name": "Anna",
    "avatar": AVATAR,
    "status": "offline",
    "role": "default",
}


@pytest.fixture
async def talk(world: World) -> World:
    """Anna and Ben may talk, also in the group of the hikers."""
    await world.user("anna", avatar=AVATAR)
    await world.users("ben", "carla")
    await create_group(world, by="anna", members={"participants": ["ben"]})
    return world


@pytest.mark.parametrize("to", [to_user("ben"), to_group("hikers")], ids=["1:1", "group"])
async def test_reactions(node: Node, talk: World, clock: ManualClock, to: Json) -> None:
    """A reaction has exactly the promised fields when it is added, and when it is removed."""
    message = (await say(talk, "anna", to))["id"]
    reacted_at = clock.now()
    await talk.post(f"/messages/{message}/reactions/👍", as_="anna")
    [listed] = await talk.get(f"/messages/{message}/reactions")
    clock.advance(2)
    await talk.delete(f"/messages/{message}/reactions/👍", as_="anna")

    expected = {
        "reaction": {
            "id": listed["id"],
            "messageId": message,
            "reaction": "👍",
            "uid": "anna",
            "reactedAt": reacted_at,
            "reactedBy": {"uid": "anna", "name": "Anna"},
        }
    }
    assert await data_of(node, talk, ADDED) == [expected]
    assert await data_of(node, talk, REMOVED) == [expected]


async def test_reactions_to_a_deleted_message(node: Node, talk: World) -> None:
    """A reaction to a message that is deleted permanently has no payload."""
    message = (await say(talk, "anna", to_user("ben")))["id"]
    await talk.post(f"/messages/{message}/reactions/👍", as_="ben")
    await talk.delete(f"/messages/{message}", {"permanent": True}, as_="anna")

    assert await data_of(node, talk, ADDED) == []


@pytest.mark.parametrize("by", ["anna", None])
async def test_blocks(node: Node, talk: World, by: str | None) -> None:
    """A block has the blocked users, and who blocks them, also if the app made it for them."""
    path = "/users/anna/blockedusers"
    await talk.post(path, {"blockedUids": ["ben", "carla"]}, as_=by)
    await talk.delete(path, {"blockedUids": ["ben"]}, as_=by)

    ben, carla = {"uid": "ben", "name": "Ben"}, {"uid": "carla", "name": "Carla"}
    both: Json = {"users": {"ben": ben, "carla": carla}, "by": ANNA}
    assert await data_of(node, talk, "user_blocked") == [both]
    assert await data_of(node, talk, "user_unblocked") == [{"users": {"ben": ben}, "by": ANNA}]


async def test_erased_users(node: Node, talk: World) -> None:
    """A user who is deleted permanently is shown by the uid alone."""
    await talk.post("/users/anna/blockedusers", {"blockedUids": ["ben"]}, as_="anna")
    await talk.delete("/users/ben", {"permanent": True})

    assert await data_of(node, talk, "user_blocked") == [
        {"users": {"ben": {"uid": "ben", "name": "ben"}}, "by": ANNA}
    ]
