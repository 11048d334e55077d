"""Rights of each scope over members: change their scope, kick them."""

import asyncio

import pytest
from tests.api.groups.clubs import (
    BANNED,
    HIKERS,
    MEMBERS,
    NO_CLEARANCE,
    NO_SCOPE_CLEARANCE,
    NO_SELF,
    NOBODY,
    NOT_A_MEMBER,
    NOT_JOINED,
    add_participants,
    create_member,
    join_group,
    make_hikers,
    owner,
    scopes,
)
from tests.api.messages.talk import to_group
from tests.clock import ManualClock
from tests.world import Json, World


@pytest.fixture
async def hikers(world: World) -> World:
    """Olga's hikers with two members of each scope, a banned user and a stranger."""
    await make_hikers(world)
    for uid, scope in (("ada", "admin"), ("max", "moderator"), ("pia", "participant")):
        await create_member(world, uid, scope)
    return world


# Changing scopes


@pytest.mark.parametrize("scope", ["admin", "moderator"])
async def test_a_scope_is_changed(hikers: World, clock: ManualClock, scope: str) -> None:
    """A change of scope keeps the membership and its time."""
    joined_at = clock.now()
    clock.advance(60)
    changed = await hikers.put(f"{MEMBERS}/Paul", {"scope": scope})

    assert changed == {"guid": "hikers", "uid": "paul", "scope": scope, "joinedAt": joined_at}
    seen = await hikers.get(HIKERS, as_="paul")
    assert (seen["scope"], seen["joinedAt"], seen["membersCount"]) == (scope, joined_at, 7)


@pytest.mark.parametrize("body", [{}, None])
async def test_without_a_scope(hikers: World, body: Json | None) -> None:
    """Without a scope, the change makes a participant."""
    assert (await hikers.put(f"{MEMBERS}/mona", body))["scope"] == "participant"
    assert (await scopes(hikers))["mona"] == "participant"


ALLOWED = [
    (None, "ada", "participant"),
    (None, "mona", "admin"),
    (None, "paul", "moderator"),
    ("olga", "ada", "moderator"),
    ("olga", "mona", "participant"),
    ("olga", "paul", "admin"),
    ("adam", "ada", "participant"),
    ("adam", "mona", "admin"),
    ("adam", "paul", "moderator"),
    ("mona", "max", "participant"),
    ("mona", "paul", "moderator"),
]


@pytest.mark.parametrize(("by", "uid", "scope"), ALLOWED)
async def test_rights_to_change_scopes(hikers: World, by: str | None, uid: str, scope: str) -> None:
    """The app and admins give any scope, moderators those below admin to those below admin."""
    before = await scopes(hikers)
    await hikers.put(f"{MEMBERS}/{uid}", {"scope": scope}, as_=by)

    assert await scopes(hikers) == {**before, uid: scope}
    assert await owner(hikers) == "olga"


FORBIDDEN = [
    ("adam", "olga", "moderator", NO_CLEARANCE),
    ("olga", "olga", "participant", NO_SELF),
    ("adam", "adam", "participant", NO_SELF),
    ("mona", "mona", "participant", NO_SELF),
    ("paul", "paul", "admin", NO_SELF),
    ("mona", "adam", "participant", NO_SCOPE_CLEARANCE),
    ("mona", "max", "admin", NO_SCOPE_CLEARANCE),
    ("mona", "paul", "admin", NO_SCOPE_CLEARANCE),
    ("paul", "pia", "moderator", NO_SCOPE_CLEARANCE),
    ("paul", "mona", "participant", NO_SCOPE_CLEARANCE),
    ("paul", "adam", "participant", NO_SCOPE_CLEARANCE),
    ("sara", "paul", "admin", NOT_JOINED),
    ("sara", "sara", "admin", NOT_JOINED),
    ("bob", "paul", "admin", BANNED),
]


@pytest.mark.parametrize(("by", "uid", "scope", "code"), FORBIDDEN)
async def test_changes_of_scope_that_are_refused(
    hikers: World, by: str, uid: str, scope: str, code: str
) -> None:
    """Nobody changes a higher scope, the owner's, or their own; nothing is changed."""
    before = await scopes(hikers)
    token = await hikers.token(by)
    body = {"scope": scope}
    await hikers.refused("PUT", f"{MEMBERS}/{uid}", body, token=token, status=403, code=code)

    assert await scopes(hikers) == before


@pytest.mark.parametrize(
    ("uid", "scope"), [("adam", "admin"), ("mona", "moderator"), ("paul", "participant")]
)
async def test_the_current_scope_is_refused(hikers: World, uid: str, scope: str) -> None:
    """Giving a member their current scope is refused, with the field named."""
    for by in (None, "olga"):
        details = await hikers.refused(
            "PUT", f"{MEMBERS}/{uid}", {"scope": scope}, as_=by, status=400, code="ERR_SAME_SCOPE"
        )
        assert list(details) == ["scope"]


@pytest.mark.parametrize("by", [None, "olga", "mona"])
@pytest.mark.parametrize("method", ["PUT", "DELETE"])
async def test_users_who_are_not_members(hikers: World, by: str | None, method: str) -> None:
    """A stranger or a banned user has no scope to change and cannot be kicked."""
    for uid, code in (("sara", NOT_A_MEMBER), ("bob", NOT_A_MEMBER), ("nobody", NOBODY)):
        await hikers.refused(method, f"{MEMBERS}/{uid}", as_=by, status=404, code=code)


async def test_a_new_scope_holds_at_once(hikers: World) -> None:
    """A new moderator may kick, and a former one may not."""
    await hikers.put(f"{MEMBERS}/paul", {"scope": "moderator"}, as_="mona")
    await hikers.put(f"{MEMBERS}/mona", {"scope": "participant"}, as_="paul")

    path = f"{MEMBERS}/pia"
    await hikers.refused("DELETE", path, as_="mona", status=403, code=NO_CLEARANCE)
    await hikers.delete(path, as_="paul")


async def test_two_admins_demote_each_other(hikers: World) -> None:
    """Of two admins who demote each other at the same time one succeeds."""
    body = {"scope": "participant"}
    answers = await asyncio.gather(
        hikers.ask("PUT", f"{MEMBERS}/ada", body, as_="adam"),
        hikers.ask("PUT", f"{MEMBERS}/adam", body, as_="ada"),
    )

    after = await scopes(hikers)
    assert sorted(answer.status for answer in answers) == [200, 403]
    assert sorted([after["ada"], after["adam"]]) == ["admin", "participant"]


# Kicking


@pytest.mark.parametrize(
    ("by", "uid"),
    [
        (None, "ada"),
        (None, "mona"),
        (None, "paul"),
        ("olga", "ada"),
        ("olga", "mona"),
        ("adam", "ada"),
        ("adam", "mona"),
        ("adam", "paul"),
        ("mona", "paul"),
    ],
)
async def test_a_member_is_kicked(hikers: World, by: str | None, uid: str) -> None:
    """The app and admins kick anybody, moderators participants; the others are not affected."""
    before = await scopes(hikers)
    done = await hikers.delete(f"{MEMBERS}/{uid.upper()}", as_=by)

    said = f"The member with {uid} has been kicked from the Group with hikers."
    assert done == {"success": True, "message": said}
    assert await scopes(hikers) == {name: before[name] for name in before if name != uid}


@pytest.mark.parametrize(
    ("by", "uid", "code"),
    [
        ("adam", "olga", NO_CLEARANCE),
        ("mona", "olga", NO_CLEARANCE),
        ("mona", "adam", NO_CLEARANCE),
        ("mona", "max", NO_CLEARANCE),
        ("paul", "adam", NO_CLEARANCE),
        ("paul", "mona", NO_CLEARANCE),
        ("paul", "pia", NO_CLEARANCE),
        ("sara", "paul", NOT_JOINED),
        ("bob", "paul", BANNED),
    ],
)
async def test_kicks_that_are_refused(hikers: World, by: str, uid: str, code: str) -> None:
    """Nobody kicks the owner; moderators kick no moderators, participants and strangers nobody."""
    before = await scopes(hikers)
    token = await hikers.token(by)
    await hikers.refused("DELETE", f"{MEMBERS}/{uid}", token=token, status=403, code=code)

    assert await scopes(hikers) == before


async def test_kicked_users_may_come_back(hikers: World) -> None:
    """A kicked user sees nothing of the group's history until they join, or are added, again."""
    await hikers.post("/messages", to_group("hikers"))
    for uid in ("paul", "mona"):
        await hikers.delete(f"{MEMBERS}/{uid}", as_="olga")
        path = f"{HIKERS}/messages"
        await hikers.refused("GET", path, as_=uid, status=403, code=NOT_JOINED)
        assert await hikers.get("/messages", as_=uid) == []
    await join_group(hikers, "paul")
    await add_participants(hikers, "hikers", "mona")

    after = await scopes(hikers)
    assert (after["paul"], after["mona"]) == ("participant", "participant")


async def test_a_member_is_kicked_once_by_concurrent_calls(hikers: World) -> None:
    """Of several concurrent kicks of a member one succeeds, and the count changes once."""
    answers = await asyncio.gather(
        *(
            hikers.ask("DELETE", f"{MEMBERS}/paul", as_=by)
            for by in (None, "olga", "adam", "mona", "paul")
        )
    )

    assert [answer.status for answer in answers].count(200) == 1
    assert "paul" not in await scopes(hikers)


async def test_a_deactivated_user_is_still_a_member(hikers: World) -> None:
    """A deactivated user is still a member, and can be given a scope and be kicked."""
    await hikers.delete("/users", {"uidsToDeactivate": ["paul", "pia"]})
    assert (await scopes(hikers))["paul"] == "participant"

    await hikers.put(f"{MEMBERS}/paul", {"scope": "moderator"}, as_="olga")
    await hikers.delete(f"{MEMBERS}/pia", as_="mona")
    await hikers.put("/users", {"uidsToActivate": ["paul"]})

    assert (await hikers.get(HIKERS, as_="paul"))["scope"] == "moderator"
    assert "pia" not in await scopes(hikers)
