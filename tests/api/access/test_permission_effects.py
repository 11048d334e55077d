"""The effects of role permissions on their calls; see `permission_table.py`."""

import json
from typing import Any

import pytest
from tests.api.access.permission_table import EFFECTS, Effect, Rule, read_rules
from tests.api.access.town import DENIED, GUEST, Town, allow, forget, make_town, new_group, others
from tests.api.messages.talk import to_user
from tests.world import CallOptions, World

NO_GROUP = "ERR_GUID_NOT_FOUND"


@pytest.fixture
async def town(world: World) -> Town:
    """Anna is a guest, in the club with all the others."""
    return await make_town(world)


def is_denied(found: tuple[int, Any], permission: str) -> bool:
    """Return whether the call was refused because of a permission, and names it."""
    status, error = found
    return status == 403 and error["code"] == DENIED and list(error["details"]) == [permission]


def is_hidden(found: tuple[int, Any], nobody: tuple[int, Any], uid: str) -> bool:
    """Return whether the answer is that of a missing object."""
    status, error = found
    alike = json.dumps(error).replace(uid, "nobody") == json.dumps(nobody[1])
    return status == nobody[0] == 404 and alike


def is_right(effect: Effect, found: tuple[int, Any], nobody: tuple[int, Any], rule: Rule) -> bool:
    """Return whether the outcome is that of the rule."""
    if effect.verdict == "denied":
        return is_denied(found, rule.permission)
    if effect.verdict == "hidden":
        return is_hidden(found, nobody, effect.call.split()[-1])
    return found[0] == 200


@pytest.mark.parametrize("rule", list(read_rules(EFFECTS)), ids=str)
async def test_what_a_role_permission_does(town: Town, rule: Rule) -> None:
    """A permission denies exactly its calls, to its role only, until it is unset."""
    await allow(town.world, rule.permission, rule.value)
    faults = []
    for how in town.ways:
        nobody = await town.do("see nobody", how)
        for effect in rule.effects:
            found = await town.do(effect.call, how)
            if not is_right(effect, found, nobody, rule):
                faults.append(f"{effect} {how}: {found}")
    faults += await refusals(town, rule, {})
    faults += await refusals(town, rule, {"as_": "paula"})
    await forget(town.world, rule.permission)
    faults += await refusals(town, rule, town.ways[0])

    assert not faults, "\n".join(faults)


async def refusals(town: Town, rule: Rule, how: CallOptions) -> list[str]:
    """Return the calls of a rule that do not succeed."""
    found = [(effect, await town.do(effect.call, how)) for effect in rule.effects]
    return [f"{effect.call} {how}: {done}" for effect, done in found if done[0] != 200]


async def test_the_app_is_bound_by_nothing(town: Town) -> None:
    """The app itself may do what the default role may not, although System has that role."""
    rules = list(read_rules(EFFECTS))
    denials = {rule.permission: rule.value for rule in rules if rule.value == "deny"}
    await town.world.put("/roles/default/permissions", {"permissions": denials})
    await town.world.post(
        "/roles/default/restrictedfeatures",
        {"featuresToRestrict": ["createGroup", "listUsers", "createMessage", "getUser"]},
    )
    await town.world.put("/roles/default", {"settings": FRIENDS_ONLY})

    for call in dict.fromkeys(effect.call for rule in rules for effect in rule.effects):
        found = await town.do(call, {})
        assert found[0] == 200, f"{call}: {found}"


async def test_the_default_role_applies_without_another(town: Town) -> None:
    """A permission of the default role applies to users without a role, and not to others."""
    await allow(town.world, "createGroup", "deny", "/roles/default")

    assert is_denied(await town.do("create public", {"as_": "ben"}), "createGroup")
    assert (await town.do("create public", {"as_": "anna"}))[0] == 200


async def test_another_role_holds_at_once(town: Town) -> None:
    """With another role a user has that role's permissions from the next call on."""
    await allow(town.world, "createGroup", "deny")
    await town.world.put("/users/anna", {"role": "default"})
    assert (await town.do("create public", {"as_": "anna"}))[0] == 200

    await town.world.put("/users/ben", {"role": "guest"})
    assert is_denied(await town.do("create public", {"as_": "ben"}), "createGroup")


async def test_a_permission_does_not_reveal_a_private_group(town: Town) -> None:
    """Joining a private group is answered like joining a missing one, with any permission."""
    await town.world.post("/groups", new_group("hideout", "private"))
    await allow(town.world, "joinGroup.allowedGroupTypes", ["public"])

    for how in town.ways:
        for guid in ("hideout", "nowhere"):
            path = f"/groups/{guid}/members"
            await town.world.refused("POST", path, {}, status=404, code=NO_GROUP, **how)


async def test_a_group_becomes_of_no_type_that_may_not_be_made(town: Town) -> None:
    """`createGroup.allowedGroupTypes` also applies to users who change the type."""
    await town.world.post("/groups", new_group("annas", "public"), as_="anna")
    await allow(town.world, "createGroup.allowedGroupTypes", ["public", "password"])

    for how in town.ways:
        call = ("PUT", "/groups/annas", {"type": "private", "name": "Hidden"})
        details = await town.world.refused(*call, status=403, code=DENIED, **how)
        assert list(details) == ["createGroup.allowedGroupTypes"]
    locked = {"type": "password", "password": "open sesame"}
    assert (await town.world.put("/groups/annas", locked, as_="anna"))["type"] == "password"
    assert (await town.world.put("/groups/annas", {"type": "private"}))["type"] == "private"


async def test_a_group_keeps_the_type_that_it_has(town: Town) -> None:
    """A change that names the group's current type is not a change of type."""
    await town.world.post("/groups", new_group("annas", "private"), as_="anna")
    await allow(town.world, "createGroup.allowedGroupTypes", ["public"])

    for how in town.ways:
        body = {"type": "private", "name": "Climbers"}
        assert (await town.world.put("/groups/annas", body, **how))["name"] == "Climbers"


async def test_users_who_may_not_join_may_be_added(town: Town) -> None:
    """`joinGroup` is about joining only; an admin may still add any user."""
    await allow(town.world, "joinGroup", "deny")
    await town.world.post("/groups", new_group("bens", "public"), as_="ben")

    outcomes = await town.world.post("/groups/bens/members", {"participants": ["anna"]}, as_="ben")

    assert outcomes["participants"]["anna"]["success"]


# --- Setting and permission: the stricter one applies --------------------------------------------

FRIENDS_ONLY = {"listUsers": "friendsOnly", "sendMessagesTo": "friendsOnly"}
STRICTER = [
    ("all", None, False),
    (None, "all", False),
    ("all", "all", False),
    ("friendsOnly", None, True),
    ("friendsOnly", "all", True),
    ("all", "friends", True),
    ("friendsOnly", "friends", True),
]


async def set_both(town: Town, setting: str, permission: str, both: tuple[str | None, ...]) -> None:
    """Set a setting and a permission that mean the same."""
    if both[0] is not None:
        await town.world.put(GUEST, {"settings": {setting: both[0]}})
    if both[1] is not None:
        await allow(town.world, permission, both[1])


@pytest.mark.parametrize(("setting", "mode", "friends_only"), STRICTER)
async def test_a_role_limits_receivers(
    town: Town, setting: str | None, mode: str | None, friends_only: bool
) -> None:
    """Setting and permission limit guests' receivers: the stricter applies, groups stay open."""
    await set_both(town, "sendMessagesTo", "sendMessage.mode", (setting, mode))

    for how in town.ways:
        found = await town.do("send text to ben", how)
        named = "sendMessage.mode" if mode == "friends" else "settings.sendMessagesTo"
        assert is_denied(found, named) if friends_only else found[0] == 200, found
        assert (await town.do("send text to fred", how))[0] == 200
        assert (await town.do("send text to club", how))[0] == 200
    assert (await town.do("send text to anna", {"as_": "ben"}))[0] == 200


@pytest.mark.parametrize(("setting", "mode", "friends_only"), STRICTER)
async def test_a_role_limits_listed_users(
    town: Town, setting: str | None, mode: str | None, friends_only: bool
) -> None:
    """Setting and permission limit the users in guests' lists: the stricter one applies."""
    await set_both(town, "listUsers", "listUsers.mode", (setting, mode))

    everybody = {"ben", "fred", "gina", "greta", "paula"}
    for how in town.ways:
        assert await others(town.world, "", how) == (
            {"fred", "gina"} if friends_only else everybody
        )
    assert await others(town.world, "", {"as_": "ben"}) == everybody - {"ben"}
    assert await others(town.world, "", {}) == everybody
    await town.world.put(GUEST, {"unset": ["settings"]})
    await forget(town.world, "listUsers.mode")
    assert await others(town.world, "", town.ways[0]) == everybody


async def test_friendship_counts_as_it_is_now(town: Town) -> None:
    """New friends may be written to and are listed; former friends are not."""
    for permission in ("sendMessage.mode", "listUsers.mode", "getUserDetails.mode"):
        await allow(town.world, permission, "friends")
    (how, _) = town.ways

    await town.world.post("/users/ben/friends", {"accepted": ["anna"]})
    await town.world.delete("/users/fred/friends", {"friends": ["anna"]})

    assert (await town.do("send text to ben", how))[0] == 200
    assert (await town.do("see ben", how))[0] == 200
    assert is_denied(await town.do("send text to fred", how), "sendMessage.mode")
    assert (await town.do("see fred", how))[0] == 404
    assert await others(town.world, "", how) == {"ben", "gina"}


# --- The order -----------------------------------------------------------------------------------


async def test_feature_role_friendship_block(town: Town) -> None:
    """A message is checked against the feature, the role's permissions, then the block."""
    world, body = town.world, to_user("ben")
    how = town.ways[1]
    await world.post("/users/ben/blockedusers", {"blockedUids": ["anna"]})
    await allow(world, "sendMessage", "deny")
    await world.post(f"{GUEST}/restrictedfeatures", {"featuresToRestrict": ["createMessage"]})

    details = await world.refused("POST", "/messages", body, status=403, code=DENIED, **how)
    assert list(details) == ["u.createMessage"]
    await world.delete(f"{GUEST}/restrictedfeatures", {"allowAll": True})
    details = await world.refused("POST", "/messages", body, status=403, code=DENIED, **how)
    assert list(details) == ["sendMessage"]
    await forget(world, "sendMessage")
    await world.refused("POST", "/messages", body, status=403, code="ERR_BLOCKED_SENDER", **how)
