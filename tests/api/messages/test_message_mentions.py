"""Mentions in messages, and their optional details in lists."""

import pytest
from tests.api.messages.talk import group, say, texts, to_group, to_user
from tests.clock import ManualClock
from tests.world import Json, World

MENTION = "<@uid:ben> and <@uid:clara>"
LISTS = ("/messages", "/groups/hikers/messages")


@pytest.fixture
async def hike(world: World) -> World:
    """Anna has mentioned Ben and Clara to the hikers, and then everybody."""
    await world.users("anna", "clara", "dora")
    await world.user("ben", tags=["guide", "cook"])
    await group(world, "hikers", "anna", "ben", "clara")
    await say(world, "anna", to_group("hikers", MENTION))
    await say(world, "anna", to_group("hikers", "<@all> and <@uid:dora>"))
    return world


async def mentioned(world: World, path: str, uid: str | None = "anna") -> Json:
    """Return the mentions in the first message of a list, by uid."""
    found: Json = (await world.get(path, as_=uid))[0]["data"]["mentions"]
    return found


async def test_members_are_mentioned(hike: World) -> None:
    """Mentioned members are shown as users, everybody as such; other names are not mentions."""
    first, second = await hike.get("/messages", as_="anna")

    assert {uid: user["name"] for uid, user in first["data"]["mentions"].items()} == {
        "ben": "Ben",
        "clara": "Clara",
    }
    assert second["data"]["mentions"] == {"all": {"type": "all"}}


@pytest.mark.parametrize("path", LISTS)
async def test_tags_of_mentioned_users_on_request(hike: World, path: str) -> None:
    """With `mentionsWithTagInfo` mentioned users have their tags, and otherwise not."""
    for uid in ("anna", None):
        mentions = await mentioned(hike, f"{path}?mentionsWithTagInfo=true", uid)
        assert mentions["ben"]["tags"] == ["guide", "cook"]
        assert "tags" not in mentions["clara"]
        assert "tags" not in (await mentioned(hike, path, uid))["ben"]


@pytest.mark.parametrize("path", LISTS)
async def test_blocks_of_mentioned_users_on_request(
    hike: World, clock: ManualClock, path: str
) -> None:
    """With `mentionsWithBlockedInfo` they have the blocks between them and the acting user."""
    await hike.post("/users/anna/blockedusers", {"blockedUids": ["ben"]})
    await hike.post("/users/clara/blockedusers", {"blockedUids": ["anna"]})
    asked, at = f"{path}?mentionsWithBlockedInfo=1", clock.now()

    mentions = await mentioned(hike, asked)
    assert (mentions["ben"]["blockedByMe"], mentions["ben"]["blockedByMeAt"]) == (True, at)
    assert (mentions["clara"]["hasBlockedMe"], mentions["clara"]["blockedAt"]) == (True, at)
    assert "hasBlockedMe" not in mentions["ben"]
    assert "blockedByMe" not in mentions["clara"]
    for other in (await mentioned(hike, path), await mentioned(hike, asked, None)):
        assert {"blockedByMe", "hasBlockedMe"}.isdisjoint(other["ben"] | other["clara"])
    seen_by_ben = await mentioned(hike, asked, "ben")
    assert {"blockedByMe", "hasBlockedMe"}.isdisjoint(seen_by_ben["ben"] | seen_by_ben["clara"])


async def test_mentions_in_a_thread(hike: World) -> None:
    """Replies show mentions like other messages."""
    await hike.post("/users/anna/blockedusers", {"blockedUids": ["ben"]})
    await hike.post("/messages/1/thread", {"data": {"text": MENTION}}, as_="clara")

    path = "/messages/1/thread?mentionsWithTagInfo=1&mentionsWithBlockedInfo=1"
    mentions = (await mentioned(hike, path))["ben"]
    assert (mentions["tags"], mentions["blockedByMe"]) == (["guide", "cook"], True)


@pytest.mark.parametrize(
    ("uid", "query", "expected"),
    [
        ("ben", "myMentionsOnly=1", [MENTION, "<@all> and <@uid:dora>", "For <@uid:ben>"]),
        ("clara", "myMentionsOnly=1", [MENTION, "<@all> and <@uid:dora>"]),
        ("ben", "myMentionsOnly=1&receiverType=user", ["For <@uid:ben>"]),
        ("ben", "mentionedUids=clara", [MENTION]),
        ("ben", "mentionedUids=ben,clara", [MENTION, "For <@uid:ben>"]),
        ("ben", "hasReactions=1", ["Plain"]),
        ("ben", "sender=anna&hasMentions=0&receiverType=user", ["For <@uid:ben>", "Plain"]),
        ("dora", "myMentionsOnly=1", []),
    ],
)
async def test_filters_about_people(hike: World, uid: str, query: str, expected: list[str]) -> None:
    """Filters find messages that mention a user, have reactions, or are from a user."""
    await say(hike, "anna", to_user("ben", "For <@uid:ben>"))
    plain = await say(hike, "anna", to_user("ben", "Plain"))
    await hike.post(f"/messages/{plain['id']}/reactions/wave", as_="ben")

    assert await texts(hike, f"/messages?{query}", as_=uid) == expected


async def test_tags_of_messages_on_request(hike: World) -> None:
    """With `withTags` messages of a list have their tags, and otherwise not."""
    await say(hike, "anna", to_user("ben", "Hi", tags=["a"]))

    for path in ("/messages", "/users/anna/messages"):
        assert (await hike.get(f"{path}?withTags=true", as_="ben"))[-1]["tags"] == ["a"]
        assert "tags" not in (await hike.get(path, as_="ben"))[-1]
