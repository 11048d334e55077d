"""Lists of users: order, pages, cursors, totals, searches and filters."""

from itertools import product
from urllib.parse import urlencode

import pytest
from tests.clock import ManualClock
from tests.world import Json, Node, World

from hubbub.outbox import lock_counters
from hubbub.storage.interface import Transaction
from hubbub.storage.queries import Query


async def test_a_list_is_newest_change_first(world: World, clock: ManualClock) -> None:
    """The users created or changed last come first."""
    for uid in ("anna", "ben", "chiara"):
        await world.user(uid)
        clock.advance(1)
    await world.put("/users/anna", {"name": "Anna Keller"})

    assert await world.uids("/users") == ["anna", "chiara", "ben"]


async def test_a_list_without_anybody(world: World) -> None:
    """An empty list has a single page."""
    assert await world.get("/users") == []

    assert world.answer.paging == {
        "pagination": {
            "total": 0,
            "count": 0,
            "per_page": 100,
            "current_page": 1,
            "total_pages": 1,
        }
    }


async def test_a_list_comes_in_pages(world: World) -> None:
    """Pages follow one another without overlap, and have the total."""
    await world.users("anna", "ben", "chiara", "dai", "eva")
    pages = []
    for page in (1, 2, 3, 4):
        pages.append(await world.uids(f"/users?perPage=2&page={page}"))
        pagination = world.answer.meta["pagination"]

        assert (pagination["current_page"], pagination["per_page"]) == (page, 2)
        assert (pagination["total"], pagination["total_pages"]) == (5, 3)
        assert pagination["count"] == len(pages[-1])
    assert pages == [["eva", "dai"], ["chiara", "ben"], ["anna"], []]


async def test_a_list_is_followed_by_its_cursor(world: World, clock: ManualClock) -> None:
    """Each page's cursor leads to the next older users, also within the same second."""
    await world.users("anna", "ben", "chiara")
    clock.advance(1)
    await world.users("dai", "eva")
    found, query = [], ""
    for _ in range(6):
        page = await world.uids(f"/users?perPage=2{query}")
        found.append(page)
        if not page:
            break
        query = "".join(f"&{name}={text}" for name, text in world.answer.meta["cursor"].items())

    assert found == [["eva", "dai"], ["chiara", "ben"], ["anna"], []]


async def test_a_cursor_leads_to_the_newer_ones_too(world: World, clock: ManualClock) -> None:
    """With `affix=append` a cursor leads to the nearest newer users."""
    await world.users("anna", "ben")
    at = clock.now()
    clock.advance(1)
    await world.users("chiara", "dai")

    query = f"/users?affix=append&perPage=2&updatedAt={at}"
    assert await world.uids(f"{query}&id=anna") == ["chiara", "ben"]
    assert await world.uids(f"{query}&id=ben") == ["dai", "chiara"]


async def test_a_cursor_keeps_its_direction(world: World, clock: ManualClock) -> None:
    """With `affix=append` each page's cursor leads to newer users, up to the newest."""
    for uid in ("anna", "ben", "chiara", "dai", "eva"):
        await world.user(uid)
        clock.advance(1)
    query, found = "&affix=append&updatedAt=0", []
    while page := await world.uids(f"/users?perPage=2{query}"):
        found.append(page)
        query = "".join(f"&{name}={text}" for name, text in world.answer.meta["cursor"].items())

    assert found == [["ben", "anna"], ["dai", "chiara"], ["eva"]]


async def test_totals_are_true(world: World) -> None:
    """The total follows creations, deactivations, reactivations and deletions."""
    await world.users("anna", "ben", "chiara", "dai")
    await world.delete("/users", {"uidsToDeactivate": ["anna", "ben"]})
    await world.delete("/users", {"uidsToDeactivate": ["anna"]})
    await world.put("/users", {"uidsToActivate": ["ben", "chiara"]})
    await world.delete("/users/chiara")
    await world.delete("/users/anna", {"permanent": True})

    assert sorted(await world.uids("/users")) == ["ben", "dai"]
    assert world.answer.meta["pagination"]["total"] == 2
    assert await world.uids("/users?perPage=1&withDeactivated=true") == ["dai"]
    assert world.answer.meta["pagination"]["total"] == 2


NAMES = {
    "anna": "Anna Keller-Osei",
    "k2": "Émile Durand",
    "ben": "ΟΔΥΣΣΕΥΣ Straße",
    "olga": "Ольга Петрова",
    "dai": "山田 太郎",
    "priya": "प्रियंका चोपड़ा",
    "noor": "نور الهدى",
    "bo": "  O'Brien_Smith 2nd",
    "lola": "uno dos tres cuatro cinco seis siete ocho nueve",
}


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("ann", {"anna"}),
        ("ANNA", {"anna"}),
        ("kel", {"anna"}),
        ("ose", {"anna"}),
        ("anna keller", {"anna"}),
        ("keller-o", {"anna"}),
        ("eller", set()),
        ("k", {"anna", "k2"}),
        ("K2", {"k2"}),
        ("émile", {"k2"}),
        ("ÉMI", {"k2"}),
        ("e\u0301mile", {"k2"}),
        ("durand", {"k2"}),
        ("οδυσσεύς", set()),
        ("οδυσσευσ", {"ben"}),
        ("STRASSE", {"ben"}),
        ("straß", {"ben"}),
        ("ольга", {"olga"}),
        ("ПЕТ", {"olga"}),
        ("山", {"dai"}),
        ("太", {"dai"}),
        ("郎", set()),
        ("प्रि", {"priya"}),
        ("चोपड़ा", {"priya"}),
        ("نور", {"noor"}),
        ("الهدى", {"noor"}),
        ("brien", {"bo"}),
        ("smith", {"bo"}),
        ("2nd", {"bo"}),
        ("nueve", {"lola"}),
        (" 2nd ", {"bo"}),
        ("%", set()),
        ("_smith", {"bo"}),
        ("n_", set()),
        ("a%", set()),
    ],
)
async def test_a_search_finds_the_beginnings_of_words(
    world: World, search: str, found: set[str]
) -> None:
    """A search finds the beginning of a uid or of a word of a name, in any case and script."""
    for uid, name in NAMES.items():
        await world.user(uid, name=name)

    assert set(await world.uids(f"/users?searchKey={search.replace('%', '%25')}")) == found
    assert world.answer.meta["pagination"]["total"] == len(found)


async def test_a_search_finds_the_new_name_only(world: World) -> None:
    """After a change of name, the old name finds nobody."""
    await world.user("a1", name="Keller")
    await world.put("/users/a1", {"name": "Osei"})

    assert await world.uids("/users?searchKey=keller") == []
    assert await world.uids("/users?searchKey=osei") == ["a1"]
    assert await world.uids("/users?searchKey=a1") == ["a1"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("searchIn=uid", ["ben"]),
        ("searchIn=name", ["anna"]),
        ("searchIn=name,uid", ["ben", "anna"]),
        ("searchIn=name&searchIn=uid", ["ben", "anna"]),
        ("searchIn[]=name&searchIn[]=uid", ["ben", "anna"]),
        ("", ["ben", "anna"]),
    ],
)
async def test_a_search_in_some_fields(world: World, query: str, found: list[str]) -> None:
    """`searchIn` limits a search to names or uids."""
    await world.user("anna", name="Benedikt")
    await world.user("ben", name="Osei")

    assert await world.uids(f"/users?searchKey=ben&{query}") == found


async def test_a_list_by_tags(world: World) -> None:
    """A filter by tags finds users with any of them, in each way to write a list."""
    await world.user("anna", tags=["hiker", "diver"])
    await world.user("ben", tags=["diver"])
    await world.user("chiara", tags=["Diver"])
    await world.user("dai")

    assert await world.uids("/users?tags=diver") == ["ben", "anna"]
    for query in ("tags=hiker,Diver", "tags=hiker&tags=Diver", "tags[]=hiker&tags[]=Diver"):
        assert await world.uids(f"/users?{query}") == ["chiara", "anna"]
    assert await world.uids("/users?tags=nobody") == []


async def test_tags_are_listed_when_asked_for(world: World) -> None:
    """The rows of a list have tags only with `withTags`."""
    await world.user("anna", tags=["hiker"])

    assert "tags" not in (await world.get("/users"))[0]
    assert (await world.get("/users?withTags=true"))[0]["tags"] == ["hiker"]
    assert "tags" not in (await world.get("/users?withTags=0"))[0]


async def test_a_list_by_role(world: World) -> None:
    """A filter by role finds its users, in any case of the role's id."""
    await world.users("anna", "ben")

    for query in ("role=default", "roles=Default", "role=captain&roles=default,cook"):
        assert await world.uids(f"/users?{query}") == ["ben", "anna"]
    assert await world.uids("/users?role=captain") == []


async def test_a_list_by_status(world: World) -> None:
    """A filter by status finds the users who have it."""
    await world.user("anna")

    assert await world.uids("/users?status=offline") == ["anna"]
    assert await world.uids("/users?status=available") == []


async def test_filters_join(world: World) -> None:
    """Several filters find the users who match all of them."""
    await world.user("anna", tags=["hiker"])
    await world.user("ben", tags=["hiker"])
    await world.user("ann", tags=["diver"])

    assert await world.uids("/users?searchKey=ann&tags=hiker&role=default") == ["anna"]
    assert world.answer.meta["pagination"]["total"] == 1


MANY = "hubbub.records.listing.MOST_SORTED"


@pytest.mark.parametrize(
    "query", ["searchKey=k", "tags=diver", "role=default", "roles=default,cook"]
)
async def test_a_list_of_many_is_like_one_of_few(
    world: World, clock: ManualClock, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    """A filter with many matches has the same order, pages and directions as one with few."""
    for uid in ("anna", "ben", "chiara", "dai", "eva"):
        await world.user(uid, name=f"{uid} Keller", tags=["diver"])
        clock.advance(uid in ("anna", "chiara"))
    await world.put("/users/ben", {"name": "Ben Keller"})
    anna_at = (await world.get("/users/anna"))["createdAt"]
    pages = (
        "",
        "&perPage=2&page=2",
        f"&updatedAt={anna_at + 1}&id=chiara",
        f"&updatedAt={anna_at}&id=ANNA&affix=append&perPage=2",
    )
    few = [await world.uids(f"/users?{query}{page}") for page in pages]
    monkeypatch.setattr(MANY, 0)
    many = [await world.uids(f"/users?{query}{page}") for page in pages]

    assert few == many
    assert few == [
        ["eva", "dai", "ben", "chiara", "anna"],
        ["ben", "chiara"],
        ["anna"],
        ["ben", "chiara"],
    ]


PEOPLE = {
    "kai": ("Kai Keller", ["diver"], "cook"),
    "kim": ("Kim", ["diver", "hiker"], "default"),
    "leo": ("Kent Kenley Ke", [], "default"),
    "kira": ("Kira Keita", ["hiker"], "cook"),
    "mia": ("Mia", ["diver", "hiker"], "default"),
    "nils": ("Nils Klein", ["hiker"], "default"),
    "olga": ("Olga", [], "cook"),
}
"""The name, tags and role of users."""
_set_available = Query(
    "set_available",
    "UPDATE users SET status = 'available' WHERE app_id = :app_id AND uid = ANY(:uids)",
)
ASKED = {
    "searchKey": ("", "k", "ke", "uid"),
    "tags": ("", "diver", "diver,hiker"),
    "roles": ("", "default", "default,cook"),
    "status": ("", "offline", "available"),
    "deactivated": ("", "withDeactivated", "onlyDeactivated"),
}


@pytest.mark.parametrize("most_sifted", [0, 5_000], ids=["many", "few"])
async def test_filters_can_be_combined(
    node: Node,
    world: World,
    clock: ManualClock,
    monkeypatch: pytest.MonkeyPatch,
    most_sifted: int,
) -> None:
    """Any combination of filters finds the users who match them all, with any paging."""
    people = await _live(node, world, clock)
    monkeypatch.setattr(MANY, most_sifted)
    for choices in product(*ASKED.values()):
        asked = dict(zip(ASKED, choices, strict=True))
        expected = [uid for uid in people if _passes(people[uid], asked)]
        query = _query(asked)

        assert await world.uids(f"/users?{query}") == expected, query
        assert world.answer.meta["pagination"]["total"] == len(expected), query
        for page in range(1, 4):
            shown = await world.uids(f"/users?{query}&perPage=2&page={page}")
            assert shown == expected[2 * page - 2 : 2 * page], (query, page)


async def _live(node: Node, world: World, clock: ManualClock) -> dict[str, Json]:
    """Create users who change, leave and return; return them as they should be listed."""
    await world.post("/roles", {"role": "cook", "name": "Cook"})
    for uid, (name, tags, role) in PEOPLE.items():
        await world.user(uid, name=f"Was {uid}", tags=["diver", "was"], role="default")
        clock.advance(1)
        await world.put(f"/users/{uid}", {"name": name, "tags": tags, "role": role})
        clock.advance(uid in ("kim", "kira"))
    await world.put("/users/kim", {"name": "Kim Kowalski"})
    await world.delete("/users", {"uidsToDeactivate": ["mia", "kira", "kai"]})
    await world.put("/users", {"uidsToActivate": ["kai"]})
    await world.delete("/users/olga", {"permanent": True})

    async def arrive(tx: Transaction) -> None:
        await lock_counters(tx)
        await tx.run(_set_available, uids=["kai", "mia"])

    await node.runtime.database.write(world.app_id, arrive)
    listed = await world.get("/users?withDeactivated=true&withTags=true")
    assert len(listed) == len(PEOPLE) - 1
    return {user["uid"]: user for user in listed}


def _passes(user: Json, asked: dict[str, str]) -> bool:
    words = [*user["name"].lower().split(), user["uid"]]
    if asked["searchKey"] == "uid":
        found = user["uid"].startswith("k")
    else:
        found = any(word.startswith(asked["searchKey"]) for word in words)
    is_deactivated = "deactivatedAt" in user
    return (
        found
        and (not asked["tags"] or bool(set(asked["tags"].split(",")) & set(user.get("tags", ()))))
        and (not asked["roles"] or user["role"] in asked["roles"].split(","))
        and asked["status"] in ("", user["status"])
        and {"": not is_deactivated, "onlyDeactivated": is_deactivated}.get(
            asked["deactivated"], True
        )
    )


def _query(asked: dict[str, str]) -> str:
    given = {name: value for name, value in asked.items() if value and name != "deactivated"}
    if asked["searchKey"] == "uid":
        given |= {"searchKey": "k", "searchIn": "uid"}
    if asked["deactivated"]:
        given[asked["deactivated"]] = "true"
    return urlencode(given)
