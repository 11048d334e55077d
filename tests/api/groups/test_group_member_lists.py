"""Lists of a group's members: visibility, rows, order, pages, filters."""

import pytest
from tests.api.groups.clubs import (
    BANNED,
    HIKERS,
    MEMBERS,
    NO_GROUP,
    NOT_JOINED,
    change_store,
    create_group,
    create_member,
    join_group,
    make_hikers,
)
from tests.clock import ManualClock
from tests.world import Node, World


@pytest.fixture
async def five(world: World, clock: ManualClock) -> World:
    """A group of five, of whom Ben, Chiara and Dai joined in the same second."""
    await create_group(world, by=None)
    await create_member(world, "anna", "admin")
    clock.advance(1)
    await create_member(world, "ben", "moderator")
    await create_member(world, "chiara", "participant")
    await create_member(world, "dai", "participant")
    clock.advance(1)
    await create_member(world, "eva", "admin")
    return world


def total(world: World) -> int:
    """Return the total of the latest answer."""
    count: int = world.answer.meta["pagination"]["total"]
    return count


async def test_a_row_is_the_user_as_a_member(world: World, clock: ManualClock) -> None:
    """A row has the user as looked up, with scope and time of joining."""
    olga = await world.user("olga", avatar="https://example.com/olga.png", metadata={"a": 1})
    await create_group(world)
    joined = {"scope": "admin", "joinedAt": clock.now()}

    assert await world.get(MEMBERS) == [{**olga, **joined}]
    assert await world.get(MEMBERS, as_="olga") == [{**olga, **joined}]


async def test_a_row_names_the_conversation_with_the_member(world: World) -> None:
    """Each row names the acting user's conversation with that member, but not with themselves."""
    await world.users("olga", "adam")
    await create_group(world, members={"admins": ["adam"]})
    rows = {row["uid"]: row for row in await world.get(MEMBERS, as_="olga")}

    assert rows["adam"]["conversationId"] == "adam_user_olga"
    assert "conversationId" not in rows["olga"]
    assert not [row for row in await world.get(MEMBERS) if "conversationId" in row]


async def test_private_metadata_of_members(world: World) -> None:
    """Private metadata of a member is shown to that member and to the app only."""
    await world.user("olga", metadata={"@private": {"email": "olga@example.com"}, "team": "red"})
    await world.user("adam")
    await create_group(world, members={"admins": ["adam"]})

    for uid, sees in ((None, True), ("olga", True), ("adam", False)):
        (row,) = [row for row in await world.get(MEMBERS, as_=uid) if row["uid"] == "olga"]
        assert row["metadata"]["team"] == "red"
        assert ("@private" in row["metadata"]) is sees


async def test_visibility_of_members(world: World) -> None:
    """Members of every scope and the app see them; strangers and banned users do not."""
    await make_hikers(world)
    for uid in (None, "olga", "adam", "mona", "paul"):
        seen = await world.uids(MEMBERS, as_=uid)
        assert set(seen) == {"olga", "adam", "mona", "paul"}
        assert total(world) == 4

    for uid, code in (("sara", NOT_JOINED), ("bob", BANNED)):
        token = await world.token(uid)
        await world.refused("GET", MEMBERS, token=token, status=403, code=code)


async def test_visibility_of_members_of_a_private_group(world: World) -> None:
    """For users who are not members, the members of a private group do not exist."""
    await make_hikers(world, type="private")

    assert len(await world.uids(MEMBERS, token=await world.token("paul"))) == 4
    for uid in ("sara", "bob"):
        await world.refused("GET", MEMBERS, as_=uid, status=404, code=NO_GROUP)


async def test_members_are_newest_first(five: World) -> None:
    """The member who joined last comes first."""
    assert await five.uids(MEMBERS) == ["eva", "dai", "chiara", "ben", "anna"]


async def test_members_come_in_pages(five: World) -> None:
    """Pages follow one another without overlap, and have the total."""
    pages = []
    for page in (1, 2, 3, 4):
        pages.append(await five.uids(f"{MEMBERS}?perPage=2&page={page}"))
        pagination = five.answer.meta["pagination"]

        assert (pagination["current_page"], pagination["per_page"]) == (page, 2)
        assert (pagination["total"], pagination["total_pages"]) == (5, 3)
        assert pagination["count"] == len(pages[-1])
    assert pages == [["eva", "dai"], ["chiara", "ben"], ["anna"], []]


@pytest.mark.parametrize("filter_", ["", "&scopes=admin,moderator,participant"])
async def test_members_are_followed_by_their_cursor(five: World, filter_: str) -> None:
    """Each page's cursor leads to earlier members, also within the same second."""
    seen, cursor = [], ""
    for _ in range(6):
        seen.append(await five.uids(f"{MEMBERS}?perPage=2{filter_}{cursor}"))
        if not seen[-1]:
            break
        cursor = "".join(f"&{name}={text}" for name, text in five.answer.meta["cursor"].items())

    assert seen == [["eva", "dai"], ["chiara", "ben"], ["anna"], []]
    assert total(five) == 5


async def test_a_cursor_leads_to_the_newer_members_too(five: World, clock: ManualClock) -> None:
    """With `affix=append` a cursor leads to the nearest later members."""
    path = f"{MEMBERS}?affix=append&perPage=2&updatedAt={clock.now() - 1}"

    assert await five.uids(f"{path}&id=ben") == ["dai", "chiara"]
    assert await five.uids(f"{path}&id=dai") == ["eva"]
    assert await five.uids(f"{path}&id=a") == ["chiara", "ben"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("scopes=admin", ["eva", "anna"]),
        ("scopes=moderator", ["ben"]),
        ("scopes=admin,moderator", ["eva", "ben", "anna"]),
        ("scopes=moderator&scopes=participant", ["dai", "chiara", "ben"]),
        ("scopes[]=moderator&scopes[]=participant", ["dai", "chiara", "ben"]),
        ("scopes=", ["eva", "dai", "chiara", "ben", "anna"]),
    ],
)
async def test_members_by_scope(five: World, query: str, expected: list[str]) -> None:
    """`scopes` limits the list, and its total, to members of these scopes."""
    assert await five.uids(f"{MEMBERS}?{query}") == expected
    assert total(five) == len(expected)
    assert await five.uids(f"{MEMBERS}?{query}&perPage=1&page=2") == expected[1:2]
    assert total(five) == len(expected)


async def test_members_by_status(node: Node, five: World) -> None:
    """`status` limits the list to members who are online, or who are not."""
    online = "UPDATE users SET status = 'available' WHERE app_id = :app_id AND uid = 'chiara'"
    await change_store(node, five, online)

    assert await five.uids(f"{MEMBERS}?status=available") == ["chiara"]
    assert total(five) == 1
    assert await five.uids(f"{MEMBERS}?status=offline&scopes=participant") == ["dai"]
    assert total(five) == 1


async def test_members_of_one_group_only(five: World) -> None:
    """A list has the members of its group only."""
    await create_group(
        five, "divers", by="anna", members={"moderators": ["ben"], "usersToBan": ["eva"]}
    )

    assert set(await five.uids("/groups/divers/members")) == {"anna", "ben"}
    assert total(five) == 2
    assert len(await five.uids(MEMBERS)) == total(five) == 5


async def test_a_deactivated_member_is_listed(five: World, clock: ManualClock) -> None:
    """A deactivated member is still in the list, with the time of the deactivation."""
    await five.delete("/users", {"uidsToDeactivate": ["dai"]})

    rows = await five.get(MEMBERS)
    assert [row["uid"] for row in rows if "deactivatedAt" in row] == ["dai"]
    assert len(rows) == total(five) == (await five.get(HIKERS))["membersCount"] == 5


async def test_a_deleted_member_is_not_listed(five: World) -> None:
    """A deleted user, softly or permanently, is in no list and no total."""
    await five.delete("/users/dai")
    await five.delete("/users/ben", {"permanent": True})

    assert await five.uids(MEMBERS) == ["eva", "chiara", "anna"]
    assert await five.uids(f"{MEMBERS}?scopes=participant,moderator") == ["chiara"]
    assert (await five.get(HIKERS))["membersCount"] == 3


async def test_a_returning_member_is_the_newest(five: World, clock: ManualClock) -> None:
    """A member who leaves and joins again has been a member since the second time."""
    clock.advance(60)
    await five.delete(f"{MEMBERS}/anna", as_="anna")
    await join_group(five, "anna")

    first = (await five.get(MEMBERS))[0]
    assert (first["uid"], first["scope"], first["joinedAt"]) == ("anna", "participant", clock.now())
