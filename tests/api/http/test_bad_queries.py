"""Malformed queries and paths are refused with their field named."""

import pytest
from tests.engines import one_engine
from tests.world import World

BAD = "ERR_BAD_REQUEST"


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("page=0", "page"),
        ("page=-1", "page"),
        ("page=abc", "page"),
        ("page=1.5", "page"),
        (f"page={'9' * 30}", "page"),
        (f"page={'9' * 5_000}", "page"),
        ("perPage=0", "perPage"),
        ("perPage=1001", "perPage"),
        ("perPage=abc", "perPage"),
        ("perPage=1e1", "perPage"),
        ("perPage=1_0", "perPage"),
        ("perPage=+1", "perPage"),
        ("perPage=%2B1", "perPage"),
        ("perPage=%201", "perPage"),
        ("perPage=1%20", "perPage"),
        ("perPage=1%0A", "perPage"),
        ("perPage=1.0", "perPage"),
        ("perPage=0x1", "perPage"),
        ("perPage=%EF%BC%91", "perPage"),
        ("perPage=NaN", "perPage"),
        ("perPage=Infinity", "perPage"),
        ("limit=1e1", "limit"),
        ("updatedAt=1e9", "updatedAt"),
        ("updatedAt=1.0", "updatedAt"),
        ("updatedAt=null", "updatedAt"),
        ("perPage=5%00", "perPage"),
        ("withTags=yes", "withTags"),
        ("withTags=TRUE", "withTags"),
        ("withTags=2", "withTags"),
        ("count=null", "count"),
        ("onlyDeactivated=on", "onlyDeactivated"),
        ("withDeactivated=%20true", "withDeactivated"),
        ("status=online", "status"),
        ("searchIn=email", "searchIn.0"),
        ("searchIn=name,email", "searchIn.1"),
        (f"searchKey={'a' * 101}", "searchKey"),
        ("searchKey=a%00", "searchKey"),
        ("role=a%20b", "role"),
        ("roles=a,b%0A", "roles.1"),
        (f"tags=ok,{'t' * 101}", "tags.1"),
        ("tags=a%00", "tags"),
        ("affix=before", "affix"),
        ("updatedAt=-1", "updatedAt"),
        ("updatedAt=yesterday", "updatedAt"),
        (f"updatedAt={'9' * 12}", "updatedAt"),
        ("updatedAt=1&id=a%20b", "id"),
    ],
)
@one_engine
async def test_a_malformed_parameter(world: World, query: str, field: str) -> None:
    """A malformed query parameter is a bad request that names it."""
    details = await world.refused("GET", f"/users?{query}", status=400, code=BAD)

    assert list(details) == [field]


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("", ["fromDate", "toDate"]),
        ("fromDate=", ["fromDate", "toDate"]),
        ("toDate=1", ["fromDate"]),
        ("toDate=1e9", ["toDate", "fromDate"]),
    ],
)
async def test_missing_parameters(world: World, query: str, fields: list[str]) -> None:
    """Every parameter that is missing is named at once, beside those that are malformed."""
    details = await world.refused("GET", f"/stats?{query}", status=400, code=BAD)

    assert sorted(details) == sorted(fields)


async def test_malformed_parameters_are_named_at_once(world: World) -> None:
    """Every number and every word for yes or no that is malformed is named at once."""
    query = "page=x&perPage=1e1&withTags=maybe"
    details = await world.refused("GET", f"/users?{query}", status=400, code=BAD)

    assert sorted(details) == ["page", "perPage", "withTags"]


@pytest.mark.parametrize("path", ["/messages", "/users/anna/messages"])
@one_engine
async def test_ids_of_messages_are_digits(world: World, path: str) -> None:
    """The id of a message to continue from is made of decimal digits and nothing else."""
    await world.user("anna")
    for id_ in ("1e1", "1%0A", "%EF%BC%91", "+1", "1_0", "-1"):
        details = await world.refused("GET", f"{path}?id={id_}", status=400, code=BAD)

        assert list(details) == ["id"]


@pytest.mark.parametrize(
    "query",
    [
        "%ff",
        "searchKey=%ff",
        "searchKey=%ed%a0%80",
        "tags=%c0%af",
        "&".join(f"x{number}=1" for number in range(201)),
    ],
)
async def test_an_unreadable_query(world: World, query: str) -> None:
    """A query that is not UTF-8, or has too many parts, is a bad request."""
    await world.refused("GET", f"/users?{query}", status=400, code=BAD)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "&&=&",
        "unknown=1",
        "searchKey=",
        "status=",
        "tags=",
        "tags=,,",
        "role=&roles=",
        "page=&perPage=",
        "perPage=0&perPage=5",
        "withTags=true&withTags=0",
        "withDeactivated=1",
        "page=10000000",
        "searchKey=%F0%9F%98%80",
        "searchKey=+",
        "updatedAt=0",
        "updatedAt=99999999999&id=anna",
    ],
)
async def test_a_query_that_asks_for_little(world: World, query: str) -> None:
    """Empty and unknown parameters are ignored; of repeated ones the last counts."""
    assert await world.get(f"/users?{query}") == []


@pytest.mark.parametrize(
    "path",
    [
        "/users/%00",
        "/users/a%00b",
        "/users/%ff",
        "/users/%ed%a0%80",
        "/users/a%2Fb",
        "/users/%2e%2e",
        "/users/..",
        "/users//",
        "/users/a%0a",
        "/users/" + "a" * 101,
        "/users/" + "a" * 20_000,
        "/users/{uid}",
        "/users/*",
        "/users/%25",
        "/%00",
        "/%ff",
        "//users",
        "/apikeys/%00",
        "/apikeys/%ff",
        "/users/anna/auth_tokens/%00",
        "/users/anna/auth_tokens/" + "a" * 300,
    ],
)
@one_engine
async def test_an_odd_path_leads_nowhere(world: World, path: str) -> None:
    """A malformed path is refused or not found."""
    for method in ("GET", "PUT", "DELETE"):
        answer = await world.ask(method, path)

        assert answer.status in {400, 404, 405}
