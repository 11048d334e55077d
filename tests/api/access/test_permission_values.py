"""The values of permissions: those that fit, and those that do not."""

from typing import Any

import pytest
from tests.api.access.permitting import BAD, ROLE, SCOPE, SCOPES, are_set, both, put, with_hikers
from tests.engines import one_engine
from tests.world import Node, World


@pytest.fixture
async def world(node: Node) -> World:
    """An app with the group `hikers`."""
    return await with_hikers(node)


GOOD: list[tuple[str, str, Any]] = [
    (ROLE, "createGroup", "allow"),
    (ROLE, "sendMessage.mode", "all"),
    (ROLE, "sendMessage.allowedReceiverTypes", ["user", "group"]),
    (ROLE, "sendMessage.allowedMessageTypes", ["text", "image", "audio", "video", "file"]),
    (ROLE, "sendMessage.allowedMessageCategories", ["message", "custom", "interactive"]),
    (ROLE, "listMessages.allowedMessageCategories", ["message", "action"]),
    (ROLE, "sendMessage.allowedCustomTypes", ["a b", "é😀", "x" * 100]),
    (ROLE, "sendMessage.allowedMimeTypes", ["image/png"] * 100),
    (ROLE, "sendMessage.allowedMimeTypes", ["image/*"]),
    (ROLE, "sendMessage.allowedReceiverRoles", ["teacher", "no-such-role"]),
    (ROLE, "editMessage.denyForScopes", SCOPES),
    (ROLE, "deleteMessage.denyForScopes", ["participant"]),
    (ROLE, "joinGroup.allowedGroupTypes", []),
    (SCOPE, "initiateCall.allowedType", ["audio", "video"]),
    (SCOPE, "addReaction", "deny"),
]


@pytest.mark.parametrize(("path", "id_", "value"), GOOD)
async def test_a_value_that_fits(world: World, path: str, id_: str, value: Any) -> None:
    """An allowed value is stored and answered as it was given."""
    answer = await put(world, path, {id_: value})

    assert answer[id_]["success"] is True
    assert await are_set(world, path) == {id_: value}


async def test_roles_in_a_list_are_lowered(world: World) -> None:
    """The ids of roles are lowered here as everywhere."""
    values = {"listUsers.allowedRoles": ["Teacher"], "getUserDetails.allowedRoles": ["VIP"]}

    assert (await put(world, ROLE, values))["permissions"] == {
        "listUsers.allowedRoles": ["teacher"],
        "getUserDetails.allowedRoles": ["vip"],
    }


UNFIT: list[tuple[str, str, Any, str]] = [
    (ROLE, "createGroup", "maybe", ""),
    (ROLE, "createGroup", "", ""),
    (ROLE, "createGroup", "Deny", ""),
    (ROLE, "createGroup", ["deny"], ""),
    (ROLE, "createGroup", True, ""),
    (ROLE, "createGroup", None, ""),
    (ROLE, "initiateCall", "friends", ""),
    (ROLE, "listUsers.mode", "friendsOnly", ""),
    (ROLE, "listUsers.mode", "allow", ""),
    (ROLE, "createGroup.allowedGroupTypes", ["public", "secret"], ".1"),
    (ROLE, "createGroup.allowedGroupTypes", "secret", ""),
    (ROLE, "createGroup.allowedGroupTypes", "public", ""),
    (ROLE, "sendMessage.allowedMimeTypes", "image/*", ""),
    (ROLE, "deleteMessage.denyForScopes", "participant", ""),
    (ROLE, "getUserDetails.allowedRoles", "vip", ""),
    (ROLE, "createGroup.allowedGroupTypes", {"public": True}, ""),
    (ROLE, "createGroup.allowedGroupTypes", [["public"]], ".0"),
    (ROLE, "createGroup.allowedGroupTypes", ["public"] * 101, ""),
    (ROLE, "sendMessage.allowedMimeTypes", ["a", 1], ".1"),
    (ROLE, "sendMessage.allowedMimeTypes", [None], ".0"),
    (ROLE, "sendMessage.allowedMimeTypes", [""], ".0"),
    (ROLE, "sendMessage.allowedMimeTypes", "", ""),
    (ROLE, "sendMessage.allowedMimeTypes", "x" * 101, ""),
    (ROLE, "sendMessage.allowedMimeTypes", ["x" * 101], ".0"),
    (ROLE, "sendMessage.allowedCustomTypes", ["a\0b"], ".0"),
    (ROLE, "sendMessage.allowedCustomTypes", ["a"] * 101, ""),
    (ROLE, "sendMessage.allowedMessageTypes", ["form"], ".0"),
    (ROLE, "sendMessage.allowedReceiverTypes", ["channel"], ".0"),
    (ROLE, "sendMessage.allowedMessageCategories", ["message", "action"], ".1"),
    (ROLE, "listUsers.allowedRoles", ["guide", "A B"], ".1"),
    (ROLE, "listUsers.allowedRoles", ["guide\n"], ".0"),
    (ROLE, "listUsers.allowedRoles", ["\u212aing"], ".0"),
    (ROLE, "getUserDetails.allowedRoles", [""], ".0"),
    (ROLE, "sendMessage.allowedReceiverRoles", "x" * 101, ""),
    (ROLE, "initiateCall.allowedReceiverRoles", "a@b", ""),
    (ROLE, "editMessage.denyForScopes", ["owner"], ".0"),
    (ROLE, "nothing", "allow", ""),
    (ROLE, "addReaction", "allow", ""),
    (ROLE, "SENDMESSAGE", "allow", ""),
    (ROLE, "", "allow", ""),
    (ROLE, "\0", "allow", ""),
    (SCOPE, "createGroup", "allow", ""),
    (SCOPE, "initiateCall", "all", ""),
    (SCOPE, "initiateCall.allowedType", "text", ""),
    (SCOPE, "listMembers.allowedScopes", ["participants"], ".0"),
]


@pytest.mark.parametrize(("path", "id_", "value", "place"), UNFIT)
@one_engine
async def test_a_value_that_does_not_fit(
    world: World, path: str, id_: str, value: Any, place: str
) -> None:
    """An unknown id or a bad value is answered with an error in its place; the others succeed."""
    await put(world, path, {"editMessage": "deny"})
    answer = await put(world, path, {id_: value, "sendMessage": "deny"})

    assert answer[id_]["success"] is False
    assert answer[id_]["error"]["code"] == BAD
    assert list(answer[id_]["error"]["details"]) == [f"permissions.{id_}{place}"]
    assert answer["sendMessage"]["success"] is True
    assert answer["permissions"] == {"editMessage": "deny", "sendMessage": "deny"}
    assert await are_set(world, path) == answer["permissions"]


async def test_a_word_for_a_list_of_a_role(world: World) -> None:
    """The error of a word in place of a list says which field must be a list."""
    answer = await put(world, ROLE, {"createGroup.allowedGroupTypes": "public"})

    field = "permissions.createGroup.allowedGroupTypes"
    sentence = f'The {field} must be a list of strings, such as ["public"].'
    outcome = answer["createGroup.allowedGroupTypes"]
    assert outcome["error"]["details"] == {field: [sentence]}
    assert await are_set(world, ROLE) == {}


async def test_an_unfit_value_leaves_the_older_one(world: World) -> None:
    """After a bad value the earlier value is still set, and the role is unchanged."""
    await put(world, ROLE, {"sendMessage": "deny"})
    role = await world.get("/roles/default")
    answer = await put(world, ROLE, {"sendMessage": "perhaps"})

    assert answer["permissions"] == {"sendMessage": "deny"}
    assert await world.get("/roles/default") == role


@both
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "permissions"),
        ({"permissions": None}, "permissions"),
        ({"permissions": []}, "permissions"),
        ({"permissions": "allow"}, "permissions"),
        ({"permissions": {"sendMessage": "deny", "x" * 101: "allow"}}, "permissions." + "x" * 100),
        ({"permissions": {f"p{number}": "allow" for number in range(101)}}, "permissions"),
        (
            {"permissions": {"sendMessage": "deny", "permissions": {"sendMessage": "deny"}}},
            "permissions.permissions",
        ),
    ],
)
@one_engine
async def test_a_malformed_set_of_permissions(
    world: World, path: str, body: Any, field: str
) -> None:
    """A body of another form is refused as a whole with its field named; nothing is set."""
    assert list(await world.refused("PUT", path, body, status=400, code=BAD)) == [field]
    assert await are_set(world, path) == {}
