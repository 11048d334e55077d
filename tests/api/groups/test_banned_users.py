"""Bans: ban, unban and list, under both paths."""

import asyncio

import pytest
from tests.api.groups.clubs import (
    BANNED,
    HIKERS,
    MEMBERS,
    NO_CLEARANCE,
    NO_MODERATOR,
    NO_SELF,
    NOBODY,
    NOT_JOINED,
    add_participants,
    banned,
    create_group,
    create_member,
    join_group,
    make_hikers,
    owner,
    scopes,
)
from tests.api.messages.talk import to_group
from tests.clock import ManualClock
from tests.world import World

NOT_BANNED = "ERR_NOT_A_BANNED_USER"
ALREADY = "ERR_ALREADY_BANNED"
BOTH = pytest.mark.parametrize("bans", [f"{HIKERS}/bannedusers", f"{HIKERS}/banned_members"])
BANS = f"{HIKERS}/bannedusers"


@pytest.fixture
async def hikers(world: World) -> World:
    """Olga's hikers, with two members of each scope, a banned user and a stranger."""
    await make_hikers(world)
    for uid, scope in (("ada", "admin"), ("max", "moderator"), ("pia", "participant")):
        await create_member(world, uid, scope)
    return world


# Banning


@BOTH
async def test_a_member_is_banned(hikers: World, bans: str) -> None:
    """A banned member is no longer a member, is not counted, and cannot come back."""
    done = await hikers.post(f"{bans}/Paul")

    said = "The user with uid paul has been banned from the Group with hikers."
    assert done == {"success": True, "message": said}
    assert "paul" not in await scopes(hikers)
    for method, path, body in [
        ("POST", MEMBERS, {}),
        ("GET", MEMBERS, None),
        ("GET", f"{HIKERS}/messages", None),
        ("POST", "/messages", to_group("hikers")),
        ("DELETE", f"{MEMBERS}/paul", None),
    ]:
        await hikers.refused(method, path, body, as_="paul", status=403, code=BANNED)
    assert await hikers.get("/messages", as_="paul") == []


@BOTH
async def test_a_ban_is_lifted(hikers: World, bans: str) -> None:
    """An unbanned user is not a member, but may join again, as a participant."""
    done = await hikers.delete(f"{bans}/Bob")

    said = "The user with uid bob has been unbanned from the Group with hikers."
    assert done == {"success": True, "message": said}
    assert (await hikers.get(HIKERS, as_="bob"))["hasJoined"] is False
    assert await banned(hikers) == []
    await join_group(hikers, "bob")
    assert (await scopes(hikers))["bob"] == "participant"


@BOTH
async def test_both_paths_list_the_same(hikers: World, bans: str) -> None:
    """A ban made under one path is listed under the other."""
    await hikers.post(f"{HIKERS}/banned_members/paul")
    await hikers.post(f"{HIKERS}/bannedusers/pia")

    assert set(await hikers.uids(bans)) == {"bob", "paul", "pia"}


@BOTH
async def test_a_stranger_is_banned(hikers: World, bans: str) -> None:
    """A ban of a stranger works, and changes no member count."""
    before = await scopes(hikers)
    await hikers.post(f"{bans}/sara", as_="mona")

    await hikers.refused("POST", MEMBERS, {}, as_="sara", status=403, code=BANNED)
    assert await scopes(hikers) == before


@pytest.mark.parametrize(
    ("by", "uid"),
    [
        (None, "ada"),
        (None, "paul"),
        ("olga", "ada"),
        ("olga", "mona"),
        ("adam", "ada"),
        ("adam", "mona"),
        ("adam", "paul"),
        ("adam", "sara"),
        ("mona", "paul"),
        ("mona", "sara"),
    ],
)
async def test_rights_to_ban(hikers: World, by: str | None, uid: str) -> None:
    """The app and admins ban anybody, moderators participants and strangers."""
    await hikers.post(f"{BANS}/{uid}", as_=by)

    assert set(await banned(hikers)) == {"bob", uid}
    assert uid not in await scopes(hikers)
    assert await owner(hikers) == "olga"


@BOTH
@pytest.mark.parametrize(
    ("by", "uid", "code"),
    [
        ("adam", "olga", NO_CLEARANCE),
        ("mona", "olga", NO_CLEARANCE),
        ("mona", "adam", NO_CLEARANCE),
        ("mona", "max", NO_CLEARANCE),
        ("paul", "adam", NO_CLEARANCE),
        ("paul", "pia", NO_CLEARANCE),
        ("paul", "sara", NO_CLEARANCE),
        ("olga", "olga", NO_SELF),
        ("mona", "mona", NO_SELF),
        ("paul", "paul", NO_SELF),
        ("sara", "paul", NOT_JOINED),
        ("sara", "sara", NOT_JOINED),
        ("bob", "paul", BANNED),
    ],
)
async def test_bans_that_are_refused(
    hikers: World, bans: str, by: str, uid: str, code: str
) -> None:
    """Nobody bans the owner or themselves; participants and strangers ban nobody."""
    before = await scopes(hikers)
    token = await hikers.token(by)
    await hikers.refused("POST", f"{bans}/{uid}", token=token, status=403, code=code)

    assert (await scopes(hikers), await banned(hikers)) == (before, ["bob"])


async def test_the_app_bans_the_owner(hikers: World) -> None:
    """The app may ban even the owner; the group then has another owner."""
    await hikers.post(f"{BANS}/olga")

    assert await owner(hikers) in {"ada", "adam"}
    await hikers.refused("POST", MEMBERS, {}, as_="olga", status=403, code=BANNED)


async def test_a_second_ban_is_refused(hikers: World) -> None:
    """A second ban is refused, and the first is unchanged."""
    before = await hikers.get(BANS)
    for by in (None, "olga", "mona"):
        await hikers.refused("POST", f"{BANS}/bob", as_=by, status=409, code=ALREADY)

    assert await hikers.get(BANS) == before


async def test_missing_users_cannot_be_banned(hikers: World) -> None:
    """A user who does not exist, is deactivated, or is the app itself cannot be banned."""
    await hikers.delete("/users", {"uidsToDeactivate": ["sara"]})
    for uid in ("nobody", "sara", "app_system"):
        await hikers.refused("POST", f"{BANS}/{uid}", as_="olga", status=404, code=NOBODY)

    assert await banned(hikers) == ["bob"]


async def test_a_member_is_banned_once_by_concurrent_calls(hikers: World) -> None:
    """Of several concurrent bans of a member one succeeds, and the count changes once."""
    answers = await asyncio.gather(
        *(hikers.ask("POST", f"{BANS}/paul", as_=by) for by in (None, "olga", "adam", "mona"))
    )

    assert sorted(answer.status for answer in answers) == [200, 409, 409, 409]
    assert len(await scopes(hikers)) == 6


async def test_joining_and_being_banned_at_once(hikers: World) -> None:
    """A user who is banned while joining is not a member in the end, in any order."""
    await asyncio.gather(
        hikers.ask("POST", MEMBERS, {}, as_="sara"), hikers.ask("POST", f"{BANS}/sara", as_="olga")
    )

    assert "sara" not in await scopes(hikers)
    assert "sara" in await banned(hikers)


# Unbanning


@pytest.mark.parametrize("by", [None, "olga", "adam", "mona"])
async def test_rights_to_lift_bans(hikers: World, by: str | None) -> None:
    """The app, admins and moderators lift any ban."""
    await hikers.delete(f"{BANS}/bob", as_=by)

    assert await banned(hikers) == []


@BOTH
@pytest.mark.parametrize(
    ("by", "code"), [("paul", NO_MODERATOR), ("sara", NOT_JOINED), ("bob", BANNED)]
)
async def test_unbans_that_are_refused(hikers: World, bans: str, by: str, code: str) -> None:
    """Participants, strangers and the banned user do not lift bans, nor see them."""
    token = await hikers.token(by)
    await hikers.refused("DELETE", f"{bans}/bob", token=token, status=403, code=code)
    await hikers.refused("GET", bans, token=token, status=403, code=code)

    assert await banned(hikers) == ["bob"]


async def test_unbanning_without_a_ban(hikers: World) -> None:
    """A member, a stranger, or a missing user has no ban to lift."""
    await hikers.delete(f"{BANS}/bob")
    for uid in ("paul", "sara", "bob", "nobody"):
        for by in (None, "mona"):
            path = f"{BANS}/{uid}"
            await hikers.refused("DELETE", path, as_=by, status=404, code=NOT_BANNED)

    assert "paul" in await scopes(hikers)


async def test_a_banned_user_is_added_after_unbanning_only(hikers: World) -> None:
    """Neither the app nor an admin can add a banned user before the ban is lifted."""
    for by in (None, "olga"):
        outcome = (await add_participants(hikers, "hikers", "bob", as_=by))["bob"]
        assert (outcome["success"], outcome["error"]["code"]) == (False, BANNED)
    await hikers.delete(f"{BANS}/bob")

    assert (await add_participants(hikers, "hikers", "bob"))["bob"]["success"] is True


async def test_a_ban_holds_in_its_group_only(hikers: World) -> None:
    """A user who is banned from one group may be a member of another."""
    await create_group(hikers, "divers")
    await join_group(hikers, "bob", "divers")

    assert "bob" in await scopes(hikers, "divers")


# The list


async def test_a_row_is_the_user_with_the_ban(hikers: World, clock: ManualClock) -> None:
    """A row has the user, the former scope, the time of joining, and the time of the ban."""
    joined_at = clock.now()
    clock.advance(60)
    await hikers.post(f"{BANS}/mona")
    mona, bob = await hikers.get("/users/mona"), await hikers.get("/users/bob")

    assert await hikers.get(BANS) == [
        {
            **mona,
            "scope": "moderator",
            "isBanned": True,
            "joinedAt": joined_at,
            "bannedAt": clock.now(),
        },
        {**bob, "scope": "participant", "isBanned": True, "bannedAt": joined_at},
    ]


@BOTH
@pytest.mark.parametrize("by", [None, "olga", "adam", "mona"])
async def test_rights_to_list_bans(hikers: World, bans: str, by: str | None) -> None:
    """The app, admins and moderators see the banned users."""
    assert await hikers.uids(bans, as_=by) == ["bob"]


@BOTH
async def test_the_banned_come_in_pages(hikers: World, clock: ManualClock, bans: str) -> None:
    """The newest bans come first, in pages with true totals, by number or by cursor."""
    for uid, seconds in (("paul", 1), ("pia", 0), ("max", 1), ("sara", 0)):
        clock.advance(seconds)
        await hikers.post(f"{bans}/{uid}")
    pages, followed, cursor = [], [], ""
    for page in (1, 2, 3, 4):
        pages.append(await hikers.uids(f"{bans}?perPage=2&page={page}"))
        assert hikers.answer.meta["pagination"]["total"] == 5
        followed.append(await hikers.uids(f"{bans}?perPage=2{cursor}"))
        meta = hikers.answer.meta.get("cursor", {})
        cursor = "".join(f"&{name}={text}" for name, text in meta.items())

    assert pages == followed == [["sara", "max"], ["pia", "paul"], ["bob"], []]


async def test_a_cursor_leads_to_the_newer_bans_too(hikers: World, clock: ManualClock) -> None:
    """With `affix=append` a cursor leads to the nearest later bans."""
    at = clock.now()
    clock.advance(1)
    for uid in ("paul", "pia", "sara"):
        await hikers.post(f"{BANS}/{uid}")

    path = f"{BANS}?affix=append&perPage=2&updatedAt={at}"
    assert await hikers.uids(f"{path}&id=a") == ["paul", "bob"]
    assert await hikers.uids(f"{path}&id=bob") == ["pia", "paul"]


async def test_deleted_users_are_not_banned(hikers: World) -> None:
    """A deleted user is in no list and no total of bans; a new user with the uid is not banned."""
    await hikers.post(f"{BANS}/sara")
    await hikers.delete("/users/bob", {"permanent": True})
    await hikers.delete("/users/sara")
    assert await banned(hikers) == []
    assert hikers.answer.meta["pagination"]["total"] == 0

    await hikers.user("bob")
    await join_group(hikers, "bob")
    assert "bob" in await scopes(hikers)
