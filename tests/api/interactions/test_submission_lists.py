"""Lists of submissions: who sees them, pages, cursors; what is left when users are deleted."""

import pytest
from tests.api.interactions.forms import (
    form,
    goal,
    logged_events,
    send,
    submit,
    use,
    used,
)
from tests.api.interactions.submitting import (
    ANSWERED,
    BAD,
    COMPLETED,
    NO_MESSAGE,
    refuse,
)
from tests.api.messages.talk import stored
from tests.engines import one_engine
from tests.world import CallOptions, Node, World

from hubbub.domain.erasure.erase import erase_all


async def test_visibility_of_submissions(club: World) -> None:
    """The sender and the app see submissions; other readers of the message are refused."""
    path = f"{await send(club, form(), to='club', kind='group')}/submissions"
    rows = [await submit(club, path.removesuffix("/submissions"), ANSWERED, uid="ben")]

    assert await club.get(path) == rows
    assert await club.get(path, as_="anna") == rows
    for how in (
        CallOptions(as_="ben"),
        CallOptions(as_="clara"),
        CallOptions(token=await club.token("ben")),
    ):
        await club.refused("GET", path, status=403, code="ERR_MESSAGE_NO_ACCESS", **how)
    await club.refused("GET", path, status=404, code=NO_MESSAGE, as_="dora")
    await club.refused("GET", path, status=404, code="ERR_UID_NOT_FOUND", as_="emil")
    for nowhere in ("/messages/999999/submissions", "/messages/9223372036854775807/submissions"):
        await club.refused("GET", nowhere, status=404, code=NO_MESSAGE)


async def test_a_list_is_walked_both_ways(two: World) -> None:
    """Slices are ascending, and have cursors to go on until there are no more."""
    path = await send(two, form())
    other = await send(two, form())
    ids = []
    for number in range(7):
        ids.append((await submit(two, path, {"name": f"Ben {number}"}))["id"])
        await submit(two, other, ANSWERED)

    forth, back = await walk(two, path, "next", ""), await walk(two, path, "previous", "prepend")
    assert forth == [ids[0:3], ids[3:6], ids[6:]]
    assert back == [ids[4:], ids[1:4], ids[:1]]
    assert [row["id"] for row in await two.get(f"{path}/submissions")] == ids
    assert two.answer.meta == {"current": {"limit": 100, "count": 7}}


async def walk(world: World, path: str, way: str, affix: str) -> list[list[str]]:
    """Return the ids of all slices of three, following a cursor of the answers."""
    query = f"affix={affix}"
    found: list[list[str]] = []
    while len(found) < 9:
        rows = await world.get(f"{path}/submissions?limit=3&{query}", as_="anna")
        meta = world.answer.meta
        found.append([row["id"] for row in rows])
        assert meta["current"] == {"limit": 3, "count": len(rows)}
        if way not in meta:
            break
        assert meta[way]["id"] == found[-1][-1 if way == "next" else 0]
        query = "&".join(f"{name}={value}" for name, value in meta[way].items())
    others = {"next": "previous", "previous": "next"}
    assert (others[way] in meta) is (len(found) > 1)
    return found


async def test_the_ends_of_a_list(two: World) -> None:
    """Beyond either end there is nothing; a form without submissions has none."""
    path = await send(two, form())
    assert await two.get(f"{path}/submissions", as_="anna") == []
    submission = await submit(two, path, ANSWERED)

    for query in (f"id={submission['id']}", f"id={submission['id']}&affix=prepend"):
        assert await two.get(f"{path}/submissions?{query}") == []
        assert two.answer.meta == {"current": {"limit": 100, "count": 0}}
    assert await two.get(f"{path}/submissions?id=9223372036854775807&affix=prepend") == [submission]
    assert two.answer.meta == {"current": {"limit": 100, "count": 1}}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        ("limit=ten", "limit"),
        ("affix=before", "affix"),
        ("id=0", "id"),
        ("id=-1", "id"),
        ("id=x", "id"),
        ("id=9999999999999999999", "id"),
        ("id=1%00", "id"),
    ],
)
@one_engine
async def test_bad_cursors_name_the_field(two: World, query: str, field: str) -> None:
    """A limit outside 1 to 1,000, an unknown affix and a malformed id are refused."""
    path = await send(two, form())

    details = await two.refused("GET", f"{path}/submissions?{query}", status=400, code=BAD)
    assert list(details) == [field]


async def test_a_new_holder_of_a_uid_begins_anew(node: Node, club: World) -> None:
    """Submissions of the previous holder of a uid do not count, before and after the erasure."""
    path = await send(club, form(once=True, **goal("any")), to="club", kind="group")
    await submit(club, path, {"name": "Ben the first"}, uid="ben")
    await submit(club, path, {"name": "Clara"}, uid="clara")
    await club.delete("/users/ben", {"permanent": True})
    await club.user("ben")
    await club.post("/groups/club/members", {"participants": ["ben"]})

    assert used(await club.get(path, as_="ben")) == []
    assert await use(club, path, "note") == ["note"]
    await submit(club, path, {"name": "Ben the second"}, uid="ben")
    await erase_all(node.runtime)
    await refuse(club, path, ANSWERED, status=409, code="ERR_ALREADY_SUBMITTED")
    names = [row["formData"]["name"] for row in await club.get(f"{path}/submissions")]
    assert names == ["Clara", "Ben the second"]
    assert sorted(used(await club.get(path, as_="ben"))) == ["name", "note", "send"]
    completed = [event for event in await logged_events(node, club) if event[0] == COMPLETED[0]]
    assert completed == [COMPLETED, ("interaction_goal_completed", "clara"), COMPLETED]


async def test_a_permanent_deletion_removes_submissions(node: Node, club: World) -> None:
    """A user's interactions and submissions are deleted with them; those of others are kept."""
    path = await send(club, form(**goal("any")), to="club", kind="group")
    for uid in ("ben", "clara"):
        await use(club, path, "hello", uid=uid)
        await submit(club, path, ANSWERED, uid=uid)
    await club.delete("/users/ben", {"permanent": True})
    await erase_all(node.runtime)

    for table in ("interactions", "submissions"):
        text = f"SELECT DISTINCT uid FROM {table} WHERE app_id = :app_id"
        assert await stored(node, club, text) == [("clara",)], table
