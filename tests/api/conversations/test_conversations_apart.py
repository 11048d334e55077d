"""Conversations with equal wire ids never mix.

`a` with `b_user_c` and `a_user_b` with `c` are both called `a_user_b_user_c`; a group may have
this id, too.
"""

import pytest
from tests.api.messages.talk import group, import_past, past, say, stored, texts, to_group, to_user
from tests.world import Node, World

TEXT = "a_user_b_user_c"
NOT_YOURS = "ERR_CONVERSATION_NOT_ACCESSIBLE"
PAIRS = [("a", "b_user_c"), ("a_user_b", "c")]


@pytest.fixture
async def pairs_with_one_id(world: World) -> World:
    """Both pairs have written messages with different texts."""
    for one, other in PAIRS:
        await world.users(one, other)
        await say(world, one, to_user(other, f"{one} to {other}"))
        await say(world, other, to_user(one, f"{other} to {one}"))
    return world


def own_texts(one: str, other: str) -> list[str]:
    """Return the texts of a pair."""
    return [f"{one} to {other}", f"{other} to {one}"]


async def test_they_look_the_same(pairs_with_one_id: World) -> None:
    """The two conversations have the same id on the wire, as the tests below require."""
    assert {row["conversationId"] for row in await pairs_with_one_id.get("/messages")} == {TEXT}


async def test_they_are_stored_apart(node: Node, pairs_with_one_id: World) -> None:
    """They are two rows with two participants each, whose messages are counted apart."""
    rows = await stored(
        node,
        pairs_with_one_id,
        "SELECT c.left_id, c.right_id, c.counted, c.left_own, c.right_own, p.uid"
        " FROM conversations c"
        " JOIN participants p ON p.app_id = c.app_id AND p.conversation = c.number"
        " WHERE c.app_id = :app_id ORDER BY c.number, p.uid",
    )
    assert rows == [(*pair, 2, 1, 1, uid) for pair in PAIRS for uid in pair]


@pytest.mark.parametrize("pair", PAIRS)
async def test_users_see_their_own_conversation(
    pairs_with_one_id: World, pair: tuple[str, str]
) -> None:
    """In every list, users see the messages of their own conversation."""
    for viewer, other in (pair, pair[::-1]):
        for path in (
            "/messages",
            f"/messages?conversationId={TEXT}",
            f"/messages?conversationId={TEXT.upper()}",
            f"/messages?conversationId={TEXT}&affix=prepend&limit=2",
            f"/users/{other}/messages",
        ):
            assert await texts(pairs_with_one_id, path, as_=viewer) == own_texts(*pair), path


async def test_messages_of_the_other_conversation_are_not_found(pairs_with_one_id: World) -> None:
    """A message of the other conversation is not found by id."""
    for viewer, foreign in (("a", 3), ("b_user_c", 4), ("c", 1), ("a_user_b", 2)):
        await pairs_with_one_id.refused(
            "GET", f"/messages/{foreign}", as_=viewer, status=404, code="ERR_MESSAGE_ID_NOT_FOUND"
        )


async def test_pairs_across_have_no_messages(pairs_with_one_id: World) -> None:
    """A user of one pair and a user of the other have no messages."""
    for viewer, other in (("a", "c"), ("a", "a_user_b"), ("b_user_c", "c"), ("c", "b_user_c")):
        assert await texts(pairs_with_one_id, f"/users/{other}/messages", as_=viewer) == []


async def test_the_app_must_say_which(pairs_with_one_id: World) -> None:
    """Without an acting user, an id of several conversations is refused."""
    details = await pairs_with_one_id.refused(
        "GET", f"/messages?conversationId={TEXT}", status=400, code="ERR_BAD_REQUEST"
    )
    assert list(details) == ["conversationId"]
    assert await texts(pairs_with_one_id, "/users/c/messages") == own_texts(*PAIRS[1])


async def test_an_unambiguous_id(world: World) -> None:
    """As long as only one conversation has the id, the app finds it by the id."""
    await world.users("a", "b_user_c", "a_user_b", "c")
    await say(world, "a", to_user("b_user_c", "Hi"))

    assert await texts(world, f"/messages?conversationId={TEXT}") == ["Hi"]
    for stranger in ("a_user_b", "c"):
        await world.refused(
            "GET", f"/messages?conversationId={TEXT}", as_=stranger, status=404, code=NOT_YOURS
        )


async def test_a_participant_of_both(world: World) -> None:
    """A participant of a conversation and a group with the same id must say which one."""
    await world.users("group_a", "z")
    await group(world, "a_user_z", "z")
    await say(world, "z", to_user("group_a", "to one"))
    await say(world, "z", to_group("a_user_z", "to all"))
    path = "/messages?conversationId=group_a_user_z"

    assert {row["conversationId"] for row in await world.get("/messages")} == {"group_a_user_z"}
    assert await texts(world, path, as_="group_a") == ["to one"]
    await world.refused("GET", path, as_="z", status=400, code="ERR_BAD_REQUEST")
    assert await texts(world, "/groups/a_user_z/messages", as_="z") == ["to all"]
    assert await texts(world, "/users/group_a/messages", as_="z") == ["to one"]


async def test_a_group_is_no_pair(world: World) -> None:
    """A group and two users with the same id do not see each other's messages."""
    await world.users("group_a", "z", "anna")
    await group(world, "a_user_z", "anna")
    await say(world, "group_a", to_user("z", "to one"))
    await say(world, "anna", to_group("a_user_z", "to all"))
    path = "/messages?conversationId=group_a_user_z"

    assert await texts(world, path, as_="anna") == ["to all"]
    assert await texts(world, path, as_="z") == ["to one"]
    await world.refused("GET", path, status=400, code="ERR_BAD_REQUEST")


async def test_ids_that_overlap(world: World) -> None:
    """Wherever `_user_` occurs in the ids, each conversation is found by its own users."""
    people = [
        ("_user_", "_user__user_"),
        ("a_user", "user_b"),
        ("a_user_user", "b"),
        ("a", "user_user_b"),
    ]
    for one, other in people:
        for uid in {one, other}:
            await world.user(uid)
        said = await say(world, one, to_user(other, f"{one}|{other}"))
        path = f"/messages?conversationId={said['conversationId']}"
        assert await texts(world, path, as_=other) == [f"{one}|{other}"]


NOBODY_S = [
    "x_user_y",
    "_user_",
    "a_user_",
    "group_",
    "group_nowhere",
    "a",
    "c_user_a",
    "😀",
    "_" * 250,
]


@pytest.mark.parametrize("text", NOBODY_S, ids=ascii)
async def test_an_unknown_id(pairs_with_one_id: World, text: str) -> None:
    """An id without a conversation is not found."""
    for viewer in (None, "a"):
        await pairs_with_one_id.refused(
            "GET", f"/messages?conversationId={text}", as_=viewer, status=404, code=NOT_YOURS
        )


async def test_imports_keep_them_apart(world: World) -> None:
    """Imported messages go to the conversation of their two users."""
    for pair in PAIRS:
        await world.users(*pair)
    await import_past(
        world,
        m1=past("a", to_user("b_user_c", "1"), 100),
        m2=past("c", to_user("a_user_b", "2"), 50),
        m3=past("b_user_c", to_user("a", "3"), 10),
    )

    assert await texts(world, f"/messages?conversationId={TEXT}", as_="a") == ["3", "1"]
    assert await texts(world, f"/messages?conversationId={TEXT}", as_="c") == ["2"]
