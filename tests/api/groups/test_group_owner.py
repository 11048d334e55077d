"""Owners of groups: transferred on request, or to the next in line when the owner goes."""

import asyncio
import random
from collections.abc import Awaitable, Callable

import pytest
from tests.api.groups.clubs import (
    BANNED,
    BANS,
    HIKERS,
    MEMBERS,
    NO_CLEARANCE,
    NO_MODERATOR,
    NOBODY,
    NOT_A_MEMBER,
    banned,
    create_group,
    create_member,
    make_hikers,
    member_actions,
    owner,
    scopes,
)
from tests.api.messages.talk import events, say, to_group
from tests.clock import ManualClock
from tests.world import Json, Node, World


@pytest.fixture
async def hikers(world: World) -> World:
    """Olga's hikers, with a member of each scope, a banned user and a stranger."""
    await make_hikers(world)
    return world


# On request


@pytest.mark.parametrize("uid", ["adam", "mona", "paul"])
async def test_the_owner_transfers_a_group(hikers: World, uid: str) -> None:
    """With their own token the owner makes another member the owner, and remains an admin."""
    token = await hikers.token("olga")
    changed = await hikers.put(HIKERS, {"owner": uid.upper()}, token=token)

    assert (changed["owner"], changed["scope"]) == (uid, "admin")
    assert await owner(hikers) == uid
    assert (await scopes(hikers))["olga"] == "admin"
    await hikers.refused(
        "PUT", HIKERS, {"owner": "olga"}, token=token, status=403, code=NO_CLEARANCE
    )


@pytest.mark.parametrize("by", ["olga", "adam", "mona"])
async def test_on_behalf_of_a_user_the_owner_is_ignored(hikers: World, by: str) -> None:
    """With `onBehalfOf` nobody becomes the owner, and the rest of the change is done."""
    changed = await hikers.put(HIKERS, {"owner": "paul", "name": "Walkers"}, as_=by)
    await hikers.put(HIKERS, {"owner": "nobody"}, as_=by)

    assert (changed["owner"], changed["name"]) == ("olga", "Walkers")
    assert (await scopes(hikers))["paul"] == "participant"


@pytest.mark.parametrize(
    ("by", "code"), [("adam", NO_CLEARANCE), ("mona", NO_CLEARANCE), ("paul", NO_MODERATOR)]
)
async def test_only_the_owner_transfers_a_group(hikers: World, by: str, code: str) -> None:
    """Other users cannot transfer a group, not even to themselves; nothing is changed."""
    token = await hikers.token(by)
    for uid in (by, "adam"):
        body = {"owner": uid, "name": "Ours"}
        await hikers.refused("PUT", HIKERS, body, token=token, status=403, code=code)

    group = await hikers.get(HIKERS)
    assert (group["owner"], group["name"]) == ("olga", "Hikers")


@pytest.mark.parametrize(
    ("uid", "code"),
    [
        ("sara", NOT_A_MEMBER),
        ("bob", NOT_A_MEMBER),
        ("app_system", NOT_A_MEMBER),
        ("nobody", NOBODY),
    ],
)
async def test_the_owner_makes_only_members_owners(hikers: World, uid: str, code: str) -> None:
    """An owner cannot transfer a group to strangers or missing users; nothing is changed."""
    token = await hikers.token("olga")
    body = {"owner": uid, "name": "Yours"}
    await hikers.refused("PUT", HIKERS, body, token=token, status=404, code=code)

    group = await hikers.get(HIKERS)
    assert (group["owner"], group["name"]) == ("olga", "Hikers")


async def test_the_owner_stays_the_owner(node: Node, hikers: World) -> None:
    """Naming the current owner changes nothing, and is not announced."""
    token = await hikers.token("olga")
    before = await events(node, hikers)
    for bearer in (token, None):
        assert (await hikers.put(HIKERS, {"owner": "olga"}, token=bearer))["owner"] == "olga"

    assert await events(node, hikers) == before


@pytest.mark.parametrize("uid", ["adam", "paul", "sara"])
async def test_the_app_gives_a_group_to_anybody(hikers: World, uid: str) -> None:
    """The app can make any user the owner; a user who was no member becomes one, as an admin."""
    before = await scopes(hikers)
    await hikers.put(HIKERS, {"owner": uid})

    assert await owner(hikers) == uid
    assert await scopes(hikers) == {**before, uid: "admin"}


async def test_the_app_takes_a_group_back(hikers: World) -> None:
    """The app may own a group itself; all members remain."""
    before = await scopes(hikers)
    await hikers.put(HIKERS, {"owner": "app_system"})

    assert await owner(hikers) == "app_system"
    assert await scopes(hikers) == before


@pytest.mark.parametrize(
    ("uid", "status", "code"),
    [("bob", 403, BANNED), ("nobody", 404, NOBODY), ("gone", 404, NOBODY)],
)
async def test_users_who_cannot_become_the_owner(
    hikers: World, uid: str, status: int, code: str
) -> None:
    """A banned, deactivated or missing user cannot become the owner; nothing is changed."""
    await hikers.user("gone")
    await hikers.delete("/users", {"uidsToDeactivate": ["gone"]})
    body = {"owner": uid, "name": "Yours"}
    await hikers.refused("PUT", HIKERS, body, status=status, code=code)

    group = await hikers.get(HIKERS)
    assert (group["owner"], group["name"], group["membersCount"]) == ("olga", "Hikers", 4)


async def test_concurrent_transfers(hikers: World) -> None:
    """Of several concurrent transfers the last one counts, and there is one owner."""
    answers = await asyncio.gather(
        *(hikers.ask("PUT", HIKERS, {"owner": uid}) for uid in ("adam", "mona", "paul", "sara"))
    )

    assert [answer.status for answer in answers] == [200] * 4
    assert await owner(hikers) in {"adam", "mona", "paul", "sara"}
    assert len(await scopes(hikers)) == 5


# The next in line


async def leaves(world: World, uid: str) -> None:
    """Leave the group, as the owner."""
    await world.delete(f"{MEMBERS}/{uid}", as_=uid)


async def is_kicked(world: World, uid: str) -> None:
    """Remove the owner, as the app."""
    await world.delete(f"{MEMBERS}/{uid}")


async def is_banned(world: World, uid: str) -> None:
    """Ban the owner, as the app."""
    await world.post(f"{BANS}/{uid}")


async def is_demoted(world: World, uid: str) -> None:
    """Give the owner a lower scope, as the app."""
    await world.put(f"{MEMBERS}/{uid}", {"scope": "participant"})


async def is_deleted(world: World, uid: str) -> None:
    """Delete the owner softly."""
    await world.delete(f"/users/{uid}")


async def is_erased(world: World, uid: str) -> None:
    """Delete the owner permanently."""
    await world.delete(f"/users/{uid}", {"permanent": True})


Going = Callable[[World, str], Awaitable[None]]
WAYS = pytest.mark.parametrize(
    "goes", [leaves, is_kicked, is_banned, is_demoted, is_deleted, is_erased]
)


@WAYS
@pytest.mark.parametrize(
    ("line", "heir"),
    [
        (["participant paul", "moderator mona", "admin zoe", "admin ada"], "zoe"),
        (["participant paul", "admin ada", "moderator mona"], "ada"),
        (["participant paul", "moderator zoe", "moderator ada"], "zoe"),
        (["participant paul", "participant ada"], "paul"),
        ([], "app_system"),
    ],
)
async def test_the_next_in_line(
    world: World, clock: ManualClock, goes: Going, line: list[str], heir: str
) -> None:
    """The longest-standing admin follows, else moderator, else participant, else the app."""
    await world.user("olga")
    await create_group(world)
    for each in line:
        clock.advance(1)
        scope, uid = each.split()
        await create_member(world, uid, scope)

    await goes(world, "olga")

    assert await owner(world) == heir
    stays = {"olga"} if goes is is_demoted else set()
    assert (await scopes(world)).keys() == {each.split()[1] for each in line} | stays


@WAYS
async def test_each_group_has_its_own_next_in_line(hikers: World, goes: Going) -> None:
    """An owner who leaves one group still owns another; a deleted owner owns none."""
    await create_group(hikers, "divers", members={"moderators": ["mona"], "participants": ["paul"]})
    await goes(hikers, "olga")

    is_gone = goes in (is_deleted, is_erased)
    assert await owner(hikers) == "adam"
    assert await owner(hikers, "divers") == ("mona" if is_gone else "olga")


async def test_a_group_is_inherited_again_and_again(hikers: World) -> None:
    """A group passes from owner to owner as each leaves, until only the app is left."""
    owners = []
    for _ in range(4):
        uid = await owner(hikers)
        owners.append(uid)
        await leaves(hikers, uid)

    assert owners == ["olga", "adam", "mona", "paul"]
    assert await owner(hikers) == "app_system"
    assert (await hikers.get(HIKERS))["membersCount"] == 0


async def test_a_returning_owner_owns_nothing(hikers: World) -> None:
    """A former owner who joins again is a participant."""
    await leaves(hikers, "olga")
    await hikers.post(MEMBERS, {}, as_="olga")

    assert await owner(hikers) == "adam"
    assert (await scopes(hikers))["olga"] == "participant"


async def test_of_one_second_the_first_follows(world: World) -> None:
    """Of members who joined in the same second, the first one is the longest-standing."""
    await world.user("olga")
    await create_group(world)
    for uid in ("zoe", "ada"):
        await create_member(world, uid, "moderator")

    await leaves(world, "olga")

    assert await owner(world) == "zoe"


async def test_deactivated_members_inherit_last(world: World) -> None:
    """A deactivated member inherits only if nobody else is left, whatever the scopes."""
    await world.user("olga")
    await create_group(world)
    await create_member(world, "ada", "admin")
    await create_member(world, "paul", "participant")
    await world.delete("/users", {"uidsToDeactivate": ["ada"]})

    await leaves(world, "olga")
    assert await owner(world) == "paul"
    await leaves(world, "paul")
    assert (await world.get(HIKERS))["owner"] == "ada"


async def test_a_new_owner_is_shown_as_an_admin(
    node: Node, hikers: World, clock: ManualClock
) -> None:
    """History, log and group show that a new owner is an admin from now on."""
    clock.advance(100)
    await hikers.put(HIKERS, {"owner": "paul"}, token=await hikers.token("olga"))

    assert (await member_actions(hikers))[-1] == ("scopeChanged", "olga", "paul")
    names = [name for _, _, name, _, _ in (await events(node, hikers))]
    assert names[-2:] == ["group_member_scope_changed", "group_owner_transferred"]
    group = await hikers.get(HIKERS)
    assert (group["updatedAt"], group["updatedBy"]) == (clock.now(), "olga")


async def test_a_deactivated_owner_remains_the_owner(hikers: World) -> None:
    """A deactivated owner still owns the group."""
    await hikers.delete("/users", {"uidsToDeactivate": ["olga"]})

    assert await owner(hikers) == "olga"


async def test_a_transfer_is_an_event(node: Node, hikers: World) -> None:
    """The log has one event of a new owner, with the old one and the actor."""
    before = len(await events(node, hikers))
    await hikers.put(HIKERS, {"owner": "paul"}, token=await hikers.token("olga"))
    await leaves(hikers, "paul")

    logged = [row[2:] for row in (await events(node, hikers))[before:]]
    names = [name for name, _, _ in logged]
    assert names.count("group_owner_transferred") == 2
    first, second = (body for name, _, body in logged if name == "group_owner_transferred")
    for body, facts in (
        (first, '"owner":"paul","old_owner":"olga","by":"olga"'),
        (second, '"owner":"olga","old_owner":"paul","by":"paul"'),
    ):
        assert facts in body


# Invariants


UIDS = ("anna", "ben", "chiara", "dai", "eva")


async def change_something(world: World, chance: random.Random) -> None:
    """Make a change of the hikers or their members that may be refused."""
    uid, by = chance.choice(UIDS), chance.choice([None, None, *UIDS])
    scope = chance.choice(["admin", "moderator", "participant"])
    changes: list[tuple[str, str, Json | None]] = [
        ("POST", MEMBERS, {}),
        ("POST", MEMBERS, {f"{scope}s": [uid]}),
        ("PUT", f"{MEMBERS}/{uid}", {"scope": scope}),
        ("DELETE", f"{MEMBERS}/{uid}", None),
        ("POST", f"{BANS}/{uid}", None),
        ("DELETE", f"{BANS}/{uid}", None),
        ("PUT", HIKERS, {"owner": uid}),
    ]
    await world.ask(*chance.choice(changes), as_=by)


@pytest.mark.parametrize("seed", range(5))
async def test_there_is_always_an_owner(world: World, clock: ManualClock, seed: int) -> None:
    """After any changes, a group is owned by one of its admins, or by the app."""
    chance = random.Random(seed)
    await world.users(*UIDS)
    await create_group(world, by="anna")
    for _ in range(60):
        clock.advance(chance.randint(0, 1))
        await change_something(world, chance)

        await owner(world)
        assert not set(await scopes(world)) & set(await banned(world))


@pytest.mark.parametrize("seed", range(5))
async def test_there_is_an_owner_after_a_rush(world: World, seed: int) -> None:
    """After many concurrent changes there is one owner, and no member is banned."""
    chance = random.Random(seed)
    await world.users(*UIDS)
    await create_group(world, by="anna", members={"admins": ["ben"], "participants": ["chiara"]})
    for _ in range(3):
        await asyncio.gather(*(change_something(world, chance) for _ in range(20)))

        await owner(world)
        assert not set(await scopes(world)) & set(await banned(world))


async def test_each_group_of_a_deleted_owner_has_its_own_heir(node: Node, world: World) -> None:
    """Each group of a deleted owner passes to one of its own members; an empty one to the app."""
    await world.users("olga", "adam", "mona", "paul", "zoe")
    await create_group(
        world, "a", by="olga", members={"participants": ["paul"], "admins": ["adam"]}
    )
    await create_group(
        world, "b", by="olga", members={"participants": ["paul"], "moderators": ["mona"]}
    )
    await create_group(world, "c", by="olga", members={"participants": ["zoe"]})
    await create_group(world, "d", by="olga")
    await create_group(world, "e", by="adam", members={"admins": ["olga"]})
    await world.delete("/users", {"uidsToDeactivate": ["zoe"]})
    before = await events(node, world)
    await world.delete("/users/olga")

    heirs = {"a": "adam", "b": "mona", "c": "zoe", "d": "app_system", "e": "adam"}
    assert {guid: await owner(world, guid) for guid in heirs} == heirs
    assert await scopes(world, "b") == {"mona": "admin", "paul": "participant"}
    assert await scopes(world, "c") == {"zoe": "admin"}
    logged = [row[2] for row in (await events(node, world))[len(before) :]]
    assert logged.count("group_owner_transferred") == 4
    assert "group_member_scope_changed" not in logged


async def test_deleting_the_last_unread_member(world: World) -> None:
    """When a user is deleted, messages that the other members have read become read by all."""
    await world.users("anna", "ben", "olga")
    said = {}
    for guid in ("a", "b"):
        await create_group(world, guid, by="anna", members={"participants": ["ben", "olga"]})
        said[guid] = (await say(world, "anna", to_group(guid, "Hello")))["id"]
    for guid in said:
        await world.post(f"/groups/{guid}/conversation/read", as_="ben")
    for message in said.values():
        assert "readAt" not in await world.get(f"/messages/{message}", as_="anna")
    await world.delete("/users/olga", {"permanent": True})

    for message in said.values():
        assert "readAt" in await world.get(f"/messages/{message}", as_="anna")
