"""The effects of a scope's permissions on its members in a group."""

import pytest
from tests.api.access.town import DENIED, allow, forget
from tests.api.messages.talk import group, join, say, to_group
from tests.world import CallOptions, Json, World

SCOPES = {"olga": "admin", "mona": "moderator", "paul": "participant"}


@pytest.fixture
async def club(world: World) -> World:
    """Olga owns the club, Mona moderates it, Paul takes part; they are also in another one."""
    await world.users(*SCOPES)
    for guid in ("club", "other"):
        await group(world, guid, owner="olga")
        await join(world, guid, "mona", scope="moderator")
        await join(world, guid, "paul")
    return world


async def ways_of(world: World, uid: str) -> list[CallOptions]:
    """Return both ways in which a user calls."""
    return [{"as_": uid}, {"token": await world.token(uid)}]


def scope_path(scope: str, guid: str = "club") -> str:
    """Return the path of a scope's permissions."""
    return f"/groups/{guid}/scopes/{scope}"


@pytest.mark.parametrize("uid", SCOPES)
@pytest.mark.parametrize(
    ("permission", "method", "path", "body"),
    [
        ("sendMessage", "POST", "/messages", to_group("club")),
        ("listMembers", "GET", "/groups/club/members", None),
    ],
)
async def test_what_a_scope_permission_denies(
    club: World, uid: str, permission: str, method: str, path: str, body: Json | None
) -> None:
    """A permission denies its calls to members of its scope, in its group only."""
    await allow(club, permission, "deny", scope_path(SCOPES[uid]))

    for how in await ways_of(club, uid):
        details = await club.refused(method, path, body, status=403, code=DENIED, **how)
        assert list(details) == [permission]
        other = to_group("other") if body else None
        await club.call(method, path.replace("club", "other"), other, **how)
    for free in {None, *SCOPES} - {uid}:
        await club.call(method, path, body, as_=free)
    await forget(club, permission, scope_path(SCOPES[uid]))
    await club.call(method, path, body, as_=uid)


@pytest.mark.parametrize("value", [["admin"], "admin"])
async def test_members_of_allowed_scopes_are_listed(club: World, value: list[str] | str) -> None:
    """`listMembers.allowedScopes`, a list or a word, limits lists to members of these scopes."""
    await allow(club, "listMembers.allowedScopes", value, scope_path("participant"))

    for how in await ways_of(club, "paul"):
        for query, listed in (
            ("", ["olga"]),
            ("?scopes=admin,participant", ["olga"]),
            ("?scopes=participant", []),
        ):
            assert await club.uids(f"/groups/club/members{query}", **how) == listed
            assert club.answer.meta["pagination"]["total"] == len(listed)
        assert len(await club.uids("/groups/other/members", **how)) == 3
    for free in ("mona", "olga", None):
        assert len(await club.uids("/groups/club/members", as_=free)) == 3
    await forget(club, "listMembers.allowedScopes", scope_path("participant"))
    assert len(await club.uids("/groups/club/members", as_="paul")) == 3


async def test_permissions_follow_a_change_of_scope(club: World) -> None:
    """A member with a new scope has the permissions of that scope from then on."""
    await allow(club, "sendMessage", "deny", scope_path("participant"))

    await club.put("/groups/club/members/paul", {"scope": "moderator"})
    await say(club, "paul", to_group("club"))
    await club.put("/groups/club/members/mona", {"scope": "participant"})
    await club.refused("POST", "/messages", to_group("club"), as_="mona", status=403, code=DENIED)


async def test_role_and_scope_both_bind(club: World) -> None:
    """The role still denies what the scope allows, and the other way round."""
    await allow(club, "sendMessage", "allow", "/roles/default")
    await allow(club, "sendMessage", "deny", scope_path("participant"))
    await club.refused("POST", "/messages", to_group("club"), as_="paul", status=403, code=DENIED)

    await allow(club, "sendMessage", "allow", scope_path("participant"))
    await allow(club, "sendMessage.allowedReceiverTypes", ["user"], "/roles/default")
    details = await club.refused(
        "POST", "/messages", to_group("club"), as_="paul", status=403, code=DENIED
    )
    assert list(details) == ["sendMessage.allowedReceiverTypes"]


async def test_membership_is_checked_first(club: World) -> None:
    """A caller who is not a member has no scope: the refusal says that they are not a member."""
    await club.user("sara")
    await allow(club, "sendMessage", "deny", scope_path("participant"))

    await club.refused(
        "POST", "/messages", to_group("club"), as_="sara", status=403, code="ERR_GROUP_NOT_JOINED"
    )
