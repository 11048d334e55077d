"""Messages that users flag, and their reviews."""

from typing import Any

import pytest
from tests.api.messages.talk import group, say, texts, to_group, to_user
from tests.api.people.erasing import rows_of
from tests.clock import ManualClock
from tests.world import Json, Node, World

from hubbub.domain.audit.find import list_audit
from hubbub.domain.erasure.erase import erase_all
from hubbub.records.audit.model import API_KEY, AuditFilter

NOT_FOUND: Any = {"status": 404, "code": "ERR_MESSAGE_ID_NOT_FOUND"}
TWICE = "ERR_ALREADY_REVIEWED"
FLAGGED, REVIEWED = "/moderation/flagged-messages", "/moderation/reviewed-messages"


@pytest.fixture
async def pair(world: World) -> World:
    """Anna has sent 1 and 2 to Ben; Clara is somebody else; one may flag for spam."""
    await world.users("anna", "ben", "clara")
    for text in ("One", "Two"):
        await say(world, "anna", to_user("ben", text))
    await world.post("/moderation/reasons", {"id": "spam", "name": "Spam"})
    return world


async def flag(world: World, id_: int, by: str = "ben", **why: str) -> Json:
    """Flag a message; return the answer."""
    answer: Json = await world.post(f"/messages/{id_}/flagged", why, as_=by)
    return answer


async def ids(world: World, path: str) -> list[str]:
    """Return the ids of the messages of a list, in its order."""
    return [row["message"]["id"] for row in await world.get(path)]


async def review(world: World, id_: int, status: str) -> Json:
    """Review a flagged message; return the answer."""
    answer: Json = await world.patch(f"{FLAGGED}/{id_}", {"status": status})
    return answer


async def test_a_message_is_flagged(pair: World, clock: ManualClock) -> None:
    """The app finds it with the flag; for its participants nothing changes."""
    before = await pair.get("/messages/1", as_="anna")
    clock.advance(60)
    answer = await flag(pair, 1, reasonId="spam", remark="Again and again")

    assert answer["success"]
    [row] = await pair.get(FLAGGED)
    assert row["message"] == await pair.get("/messages/1")
    [flagged] = row["flags"]
    assert flagged == {
        "uid": "ben",
        "reasonId": "spam",
        "remark": "Again and again",
        "flaggedAt": clock.now(),
    }
    assert (row["flagsCount"], row["status"]) == (1, "pending")
    assert await pair.get("/messages/1", as_="anna") == before


@pytest.mark.parametrize(
    ("status", "action"),
    [("approved", "moderation.approve"), ("disapproved", "moderation.refuse")],
)
async def test_a_review_is_in_the_audit_log(
    node: Node, pair: World, status: str, action: str
) -> None:
    """Each decision has one entry; one that is refused, since there was another, has none."""
    await flag(pair, 1)
    await review(pair, 1, status)
    await pair.refused("PATCH", f"{FLAGGED}/1", {"status": status}, status=409, code=TWICE)

    [entry] = await list_audit(node.runtime, AuditFilter(app=pair.app_id), limit=10)
    assert (entry.operator, entry.action, entry.subject) == (API_KEY, action, "1")


async def test_each_user_flags_a_message_once(pair: World, clock: ManualClock) -> None:
    """Again it replaces reason and remark; each other user has a flag of their own."""
    await flag(pair, 1, reasonId="spam", remark="First")
    clock.advance(1)
    await flag(pair, 1, remark="Second")
    clock.advance(1)
    await flag(pair, 1, by="anna")

    [row] = await pair.get(FLAGGED)
    assert [each["uid"] for each in row["flags"]] == ["anna", "ben"]
    assert "reasonId" not in row["flags"][1]
    assert row["flags"][1]["remark"] == "Second"
    assert row["flagsCount"] == 2


async def test_the_latest_flag_is_first(pair: World, clock: ManualClock) -> None:
    """The list is in the order of the latest flags, in pages."""
    for id_ in (1, 2, 1):
        await flag(pair, id_)
        clock.advance(1)

    assert await ids(pair, FLAGGED) == ["1", "2"]
    assert await ids(pair, f"{FLAGGED}?limit=1&page=2") == ["2"]
    assert pair.answer.meta["current"] == {"limit": 1, "count": 1}
    assert pair.answer.meta["pagination"]["total"] == 2


async def test_only_who_reads_a_message_flags_it(pair: World) -> None:
    """To others the message does not exist, and so does one that was never sent."""
    for id_, by in ((1, "clara"), (99, "ben")):
        await pair.refused("POST", f"/messages/{id_}/flagged", {}, as_=by, **NOT_FOUND)

    assert await pair.get(FLAGGED) == []


async def test_an_unknown_reason_is_refused(pair: World) -> None:
    """A flag names a reason of the app, or none; nothing is flagged otherwise."""
    await pair.refused(
        "POST",
        "/messages/1/flagged",
        {"reasonId": "rude"},
        as_="ben",
        status=404,
        code="ERR_REASON_NOT_FOUND",
    )

    assert await pair.get(FLAGGED) == []
    await flag(pair, 1, reasonId="SPAM")


async def test_what_is_deleted_is_not_flagged(pair: World) -> None:
    """A deleted message and an action message can't be flagged."""
    deletion = await pair.delete("/messages/1", as_="anna")

    for id_ in (1, deletion["id"]):
        await pair.refused(
            "POST",
            f"/messages/{id_}/flagged",
            {},
            as_="ben",
            status=403,
            code="ERR_MESSAGE_ACTION_NOT_ALLOWED",
        )


async def test_an_approved_message_stays(pair: World, clock: ManualClock) -> None:
    """It moves to the reviewed messages with time and reviewer, and stays as it is."""
    await flag(pair, 1, reasonId="spam")
    before = await pair.get("/messages/1", as_="ben")
    clock.advance(60)

    outcome = {"status": "approved", "reviewedAt": clock.now(), "reviewedBy": "app_system"}
    assert await review(pair, 1, "approved") == outcome
    assert await pair.get(FLAGGED) == []
    [row] = await pair.get(REVIEWED)
    assert outcome.items() <= row.items()
    assert (row["message"]["id"], row["flags"][0]["reasonId"]) == ("1", "spam")
    assert await pair.get("/messages/1", as_="ben") == before


async def test_a_disapproved_message_is_hidden(pair: World) -> None:
    """Its participants see a deleted message; the app still reads the content, and the decision."""
    await flag(pair, 1)
    await review(pair, 1, "disapproved")

    for uid in ("anna", "ben"):
        shown = await pair.get("/messages/1", as_=uid)
        assert (shown["deletedBy"], "text" in shown["data"]) == ("app_system", False)
        assert "moderation" not in shown["data"]
    kept = await pair.get("/messages/1")
    assert kept["data"]["text"] == "One"
    assert kept["data"]["moderation"] == {"status": "disapproved"}
    [row] = await pair.get(REVIEWED)
    assert (row["status"], row["message"]) == ("disapproved", kept)


@pytest.mark.parametrize("second", ["approved", "disapproved"])
async def test_a_review_is_made_once(pair: World, clock: ManualClock, second: str) -> None:
    """A second review is refused, and says who has reviewed it and when; nothing changes."""
    await flag(pair, 1)
    await review(pair, 1, "approved")
    at = clock.now()
    clock.advance(60)

    details = await pair.refused(
        "PATCH", f"{FLAGGED}/1", {"status": second}, status=409, code="ERR_ALREADY_REVIEWED"
    )
    assert details == {
        "reviewedBy": ["app_system"],
        "reviewedAt": [str(at)],
        "status": ["approved"],
    }
    assert "deletedAt" not in await pair.get("/messages/1")


async def test_a_flag_opens_a_review_anew(pair: World) -> None:
    """A message that is flagged after its review is to be reviewed again."""
    await flag(pair, 1)
    await review(pair, 1, "approved")
    await flag(pair, 1, by="anna")

    assert await ids(pair, FLAGGED) == ["1"]
    assert await ids(pair, REVIEWED) == []
    await review(pair, 1, "disapproved")
    assert await ids(pair, REVIEWED) == ["1"]


async def test_what_nobody_flagged_is_not_reviewed(pair: World) -> None:
    """A message without flags is not found in a review, and the decision must be one of two."""
    await pair.refused("PATCH", f"{FLAGGED}/1", {"status": "approved"}, **NOT_FOUND)
    await flag(pair, 1)

    for status in ("pending", "rejected", ""):
        details = await pair.refused(
            "PATCH", f"{FLAGGED}/1", {"status": status}, status=400, code="ERR_BAD_REQUEST"
        )
        assert list(details) == ["status"]
    assert await ids(pair, FLAGGED) == ["1"]


async def test_deleted_meanwhile(pair: World) -> None:
    """A message that its sender deletes waits on for the review, which does not delete it twice."""
    await flag(pair, 1)
    await pair.delete("/messages/1", as_="anna")

    [row] = await pair.get(FLAGGED)
    assert row["message"]["deletedBy"] == "anna"
    await review(pair, 1, "disapproved")
    assert (await pair.get("/messages/1"))["deletedBy"] == "anna"
    assert len(await pair.get("/users/ben/messages", as_="anna")) == 3


@pytest.mark.parametrize("is_reviewed", [False, True])
async def test_flags_go_with_their_message(node: Node, pair: World, *, is_reviewed: bool) -> None:
    """Of a message that is deleted permanently no flag and no review is left."""
    await flag(pair, 1)
    if is_reviewed:
        await review(pair, 1, "approved")
    await pair.delete("/messages/1", {"permanent": True}, as_="anna")

    assert await ids(pair, FLAGGED) == await ids(pair, REVIEWED) == []
    await pair.refused("PATCH", f"{FLAGGED}/1", {"status": "approved"}, **NOT_FOUND)
    rows = await rows_of(node, pair, ["message_flags", "reviews"])
    assert rows == {"message_flags": [], "reviews": []}


async def test_flags_go_with_their_user(node: Node, world: World) -> None:
    """The flags of a deleted user are not shown at once, and erased; those of others stay."""
    await world.users("anna", "ben", "clara")
    await group(world, "hikers", "anna", "ben", "clara")
    for text in ("One", "Two"):
        await say(world, "anna", to_group("hikers", text))
    for id_, by in ((1, "ben"), (1, "clara"), (2, "ben")):
        await flag(world, id_, by, remark=f"By {by}")
    await world.delete("/users/ben", {"permanent": True})

    shown = {row["message"]["id"]: row for row in await world.get(FLAGGED)}
    assert [each["uid"] for each in shown["1"]["flags"]] == ["clara"]
    await erase_all(node.runtime)
    assert await ids(world, FLAGGED) == ["1"]
    rows = await rows_of(node, world, ["message_flags"])
    assert "ben" not in str(rows)
    assert "clara" in str(rows)


async def test_flags_of_a_next_holder_stay(node: Node, pair: World) -> None:
    """Who has the uid next keeps their flags while those of the user before are erased."""
    await say(pair, "clara", to_user("ben", "Three"))
    await flag(pair, 3, remark="Old")
    await pair.delete("/users/ben", {"permanent": True})
    await pair.user("ben")
    new = await say(pair, "clara", to_user("ben", "Four"))
    await flag(pair, new["id"], remark="New")
    await erase_all(node.runtime)

    [row] = await pair.get(FLAGGED)
    assert [each["remark"] for each in row["flags"]] == ["New"]


async def test_a_thousand_characters_are_a_remark(pair: World) -> None:
    """A longer remark, and one with U+0000, is refused; nothing is flagged."""
    for remark in ("x" * 1001, "a\0b"):
        details = await pair.refused(
            "POST",
            "/messages/1/flagged",
            {"remark": remark},
            as_="ben",
            status=400,
            code="ERR_BAD_REQUEST",
        )
        assert list(details) == ["remark"]
    assert await pair.get(FLAGGED) == []
    await flag(pair, 1, remark="x" * 1000)
    assert await texts(pair, "/users/ben/messages", as_="anna") == ["One", "Two"]
