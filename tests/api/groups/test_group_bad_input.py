"""Bad input about groups and members is refused with its field named, and changes nothing."""

from typing import Any

import pytest
from tests.api.groups.clubs import (
    BAD,
    BANS,
    HIKERS,
    MEMBERS,
    NO_GROUP,
    banned,
    create_group,
    make_hikers,
    scopes,
)
from tests.engines import one_engine
from tests.world import Json, World

LINK = "https://example.com/"
BODY: Json = {"guid": "divers", "name": "Divers", "type": "public"}


@pytest.fixture
async def hikers(world: World) -> World:
    """Olga's hikers, with a member of each scope, a banned user and a stranger."""
    await make_hikers(world)
    return world


WRONG_PROFILES: list[tuple[Json, str]] = [
    ({"name": ""}, "name"),
    ({"name": 7}, "name"),
    ({"name": "Hi\0kers"}, "name"),
    ({"type": "protected"}, "type"),
    ({"type": "Public"}, "type"),
    ({"type": ""}, "type"),
    ({"type": 1}, "type"),
    ({"type": ["public"]}, "type"),
    ({"password": 1234}, "password"),
    ({"password": "op\0en"}, "password"),
    ({"icon": "hikers.png"}, "icon"),
    ({"icon": "ftp://example.com/x"}, "icon"),
    ({"icon": "javascript:alert(1)"}, "icon"),
    ({"icon": ""}, "icon"),
    ({"icon": 1}, "icon"),
    ({"description": ["Sundays"]}, "description"),
    ({"description": "Sun\0days"}, "description"),
    ({"metadata": "x"}, "metadata"),
    ({"metadata": []}, "metadata"),
    ({"metadata": 1}, "metadata"),
    ({"owner": "olga keller"}, "owner"),
    ({"owner": ""}, "owner"),
    ({"owner": 5}, "owner"),
    ({"owner": "o" * 101}, "owner"),
    ({"tags": "outdoor"}, "tags"),
    ({"tags": [""]}, "tags.0"),
    ({"tags": ["x", 1]}, "tags.1"),
    ({"tags": ["x", "y\0"]}, "tags.1"),
    ({"tags": ["x", None]}, "tags.1"),
]


@pytest.mark.parametrize(("change", "field"), WRONG_PROFILES, ids=str)
@one_engine
async def test_a_profile_with_a_fault(hikers: World, change: Json, field: str) -> None:
    """A group is neither created nor changed when a field is bad."""
    before = await hikers.get(HIKERS)
    made = await hikers.refused("POST", "/groups", {**BODY, **change}, status=400, code=BAD)
    changed = await hikers.refused("PUT", HIKERS, change, status=400, code=BAD)

    assert (list(made), list(changed)) == ([field], [field])
    assert await hikers.get("/groups") == [before]


@pytest.mark.parametrize("field", ["guid", "name", "type"])
async def test_required_fields(world: World, field: str) -> None:
    """Missing required fields are named."""
    given = {name: value for name, value in BODY.items() if name != field}

    details = await world.refused("POST", "/groups", given, status=400, code=BAD)
    assert details == {field: [f"The {field} field is required."]}


@pytest.mark.parametrize(
    "guid",
    ["", "two words", "süd", "a/b", "a.b", "a\n", "a\0", "\u212a", "g" * 101, 7, None, ["a"]],
)
async def test_a_guid_of_bad_form(world: World, guid: Any) -> None:
    """A guid with other characters than a-z, 0-9, _ and - is refused."""
    details = await world.refused("POST", "/groups", {**BODY, "guid": guid}, status=400, code=BAD)

    assert list(details) == ["guid"]
    assert await world.get("/groups") == []


@pytest.mark.parametrize(
    "path", ["/groups/two%20words", "/groups/s%C3%BCd/members", "/groups/a%00"]
)
async def test_a_guid_of_bad_form_in_a_path(world: World, path: str) -> None:
    """A guid in a path is checked like one in a body."""
    assert list(await world.refused("GET", path, status=400, code=BAD)) == ["guid"]


async def test_u_0000_inside_metadata_is_kept(world: World) -> None:
    """U+0000 in metadata comes back as it was sent."""
    metadata = {"no\0te": ["a\0b", {"c": "\0"}]}
    made = await create_group(world, by=None, metadata=metadata)

    assert made["metadata"] == metadata
    assert (await world.get(HIKERS))["metadata"] == metadata


async def test_null_is_like_absent(hikers: World) -> None:
    """An optional field may be null."""
    optional = ("password", "icon", "description", "metadata", "owner", "tags", "members")
    made = await hikers.post("/groups", {**BODY, **dict.fromkeys(optional)}, as_="olga")

    assert (made["owner"], made["membersCount"]) == ("olga", 1)
    changed = await hikers.put(HIKERS, dict.fromkeys(("name", "type", *optional)))
    assert changed == {**changed, "name": "Hikers", "type": "public", "owner": "olga"}


# Members


WRONG_LISTS: list[tuple[Json, list[str]]] = [
    ({"participants": "sara"}, ["participants"]),
    ({"participants": {"sara": True}}, ["participants"]),
    ({"admins": 1}, ["admins"]),
    ({"usersToBan": False}, ["usersToBan"]),
    ({"moderators": [7]}, ["moderators.0"]),
    ({"moderators": ["sara", None]}, ["moderators.1"]),
    ({"participants": [["sara"]]}, ["participants.0"]),
    ({"participants": ["sara keller"]}, ["participants.0"]),
    ({"participants": ["sara", ""]}, ["participants.1"]),
    ({"participants": ["sara", "s" * 101]}, ["participants.1"]),
    ({"participants": ["sara\0"]}, ["participants.0"]),
    ({"participants": ["sara\n"]}, ["participants.0"]),
    ({"admins": ["sára"]}, ["admins.0"]),
    ({"admins": ["\u212aarl"]}, ["admins.0"]),
    ({"usersToBan": ["sara", "x y", "paul", "z!"]}, ["usersToBan.1", "usersToBan.3"]),
    ({"participants": ["sara"], "usersToBan": ["*"]}, ["usersToBan.0"]),
]


@pytest.mark.parametrize(("lists", "fields"), WRONG_LISTS, ids=str)
@one_engine
async def test_a_list_with_a_fault(hikers: World, lists: Json, fields: list[str]) -> None:
    """Malformed uids are named by their place in the lists, and nobody is added or banned."""
    before = await scopes(hikers)
    details = await hikers.refused("POST", MEMBERS, lists, status=400, code=BAD)

    assert list(details) == fields
    assert (await scopes(hikers), await banned(hikers)) == (before, ["bob"])


@pytest.mark.parametrize(("lists", "fields"), WRONG_LISTS, ids=str)
@one_engine
async def test_lists_of_a_new_group_with_a_fault(
    hikers: World, lists: Json, fields: list[str]
) -> None:
    """In a new group's lists the place begins with `members`; the group is not created."""
    body = {**BODY, "members": lists}
    details = await hikers.refused("POST", "/groups", body, as_="olga", status=400, code=BAD)

    assert list(details) == [f"members.{field}" for field in fields]
    await hikers.refused("GET", "/groups/divers", status=404, code=NO_GROUP)


@pytest.mark.parametrize("lists", ["paul", ["paul"], 1])
@one_engine
async def test_lists_that_are_no_lists(hikers: World, lists: Any) -> None:
    """The members of a new group must be lists by scope."""
    body = {**BODY, "members": lists}

    assert list(await hikers.refused("POST", "/groups", body, status=400, code=BAD)) == ["members"]


@pytest.mark.parametrize("scope", ["owner", "Admin", "banned", "", 3, None, ["admin"]])
@one_engine
async def test_a_scope_that_does_not_exist(hikers: World, scope: Any) -> None:
    """A scope other than admin, moderator and participant is refused."""
    before = await scopes(hikers)
    details = await hikers.refused("PUT", f"{MEMBERS}/paul", {"scope": scope}, status=400, code=BAD)

    assert list(details) == ["scope"]
    assert await scopes(hikers) == before


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", f"{MEMBERS}/two%20words"),
        ("DELETE", f"{MEMBERS}/two%20words"),
        ("POST", f"{BANS}/two%20words"),
        ("DELETE", f"{HIKERS}/banned_members/two%20words"),
    ],
)
@one_engine
async def test_a_uid_of_bad_form_in_a_path(hikers: World, method: str, path: str) -> None:
    """A uid in a path is checked before anything is done."""
    body = {"scope": "admin"} if method == "PUT" else None

    assert list(await hikers.refused(method, path, body, status=400, code=BAD)) == ["uid"]


@pytest.mark.parametrize("password", [1, True, ["open"], "op\0en"])
@one_engine
async def test_a_password_that_is_no_text(hikers: World, password: Any) -> None:
    """A password to join must be a plain text."""
    body = {"password": password}
    details = await hikers.refused("POST", MEMBERS, body, as_="sara", status=400, code=BAD)

    assert list(details) == ["password"]


# Lists


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("page=0", "page"),
        ("page=x", "page"),
        ("perPage=0", "perPage"),
        ("perPage=1001", "perPage"),
        ("searchIn=email", "searchIn.0"),
        ("searchIn=name,description", "searchIn.1"),
        ("sortBy=owner", "sortBy"),
        ("sortOrder=up", "sortOrder"),
        ("affix=after", "affix"),
        ("updatedAt=yesterday", "updatedAt"),
        ("updatedAt=-1", "updatedAt"),
        ("updatedAt=1800000000&id=a%20b", "id"),
        ("updatedAt=1800000000&sortBy=name", "updatedAt"),
        ("type=protected", "type"),
        ("types=public,open", "types.1"),
        ("hasJoined=yes", "hasJoined"),
        ("withTags=2", "withTags"),
        ("tags=" + "x" * 101, "tags.0"),
        ("searchKey=a%00", "searchKey"),
        ("searchKey=" + "a" * 101, "searchKey"),
    ],
)
@one_engine
async def test_a_list_asked_for_wrongly(hikers: World, query: str, field: str) -> None:
    """A bad query of a list of groups is refused, for the app and for a user."""
    for uid in (None, "sara"):
        details = await hikers.refused("GET", f"/groups?{query}", as_=uid, status=400, code=BAD)
        assert list(details) == [field]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("page=-1", "page"),
        ("perPage=1001", "perPage"),
        ("affix=next", "affix"),
        ("updatedAt=soon", "updatedAt"),
        ("updatedAt=1800000000&id=a%00", "id"),
    ],
)
@one_engine
async def test_people_asked_for_wrongly(hikers: World, query: str, field: str) -> None:
    """A bad query of a list of members or banned users is refused."""
    for path in (MEMBERS, BANS, f"{HIKERS}/banned_members"):
        details = await hikers.refused("GET", f"{path}?{query}", status=400, code=BAD)
        assert list(details) == [field]


@pytest.mark.parametrize(
    ("query", "field"),
    [("scopes=owner", "scopes.0"), ("scopes=admin,all", "scopes.1"), ("status=away", "status")],
)
@one_engine
async def test_members_asked_for_wrongly(hikers: World, query: str, field: str) -> None:
    """A filter of members by an unknown scope or status is refused."""
    details = await hikers.refused("GET", f"{MEMBERS}?{query}", status=400, code=BAD)

    assert list(details) == [field]
