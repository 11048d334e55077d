"""Lists of groups: order, pages, cursors, totals, searches, filters, and visibility."""

from urllib.parse import quote

import pytest
from tests.api.groups.clubs import add_participants, create_group, guids, join_group
from tests.clock import ManualClock
from tests.world import World


async def make(world: World, *names: str) -> None:
    """Create public groups of the app."""
    for name in names:
        await create_group(world, name, by=None)


def total(world: World) -> int:
    """Return the total of the latest answer."""
    count: int = world.answer.meta["pagination"]["total"]
    return count


# Order


async def test_a_list_is_newest_change_first(world: World, clock: ManualClock) -> None:
    """The groups created or changed last come first."""
    for guid in ("anglers", "bikers", "climbers"):
        await make(world, guid)
        clock.advance(1)
    await world.put("/groups/anglers", {"name": "Fishers"})

    assert await guids(world, "/groups") == ["anglers", "climbers", "bikers"]


async def test_a_list_holds_whole_groups(world: World) -> None:
    """A row of a list is the group as it is looked up, except for its tags."""
    await world.user("olga")
    group = await create_group(world, description="Sundays", metadata={"a": 1}, tags=["outdoor"])
    tags = group.pop("tags")

    assert await world.get("/groups", as_="olga") == [group]
    assert await world.get("/groups?withTags=true", as_="olga") == [{**group, "tags": tags}]
    assert await world.get("/groups?withTags=0", as_="olga") == [group]


async def test_a_list_without_any_group(world: World) -> None:
    """An empty list has a single page."""
    assert await world.get("/groups") == []

    assert world.answer.paging == {
        "pagination": {
            "total": 0,
            "count": 0,
            "per_page": 100,
            "current_page": 1,
            "total_pages": 1,
        }
    }


SORTED = {
    "sortBy=name": ["c", "b", "a", "d"],
    "sortBy=name&sortOrder=asc": ["c", "b", "a", "d"],
    "sortBy=name&sortOrder=desc": ["d", "a", "b", "c"],
    "sortBy=guid": ["a", "b", "c", "d"],
    "sortBy=guid&sortOrder=desc": ["d", "c", "b", "a"],
    "sortBy=createdAt": ["b", "a", "d", "c"],
    "sortBy=createdAt&sortOrder=desc": ["c", "d", "a", "b"],
}


@pytest.mark.parametrize(("query", "expected"), SORTED.items())
@pytest.mark.parametrize("uid", [None, "olga", "sara"])
async def test_a_list_is_sorted(
    world: World, clock: ManualClock, uid: str | None, query: str, expected: list[str]
) -> None:
    """`sortBy` and `sortOrder` sort a list, ascending by default, for any reader."""
    await world.users("olga", "sara")
    for guid, name in (("b", "Bikers"), ("a", "Cavers"), ("d", "Émigrés"), ("c", "Anglers")):
        clock.advance(1)
        await create_group(world, guid, name=name)
    await world.put("/groups/b", {"icon": "https://example.com/b.png"})

    assert await guids(world, f"/groups?{query}", as_=uid) == expected
    halves = [await guids(world, f"/groups?{query}&perPage=2&page={n}", as_=uid) for n in (1, 2)]
    assert halves == [expected[:2], expected[2:]]
    if uid == "olga":
        assert await guids(world, f"/groups?{query}&hasJoined=true", as_=uid) == expected


# Pages and cursors


@pytest.mark.parametrize("uid", [None, "olga"])
@pytest.mark.parametrize("query", ["", "&hasJoined=true", "&types=public,private", "&tags=x"])
async def test_a_list_comes_in_pages(world: World, uid: str | None, query: str) -> None:
    """Pages follow one another without overlap, and have the total."""
    await world.user("olga")
    for guid in ("a", "b", "c", "d", "e"):
        await create_group(world, guid, type="private" if guid in "bd" else "public", tags=["x"])
    pages = []
    for page in (1, 2, 3, 4):
        pages.append(await guids(world, f"/groups?perPage=2&page={page}{query}", as_=uid))
        pagination = world.answer.meta["pagination"]

        assert (pagination["current_page"], pagination["per_page"]) == (page, 2)
        assert (pagination["total"], pagination["total_pages"]) == (5, 3)
        assert pagination["count"] == len(pages[-1])
    assert pages == [["e", "d"], ["c", "b"], ["a"], []]


@pytest.mark.parametrize("uid", [None, "olga"])
@pytest.mark.parametrize("query", ["", "&hasJoined=true", "&searchKey=group"])
async def test_a_list_is_followed_by_its_cursor(
    world: World, clock: ManualClock, uid: str | None, query: str
) -> None:
    """Each page's cursor leads to the next older groups, also within the same second."""
    await world.user("olga")
    for guid in ("a", "b", "c", "d", "e"):
        clock.advance(1 if guid == "d" else 0)
        await create_group(
            world, guid, name=f"Group {guid}", type="private" if guid in "bd" else "public"
        )
    seen, cursor = [], ""
    for _ in range(6):
        seen.append(await guids(world, f"/groups?perPage=2{query}{cursor}", as_=uid))
        if not seen[-1]:
            break
        cursor = "".join(f"&{name}={text}" for name, text in world.answer.meta["cursor"].items())

    assert seen == [["e", "d"], ["c", "b"], ["a"], []]
    assert total(world) == 5


@pytest.mark.parametrize("uid", [None, "olga"])
@pytest.mark.parametrize("query", ["", "&hasJoined=true"])
async def test_a_cursor_leads_to_the_newer_ones_too(
    world: World, clock: ManualClock, uid: str | None, query: str
) -> None:
    """With `affix=append` a cursor leads to the nearest newer groups."""
    await world.user("olga")
    at = clock.now()
    for guid in ("a", "b", "c", "d"):
        clock.advance(1 if guid == "c" else 0)
        await create_group(world, guid, type="private" if guid == "b" else "public")
    path = f"/groups?affix=append&perPage=2{query}&updatedAt={at}"

    assert await guids(world, f"{path}&id=a", as_=uid) == ["c", "b"]
    assert await guids(world, f"{path}&id=b", as_=uid) == ["d", "c"]
    assert await guids(world, f"{path}&id=d", as_=uid) == ["d", "c"]


async def test_a_sorted_list_has_no_cursor(world: World) -> None:
    """A cursor is a position in the usual order, so a list in another order has none."""
    await make(world, "anglers")
    await world.get("/groups?sortBy=name")

    assert "cursor" not in world.answer.meta


async def test_totals_are_true(world: World) -> None:
    """The total follows creations, refusals and deletions, filtered or not."""
    await world.user("olga")
    await make(world, "a", "b", "c", "d")
    await world.delete("/groups/b")
    await world.ask("DELETE", "/groups/b")
    await world.ask("POST", "/groups", {"guid": "c", "name": "C", "type": "public"})

    for uid in (None, "olga"):
        for query in ("", "types=public", "searchIn=name", "searchKey=", "hasJoined=false"):
            await world.get(f"/groups?perPage=1&{query}", as_=uid)
            assert total(world) == 3


# Searching


NAMES = {
    "anna": "Anna Keller-Osei Fans",
    "k2": "Émile Durand",
    "ben": "ΟΔΥΣΣΕΥΣ Straße",
    "olga-p": "Ольга Петрова",
    "dai": "山田 太郎",
    "priya": "प्रियंका चोपड़ा",
    "noor": "نور الهدى",
    "bo": "  O'Brien_Smith 2nd",
}


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("ann", {"anna"}),
        ("KEL", {"anna"}),
        ("ose", {"anna"}),
        ("anna keller", {"anna"}),
        ("keller-o", {"anna"}),
        ("eller", set()),
        ("k", {"anna", "k2"}),
        ("K2", {"k2"}),
        ("ÉMI", {"k2"}),
        ("e\u0301mile", {"k2"}),
        ("οδυσσευσ", {"ben"}),
        ("STRASSE", {"ben"}),
        ("straß", {"ben"}),
        ("ПЕТ", {"olga-p"}),
        ("olga-", {"olga-p"}),
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
        ("%", set()),
        ("_smith", {"bo"}),
        ("n_", set()),
        ("a%", set()),
    ],
)
async def test_a_search_finds_the_beginnings_of_words(
    world: World, search: str, expected: set[str]
) -> None:
    """A search finds the beginning of a guid or of a word of a name, in any case and script."""
    for guid, name in NAMES.items():
        await create_group(world, guid, by=None, name=name)
    await world.user("sara")

    for uid in (None, "sara"):
        seen = await guids(world, f"/groups?searchKey={quote(search)}", as_=uid)
        assert set(seen) == expected
        assert total(world) == len(expected)


async def test_a_search_finds_the_new_name_only(world: World) -> None:
    """After a change of name, the old name finds nothing."""
    await create_group(world, "g1", by=None, name="Keller")
    await world.put("/groups/g1", {"name": "Osei"})

    assert await guids(world, "/groups?searchKey=keller") == []
    assert await guids(world, "/groups?searchKey=osei") == ["g1"]
    assert await guids(world, "/groups?searchKey=g1") == ["g1"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("searchIn=guid", ["ben"]),
        ("searchIn=name", ["anglers"]),
        ("searchIn=name,guid", ["ben", "anglers"]),
        ("searchIn=name&searchIn=guid", ["ben", "anglers"]),
        ("searchIn[]=name&searchIn[]=guid", ["ben", "anglers"]),
        ("", ["ben", "anglers"]),
    ],
)
async def test_a_search_in_some_fields(world: World, query: str, expected: list[str]) -> None:
    """`searchIn` limits a search to names or guids."""
    await create_group(world, "anglers", by=None, name="Benedict's")
    await create_group(world, "ben", by=None, name="Cavers")

    assert await guids(world, f"/groups?searchKey=ben&{query}") == expected


# Filters


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("type=public", ["open"]),
        ("type=private", ["secret"]),
        ("types=password", ["locked"]),
        ("types=public,private", ["open", "secret"]),
        ("types=public&types=password", ["locked", "open"]),
        ("types[]=public&types[]=password", ["locked", "open"]),
        ("type=public&types=private", ["open", "secret"]),
        ("types=", ["locked", "open", "secret"]),
    ],
)
async def test_a_list_by_type(world: World, query: str, expected: list[str]) -> None:
    """`type` and `types` limit a list to groups of these types."""
    await make(world, "open")
    await create_group(world, "secret", by=None, type="private")
    await create_group(world, "locked", by=None, type="password", password="x")

    assert await guids(world, f"/groups?{query}&sortBy=guid") == expected
    assert total(world) == len(expected)


async def test_a_list_by_tags(world: World) -> None:
    """A filter by tags finds groups with any of them, in each way to write a list."""
    tags = {"a": ["outdoor", "sea"], "b": ["sea"], "c": ["Sea"], "d": []}
    for guid, some in tags.items():
        await create_group(world, guid, by=None, tags=some)

    assert await guids(world, "/groups?tags=sea") == ["b", "a"]
    for query in ("tags=outdoor,Sea", "tags=outdoor&tags=Sea", "tags[]=outdoor&tags[]=Sea"):
        assert await guids(world, f"/groups?{query}") == ["c", "a"]
        assert total(world) == 2
    assert await guids(world, "/groups?tags=mountain") == []


async def test_filters_join(world: World) -> None:
    """Several filters find the groups that match all of them."""
    await world.user("olga")
    await create_group(world, "anglers", tags=["sea"])
    await create_group(world, "ang-1", tags=["lake"])
    await create_group(world, "ang-2", tags=["sea"], type="private")
    await create_group(world, "ang-3", tags=["sea"], by=None)

    query = "searchKey=ang&tags=sea&type=public&hasJoined=true"
    assert await guids(world, f"/groups?{query}", as_="olga") == ["anglers"]
    assert total(world) == 1


# Who sees which


@pytest.fixture
async def town(world: World) -> World:
    """Groups of each type, of Olga, who is alone in them except for Paul in a private one."""
    await world.users("olga", "paul", "sara")
    for guid, type_ in (("open", "public"), ("locked", "password"), ("secret", "private")):
        await create_group(world, guid, type=type_, password="x")
    await create_group(world, "den", type="private", members={"participants": ["paul"]})
    return world


SEEN = {
    None: {"open", "locked", "secret", "den"},
    "olga": {"open", "locked", "secret", "den"},
    "paul": {"open", "locked", "den"},
    "sara": {"open", "locked"},
}


@pytest.mark.parametrize(("uid", "expected"), SEEN.items())
async def test_visibility_of_groups(town: World, uid: str | None, expected: set[str]) -> None:
    """Private groups are listed for their members and the app only, with any query."""
    for query in ("", "types=public,password,private", "sortBy=guid", "sortBy=name&sortOrder=desc"):
        assert set(await guids(town, f"/groups?{query}", as_=uid)) == expected
        assert total(town) == len(expected)

    private = expected & {"secret", "den"}
    assert set(await guids(town, "/groups?type=private", as_=uid)) == private
    assert total(town) == len(private)
    assert set(await guids(town, "/groups?searchKey=de", as_=uid)) == expected & {"den"}


async def test_a_token_sees_what_its_user_sees(town: World) -> None:
    """The bearer of a token sees the groups that their user may see."""
    assert set(await guids(town, "/groups", token=await town.token("paul"))) == SEEN["paul"]


JOINED = {"olga": {"open", "locked", "secret", "den"}, "paul": {"den"}, "sara": set()}


@pytest.mark.parametrize(("uid", "expected"), JOINED.items())
async def test_joined_groups(town: World, uid: str, expected: set[str]) -> None:
    """`hasJoined=true` lists only groups of which the user is a member; `false` filters nothing."""
    mine = await town.get("/groups?hasJoined=true", as_=uid)
    assert {row["guid"] for row in mine} == expected
    assert total(town) == len(expected)
    assert all(row["hasJoined"] and row["scope"] for row in mine)

    assert set(await guids(town, "/groups?hasJoined=false", as_=uid)) == SEEN[uid]
    assert total(town) == len(SEEN[uid])


async def test_the_app_has_joined_nothing(town: World) -> None:
    """Without an acting user `hasJoined` filters nothing, and no group was joined."""
    rows = await town.get("/groups?hasJoined=true")

    assert len(rows) == total(town) == 4
    assert not any(row["hasJoined"] or "scope" in row for row in rows)


async def test_each_row_has_the_scope_of_the_reader(town: World) -> None:
    """A row has the reader's scope and time of joining, where they are a member."""
    rows = {row["guid"]: row for row in await town.get("/groups", as_="paul")}

    assert (rows["den"]["hasJoined"], rows["den"]["scope"]) == (True, "participant")
    for guid in ("open", "locked"):
        assert rows[guid]["hasJoined"] is False
        assert not rows[guid].keys() & {"scope", "joinedAt"}


async def test_a_list_follows_memberships(town: World) -> None:
    """Added users see a private group; users who leave or are banned no longer see it."""
    await add_participants(town, "den", "sara")
    await join_group(town, "sara", "open")
    assert await guids(town, "/groups?hasJoined=1&sortBy=guid", as_="sara") == ["den", "open"]

    await town.delete("/groups/den/members/sara", as_="sara")
    await town.post("/groups/den/bannedusers/paul")
    await town.post("/groups/open/bannedusers/sara")

    assert set(await guids(town, "/groups", as_="sara")) == SEEN["sara"]
    assert set(await guids(town, "/groups", as_="paul")) == {"open", "locked"}
    for uid in ("sara", "paul"):
        assert await guids(town, "/groups?hasJoined=true", as_=uid) == []
        assert total(town) == 0
