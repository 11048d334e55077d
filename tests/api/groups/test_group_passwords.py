"""Passwords of groups: they let users join, and are never shown."""

import json
from typing import Any

import pytest
from tests.api.groups.clubs import (
    ALREADY_JOINED,
    BAD,
    BANNED,
    HIKERS,
    MEMBERS,
    add_participants,
    create_group,
    join_group,
    make_hikers,
    scopes,
)
from tests.api.messages.talk import stored, to_group
from tests.world import Json, Node, World

from hubbub.storage.migrations import tenant_tables

EMPTY = "ERR_EMPTY_GROUP_PASS"
WRONG = "ERR_WRONG_GROUP_PASS"
SECRET = "Edelweiß-1902"


@pytest.fixture
async def hikers(world: World) -> World:
    """Olga's hikers, which have a password."""
    await make_hikers(world, type="password", password=SECRET)
    return world


async def hash_of(node: Node, world: World, guid: str = "hikers") -> str | None:
    """Return the stored hash of a group's password."""
    text = f"SELECT password_hash FROM groups WHERE app_id = :app_id AND guid = '{guid}'"
    ((hash_,),) = await stored(node, world, text)
    return None if hash_ is None else str(hash_)


async def test_the_right_password_lets_in(hikers: World) -> None:
    """A user with the right password joins, as a participant."""
    await join_group(hikers, "sara", password=SECRET)

    assert (await scopes(hikers))["sara"] == "participant"


async def test_the_bearer_of_a_token_joins_with_the_password(hikers: World) -> None:
    """A user who acts with a token needs the password as well."""
    token = await hikers.token("sara")
    await hikers.refused("POST", MEMBERS, {}, token=token, status=400, code=EMPTY)
    await hikers.post(MEMBERS, {"password": SECRET}, token=token)

    assert "sara" in await scopes(hikers)


@pytest.mark.parametrize(
    "password", ["edelweiß-1902", "Edelweiß-190", SECRET + " ", " " + SECRET, "Edelweiss-1902", "x"]
)
async def test_a_wrong_password_lets_nobody_in(hikers: World, password: str) -> None:
    """Anything but exactly the password is wrong."""
    body = {"password": password}
    await hikers.refused("POST", MEMBERS, body, as_="sara", status=403, code=WRONG)

    assert "sara" not in await scopes(hikers)


@pytest.mark.parametrize("body", [None, {}, {"password": ""}, {"password": None}])
async def test_no_password_lets_nobody_in(hikers: World, body: Json | None) -> None:
    """Without a password the empty field is named."""
    details = await hikers.refused("POST", MEMBERS, body, as_="sara", status=400, code=EMPTY)

    assert list(details) == ["password"]
    assert "sara" not in await scopes(hikers)


async def test_members_and_banned_users_need_no_password(hikers: World) -> None:
    """A member or a banned user is refused as such, with any password."""
    for body in ({}, {"password": "x"}, {"password": SECRET}):
        await hikers.refused("POST", MEMBERS, body, as_="paul", status=409, code=ALREADY_JOINED)
        await hikers.refused("POST", MEMBERS, body, as_="bob", status=403, code=BANNED)


async def test_added_users_need_no_password(hikers: World) -> None:
    """The app and admins can add any user."""
    await hikers.user("tim")
    await add_participants(hikers, "hikers", "sara")
    await add_participants(hikers, "hikers", "tim", as_="adam")

    assert {"sara", "tim"} <= (await scopes(hikers)).keys()


async def test_a_changed_password(hikers: World) -> None:
    """After a change the old password is wrong, and the new one is right."""
    await hikers.put(HIKERS, {"password": "Enzian"}, as_="mona")

    old = {"password": SECRET}
    await hikers.refused("POST", MEMBERS, old, as_="sara", status=403, code=WRONG)
    await join_group(hikers, "sara", password="Enzian")


async def test_a_change_of_other_things_leaves_the_password(hikers: World) -> None:
    """A change without a password keeps it, also when the type is given again."""
    await hikers.put(HIKERS, {"name": "Walkers", "type": "password"})

    await hikers.refused("POST", MEMBERS, {"password": "x"}, as_="sara", status=403, code=WRONG)
    await join_group(hikers, "sara", password=SECRET)


@pytest.mark.parametrize("given", [{}, {"password": ""}, {"password": None}])
async def test_a_password_group_needs_one(world: World, given: Json) -> None:
    """A group of type password cannot be created without one."""
    body = {"guid": "hikers", "name": "Hikers", "type": "password", **given}
    details = await world.refused("POST", "/groups", body, status=400, code=EMPTY)

    assert list(details) == ["password"]
    assert await world.get("/groups") == []


@pytest.mark.parametrize("given", [{}, {"password": ""}])
async def test_a_group_that_becomes_one_of_password_needs_one(world: World, given: Json) -> None:
    """A public group can become one of type password with a password only."""
    await create_group(world, by=None)
    await world.refused("PUT", HIKERS, {"type": "password", **given}, status=400, code=EMPTY)

    assert (await world.get(HIKERS))["type"] == "public"


async def test_a_password_cannot_be_emptied(hikers: World) -> None:
    """An empty password is refused for a group that has one, and the old one is still valid."""
    details = await hikers.refused("PUT", HIKERS, {"password": ""}, status=400, code=EMPTY)

    assert list(details) == ["password"]
    await join_group(hikers, "sara", password=SECRET)


async def test_a_group_that_needs_no_password_any_more(node: Node, hikers: World) -> None:
    """A password group that becomes public lets everybody join, and its password is deleted."""
    await hikers.put(HIKERS, {"type": "public"})
    await join_group(hikers, "sara")

    assert await hash_of(node, hikers) is None
    await hikers.refused("PUT", HIKERS, {"type": "password"}, status=400, code=EMPTY)


@pytest.mark.parametrize("type_", ["public", "private"])
async def test_other_groups_have_no_password(node: Node, world: World, type_: str) -> None:
    """A password for a group of another type is not stored, and not required to join."""
    await world.users("olga", "sara")
    await create_group(world, type=type_, password=SECRET)
    await world.put(HIKERS, {"password": SECRET})

    assert await hash_of(node, world) is None
    await world.put(HIKERS, {"type": "public"})
    await join_group(world, "sara", password="whatever")


@pytest.mark.parametrize("password", ["x", " ", "पासवर्ड 🔑", "x" * 100, "🔑" * 100])
async def test_passwords_of_any_script(world: World, password: str) -> None:
    """A password is 1 to 100 characters of any script."""
    await world.users("olga", "sara")
    await create_group(world, type="password", password=password)
    await join_group(world, "sara", password=password)

    assert "sara" in await scopes(world)


@pytest.mark.parametrize("password", ["x" * 101, "🔑" * 101])
async def test_a_password_that_is_too_long(hikers: World, password: str) -> None:
    """More than 100 characters are refused, wherever they are given."""
    body: Json = {"guid": "divers", "name": "Divers", "type": "password", "password": password}
    for method, path, how in [
        ("POST", "/groups", None),
        ("PUT", HIKERS, None),
        ("POST", MEMBERS, "sara"),
    ]:
        details = await hikers.refused(method, path, body, as_=how, status=400, code=BAD)
        assert list(details) == ["password"]


async def test_a_password_is_stored_as_an_argon2_hash(node: Node, hikers: World) -> None:
    """Two groups with the same password have different hashes, which do not contain it."""
    await create_group(hikers, "divers", type="password", password=SECRET)
    first, second = await hash_of(node, hikers), await hash_of(node, hikers, "divers")

    assert first != second
    for hash_ in (first, second):
        assert hash_ is not None
        assert hash_.startswith("$argon2id$")


async def test_a_password_is_stored_nowhere(node: Node, hikers: World) -> None:
    """No table holds a password in plain text: neither a right, nor an old, nor a wrong one."""
    await join_group(hikers, "sara", password=SECRET)
    await hikers.put(HIKERS, {"password": "Enzian", "name": "Walkers"})
    await hikers.user("tim")
    body = {"password": "Himmelsherold"}
    await hikers.refused("POST", MEMBERS, body, as_="tim", status=403, code=WRONG)

    for table in tenant_tables():
        rows = await stored(node, hikers, f"SELECT * FROM {table.name} WHERE app_id = :app_id")
        for word in (SECRET, "Enzian", "Himmelsherold"):
            assert not [row for row in rows if word in str(row)], table.name


async def test_a_password_is_never_answered(hikers: World) -> None:
    """Neither the password nor its hash is in any answer, to any caller."""
    made: list[Any] = [await create_group(hikers, "divers", type="password", password=SECRET)]
    made.append(await hikers.put(HIKERS, {"password": SECRET}, as_="olga"))
    made.append(await hikers.post(MEMBERS, {"password": SECRET}, as_="sara"))
    await hikers.post("/messages", to_group("hikers"), as_="sara")
    paths = ("/groups", HIKERS, MEMBERS, f"{HIKERS}/messages", "/messages")
    for uid in (None, "olga", "sara"):
        made += [await hikers.get(path, as_=uid) for path in paths]

    answered = json.dumps(made, ensure_ascii=False)
    assert "Sara" in answered  # otherwise there would be nothing to check
    for word in (SECRET, "argon2", '"password":', "hash"):
        assert word not in answered
