"""Users in relation to the acting user: their conversation, and blocks in both directions."""

import pytest
from tests.clock import ManualClock
from tests.world import Json, World

RELATION = ("conversationId", "blockedByMe", "blockedByMeAt", "hasBlockedMe", "blockedAt")


async def block(world: World, uid: str, other: str) -> None:
    """Block a user on behalf of another."""
    await world.post(f"/users/{uid}/blockedusers", {"blockedUids": [other]})


def relation(user: Json) -> Json:
    """Return the fields of a user that describe the relation to the viewer."""
    return {name: user[name] for name in RELATION if name in user}


async def seen(world: World, uid: str, viewer: str | None) -> Json:
    """Return a user's relation to the viewer: check that list, look-up and token agree."""
    found = relation(await world.get(f"/users/{uid}", as_=viewer))
    rows = await world.get("/users", as_=viewer)
    assert [relation(row) for row in rows if row["uid"] == uid] == [found]
    if viewer is not None:
        token = await world.token(viewer)
        assert relation(await world.get(f"/users/{uid}", token=token)) == found
        rows = await world.get("/users", token=token)
        assert [relation(row) for row in rows if row["uid"] == uid] == [found]
    return found


async def test_users_have_a_conversation_with_the_viewer(world: World) -> None:
    """Each other user has the id of the conversation with the viewer."""
    await world.users("anna", "ben", "chiara")

    assert await seen(world, "ben", "anna") == {"conversationId": "anna_user_ben"}
    assert await seen(world, "anna", "ben") == {"conversationId": "anna_user_ben"}
    assert await seen(world, "ben", "chiara") == {"conversationId": "ben_user_chiara"}


async def test_the_conversation_is_the_one_of_messages(world: World) -> None:
    """The id is that of messages between the two, whichever uid comes first."""
    await world.users("a_user_b", "a", "b_user_a")
    for uid, other in (("a", "a_user_b"), ("b_user_a", "a")):
        body = {"receiver": other, "receiverType": "user", "data": {"text": "Hello"}}
        message = await world.post("/messages", body, as_=uid)
        assert (await seen(world, other, uid))["conversationId"] == message["conversationId"]


async def test_no_relation_to_oneself(world: World) -> None:
    """The viewer's own row has no such fields."""
    await world.users("anna", "ben")
    await block(world, "anna", "ben")
    await block(world, "ben", "anna")

    assert await seen(world, "anna", "anna") == {}


async def test_no_relation_to_the_app(world: World) -> None:
    """Without an acting user, users have no such fields."""
    await world.users("anna", "ben")
    await block(world, "anna", "ben")

    assert await seen(world, "anna", None) == {}
    assert await seen(world, "ben", None) == {}


async def test_blocks_show_from_both_sides(world: World, clock: ManualClock) -> None:
    """Both sides of a block see it, each its own direction; a third user sees neither."""
    await world.users("anna", "ben", "chiara")
    at = clock.now()
    await block(world, "anna", "ben")
    own = {"conversationId": "anna_user_ben"}
    by_me = {"blockedByMe": True, "blockedByMeAt": at}
    of_me = {"hasBlockedMe": True, "blockedAt": at}

    assert await seen(world, "ben", "anna") == {**own, **by_me}
    assert await seen(world, "anna", "ben") == {**own, **of_me}
    assert await seen(world, "ben", "chiara") == {"conversationId": "ben_user_chiara"}
    assert await seen(world, "anna", "chiara") == {"conversationId": "anna_user_chiara"}


async def test_two_who_blocked_each_other(world: World, clock: ManualClock) -> None:
    """Each block has its own time, and ends when it is lifted."""
    await world.users("anna", "ben")
    at = clock.now()
    await block(world, "anna", "ben")
    clock.advance(60)
    await block(world, "ben", "anna")
    of_me = {"conversationId": "anna_user_ben", "hasBlockedMe": True, "blockedAt": at + 60}

    assert await seen(world, "ben", "anna") == {**of_me, "blockedByMe": True, "blockedByMeAt": at}
    await world.delete("/users/anna/blockedusers", {"blockedUids": ["ben"]})
    assert await seen(world, "ben", "anna") == of_me


async def test_every_row_of_a_page_has_its_own_relation(world: World, clock: ManualClock) -> None:
    """Each row of a list has that user's relation to the viewer."""
    await world.users("anna", "ben", "chiara", "dai")
    at = clock.now()
    await block(world, "chiara", "anna")
    await block(world, "anna", "dai")
    await block(world, "ben", "dai")

    rows = {row["uid"]: relation(row) for row in await world.get("/users", as_="anna")}
    assert rows == {
        "anna": {},
        "ben": {"conversationId": "anna_user_ben"},
        "chiara": {"conversationId": "anna_user_chiara", "hasBlockedMe": True, "blockedAt": at},
        "dai": {"conversationId": "anna_user_dai", "blockedByMe": True, "blockedByMeAt": at},
    }


@pytest.mark.parametrize("method", ["POST", "PUT"])
async def test_answers_to_changes_have_no_relation(world: World, method: str) -> None:
    """The answers to creating and changing a user have no such fields."""
    await world.user("anna")
    body = {"uid": "ben", "name": "Ben"}

    path = "/users" if method == "POST" else "/users/anna"
    assert relation(await world.call(method, path, body)) == {}
