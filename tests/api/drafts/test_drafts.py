"""Drafts: kept for their writer alone, the same on all devices."""

import pytest
from tests.api.payloads.rendered import list_entries
from tests.world import Json, Node, World

from hubbub.records.drafts.events import DraftChanged

ANNA_BEN = "/conversations/anna_user_ben/draft"
HIKERS = "/conversations/group_hikers/draft"
NOT_FOUND = "ERR_DRAFT_NOT_FOUND"
HELLO: Json = {"data": {"text": "Dear Ben, ", "metadata": {"quoted": "1"}}}


@pytest.fixture
async def people(world: World) -> World:
    """Anna and Ben are hikers, Clara is not."""
    await world.users("anna", "ben", "clara")
    group = {"guid": "hikers", "name": "H", "type": "public", "owner": "anna"}
    await world.post("/groups", group)
    await world.post("/groups/hikers/members", {"participants": ["ben"]}, as_="anna")
    return world


async def test_a_draft_is_kept(people: World) -> None:
    """A draft is found as it was put, before there is a message, and by its writer alone."""
    kept = await people.put(ANNA_BEN, HELLO, as_="anna")

    assert kept["conversationId"] == "anna_user_ben"
    assert kept["data"] == HELLO["data"]
    assert await people.get(ANNA_BEN, as_="anna") == kept
    await people.refused("GET", ANNA_BEN, status=404, code=NOT_FOUND, as_="ben")


async def test_the_latest_draft_counts(node: Node, people: World) -> None:
    """A later draft replaces the earlier one; lists have the latest first."""
    await people.put(ANNA_BEN, HELLO, as_="anna")
    node.clock.advance(1)
    await people.put(HIKERS, {"data": {"text": "Dear all"}}, as_="anna")
    node.clock.advance(1)
    await people.put(ANNA_BEN, {"data": {"text": "Hi"}}, as_="anna")
    await people.put(ANNA_BEN, HELLO, as_="ben")

    listed = await people.get("/drafts", as_="anna")
    assert [(each["conversationId"], each["data"]["text"]) for each in listed] == [
        ("anna_user_ben", "Hi"),
        ("group_hikers", "Dear all"),
    ]
    assert (await people.get(ANNA_BEN, as_="ben"))["data"] == HELLO["data"]


async def test_a_removed_draft_is_gone(people: World) -> None:
    """A draft that was removed is not found; removing it again changes nothing."""
    await people.put(ANNA_BEN, HELLO, as_="anna")
    for _ in range(2):
        await people.delete(ANNA_BEN, as_="anna")

    await people.refused("GET", ANNA_BEN, status=404, code=NOT_FOUND, as_="anna")
    assert await people.get("/drafts", as_="anna") == []


async def test_changes_are_announced_once(node: Node, people: World) -> None:
    """Each change is announced to the writer's sessions; the same draft again is no change."""
    for _ in range(2):
        await people.put(ANNA_BEN, HELLO, as_="anna")
    for _ in range(2):
        await people.delete(ANNA_BEN, as_="anna")

    entries = await list_entries(node, people, kinds={DraftChanged: None})
    assert [(each.event.uid, each.event.receiver) for each in entries] == [("anna", "ben")] * 2  # type: ignore[attr-defined]


async def test_drafts_of_strangers_are_refused(people: World) -> None:
    """Conversations of others, unknown users and groups that one is not in are refused."""
    for path, uid, status, code in [
        (ANNA_BEN, "clara", 404, "ERR_CONVERSATION_NOT_ACCESSIBLE"),
        (HIKERS, "clara", 403, "ERR_GROUP_NOT_JOINED"),
        ("/conversations/anna_user_nobody/draft", "anna", 404, "ERR_UID_NOT_FOUND"),
        ("/conversations/group_nobody/draft", "anna", 404, "ERR_GUID_NOT_FOUND"),
        ("/conversations/nonsense/draft", "anna", 404, "ERR_CONVERSATION_NOT_ACCESSIBLE"),
    ]:
        await people.refused("PUT", path, HELLO, status=status, code=code, as_=uid)
    assert await people.get("/drafts", as_="clara") == []


@pytest.mark.parametrize("data", [None, "text", [], {"text": "a" * 11_000}])
async def test_bad_drafts_are_refused(people: World, data: object) -> None:
    """A draft must be an object of at most the size of a message; the error names the field."""
    answer = await people.ask("PUT", ANNA_BEN, {"data": data}, as_="anna")

    assert answer.status == 400
    assert list(answer.error["details"]) == ["data"]
    assert await people.get("/drafts", as_="anna") == []


async def test_drafts_are_limited(people: World) -> None:
    """At the limit `limits.drafts` a new draft is refused, and an existing one can be changed."""
    await people.put("/settings", {"settings": {"limits.drafts": 1}})
    await people.put(ANNA_BEN, HELLO, as_="anna")
    await people.refused("PUT", HIKERS, HELLO, status=400, code="ERR_LIMIT_EXCEEDED", as_="anna")
    await people.put(ANNA_BEN, {"data": {"text": "Hi"}}, as_="anna")

    assert (await people.get(ANNA_BEN, as_="anna"))["data"] == {"text": "Hi"}


async def test_who_has_left_removes_their_draft(people: World) -> None:
    """In a group that one has left, one's draft can't be read by its path, but be removed."""
    await people.put(HIKERS, HELLO, as_="ben")
    await people.delete("/groups/hikers/members/ben", as_="ben")

    await people.refused("GET", HIKERS, status=403, code="ERR_GROUP_NOT_JOINED", as_="ben")
    await people.delete(HIKERS, as_="ben")
    assert await people.get("/drafts", as_="ben") == []


@pytest.mark.parametrize("gone", ["user", "group"])
async def test_drafts_go_with_their_receiver(people: World, gone: str) -> None:
    """With a user or group that is deleted, drafts to them go: another may have the id next."""
    if gone == "user":
        await people.put(ANNA_BEN, HELLO, as_="anna")
        await people.put(ANNA_BEN, HELLO, as_="ben")
        await people.delete("/users/ben", {"permanent": True})
        await people.users("ben")
    else:
        await people.put(HIKERS, HELLO, as_="anna")
        await people.delete("/groups/hikers", as_="anna")

    assert await people.get("/drafts", as_="anna") == []
    assert await people.get("/drafts", as_="ben") == []
