"""The reasons from which users choose when they flag a message."""

from typing import Any

import pytest
from tests.clock import ManualClock
from tests.world import World

from hubbub.records.moderated.model import MOST_REASONS

SPAM = {"id": "spam", "name": "Spam", "description": "Advertising that nobody asked for"}
REASONS = "/moderation/reasons"
NOT_FOUND: Any = {"status": 404, "code": "ERR_REASON_NOT_FOUND"}
BAD: Any = {"status": 400, "code": "ERR_BAD_REQUEST"}


async def test_a_reason_is_created(world: World, clock: ManualClock) -> None:
    """A reason has its fields and times, and is found by its id."""
    made = await world.post(REASONS, SPAM)

    assert made == {**SPAM, "createdAt": clock.now(), "updatedAt": clock.now()}
    assert await world.get(f"{REASONS}/spam") == made
    assert await world.get(REASONS) == [made]
    assert await world.get(f"{REASONS}/SPAM") == made


async def test_the_id_of_a_reason_is_taken_once(world: World) -> None:
    """A second reason with the id is refused, also in upper case; the first one stays."""
    first = await world.post(REASONS, SPAM)

    taken: Any = {"status": 409, "code": "ERR_REASON_ALREADY_EXISTS"}
    for id_ in ("spam", "SPAM"):
        details = await world.refused("POST", REASONS, {"id": id_, "name": "Other"}, **taken)
        assert list(details) == ["id"]
    assert await world.get(REASONS) == [first]


async def test_reasons_are_listed_newest_first(world: World, clock: ManualClock) -> None:
    """`limit` and `perPage` say how many; `meta` has both ways to say where the page is."""
    for id_ in ("one", "two", "three"):
        await world.post(REASONS, {"id": id_, "name": id_})
        clock.advance(1)

    for query in ("limit=2", "perPage=2", "perPage=2&limit=9"):
        page = await world.get(f"{REASONS}?{query}")
        assert [row["id"] for row in page] == ["three", "two"]
        meta = world.answer.meta
        assert meta["current"] == {"limit": 2, "count": 2}
        assert (meta["pagination"]["total"], meta["pagination"]["total_pages"]) == (3, 2)
    assert [row["id"] for row in await world.get(f"{REASONS}?limit=2&page=2")] == ["one"]
    await world.get(REASONS)
    assert world.answer.meta["current"] == {"limit": 50, "count": 3}


async def test_a_reason_is_changed(world: World, clock: ManualClock) -> None:
    """A given field replaces what there was, an absent one stays, and so does the id."""
    made = await world.post(REASONS, SPAM)
    clock.advance(60)

    changed = await world.put(f"{REASONS}/spam", {"name": "Ads"})
    assert changed == {**made, "name": "Ads", "updatedAt": clock.now()}
    changed = await world.put(f"{REASONS}/spam", {"description": ""})
    assert "description" not in changed
    assert await world.get(f"{REASONS}/spam") == changed


async def test_a_reason_is_deleted(world: World) -> None:
    """The acknowledgement stands at the root of the answer; then the reason is gone."""
    await world.post(REASONS, SPAM)
    answer = await world.ask("DELETE", f"{REASONS}/spam")

    assert answer.status == 200
    assert answer.json == {
        "success": True,
        "message": "The reason with id spam has been deleted successfully.",
    }
    assert await world.get(REASONS) == []
    for method, body in (("GET", None), ("PUT", {"name": "a"}), ("DELETE", None)):
        await world.refused(method, f"{REASONS}/spam", body, **NOT_FOUND)


async def test_an_app_has_so_many_reasons(world: World) -> None:
    """One more than the limit is refused, and can be made once another one is deleted."""
    for number in range(MOST_REASONS):
        await world.post(REASONS, {"id": f"r{number}", "name": "R"})

    limit: Any = {"status": 400, "code": "ERR_LIMIT_EXCEEDED"}
    await world.refused("POST", REASONS, SPAM, **limit)
    await world.ask("DELETE", f"{REASONS}/r0")
    await world.post(REASONS, SPAM)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": "Spam"}, "id"),
        ({"id": "spam"}, "name"),
        ({"id": "a b", "name": "Spam"}, "id"),
        ({"id": "x" * 101, "name": "Spam"}, "id"),
        ({"id": "spam", "name": ""}, "name"),
        ({"id": "spam", "name": "x" * 101}, "name"),
        ({"id": "spam", "name": "a\0b"}, "name"),
        ({"id": "spam", "name": "Spam", "description": "x" * 256}, "description"),
    ],
)
async def test_a_bad_reason_is_refused(world: World, body: dict[str, str], field: str) -> None:
    """The wrong field is named, and nothing is created."""
    details = await world.refused("POST", REASONS, body, **BAD)

    assert list(details) == [field]
    assert await world.get(REASONS) == []
