"""Polls: questions with options, votes, their counts, and the end of voting."""

import asyncio
from typing import Any

import pytest
from tests.api.groups.clubs import make_hikers
from tests.api.messages.ballots import ask, counts, do_due, happened, own, poll_to, vote
from tests.api.messages.talk import say, stored, to_group, to_user
from tests.api.people.erasing import rows_of, tables_with_value
from tests.clock import START, ManualClock
from tests.engines import one_engine
from tests.world import Json, Node, World

from hubbub.domain.erasure.erase import erase_all
from hubbub.domain.polls.close import closed_by

BAD = "ERR_BAD_REQUEST"
BAD_DATA = "ERR_INVALID_MESSAGE_DATA"
CLOSED = "ERR_POLL_CLOSED"
TABLES = ["polls", "poll_options", "poll_votes"]


@pytest.fixture
async def hike(world: World) -> World:
    """The hikers: Olga owns the group, Adam is admin, Mona moderator, Paul a participant."""
    await make_hikers(world)
    return world


async def test_a_poll_is_sent(hike: World) -> None:
    """The message has the question as it was sent, and counts without votes."""
    body = poll_to("hikers", votesPerUser=2, anonymous=True, poll={"voters": 9})

    sent = await hike.post("/messages", body, as_="paul")

    assert (await hike.get(f"/messages/{sent['id']}", as_="mona"))["data"] == sent["data"]
    assert sent["data"]["question"] == "Where to?"
    assert sent["data"]["options"] == ["North", "South", "West"]
    assert sent["data"]["poll"] == {
        "voters": 0,
        "options": [{"votes": 0}] * 3,
    }


@one_engine
@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"question": ""}, "data.question"),
        ({"question": " "}, "data.question"),
        ({"question": "?" * 301}, "data.question"),
        ({"question": 3}, "data.question"),
        ({"options": ["North"]}, "data.options"),
        ({"options": [str(each) for each in range(21)]}, "data.options"),
        ({"options": "North"}, "data.options"),
        ({"options": ["North", ""]}, "data.options.1"),
        ({"options": ["North", "N" * 101]}, "data.options.1"),
        ({"options": ["North", {"text": "South"}]}, "data.options.1"),
        ({"options": ["North", "South", "North "]}, "data.options.2"),
        ({"votesPerUser": 0}, "data.votesPerUser"),
        ({"votesPerUser": 4}, "data.votesPerUser"),
        ({"votesPerUser": True}, "data.votesPerUser"),
        ({"votesPerUser": None}, "data.votesPerUser"),
        ({"anonymous": "yes"}, "data.anonymous"),
        ({"closesAt": "soon"}, "data.closesAt"),
        ({"closesAt": 10**18}, "data.closesAt"),
    ],
)
async def test_a_poll_that_is_not_valid(hike: World, data: Json, field: str) -> None:
    """Wrong data is refused with the field named."""
    error = await hike.refused(
        "POST", "/messages", poll_to("hikers", **data), as_="paul", status=400, code=BAD_DATA
    )

    assert list(error) == [field]


async def test_a_poll_that_would_be_closed_at_once(hike: World, clock: ManualClock) -> None:
    """A poll can't close now or in the past."""
    body = poll_to("hikers", closesAt=clock.now())

    error = await hike.refused("POST", "/messages", body, as_="paul", status=400, code=BAD)

    assert list(error) == ["data.closesAt"]


async def test_votes_are_counted(hike: World) -> None:
    """Everybody sees the counts, and each of them their own votes."""
    id_ = await ask(hike, "paul", "hikers")

    voted = await vote(hike, "mona", id_, 1)
    await vote(hike, "paul", id_, 1)
    await vote(hike, "adam", id_, 0)

    assert voted["data"]["poll"]["options"][1] == {"votes": 1, "votedByMe": True}
    assert await counts(hike, id_) == [1, 2, 0, 3]
    assert await own(hike, id_, "mona") == [1]
    assert await own(hike, id_, "olga") == []
    page = await hike.get("/groups/hikers/messages", as_="mona")
    assert (
        page[-1]["data"]["poll"] == (await hike.get(f"/messages/{id_}", as_="mona"))["data"]["poll"]
    )


async def test_a_vote_replaces_the_earlier_one(hike: World) -> None:
    """Who votes again has voted for the new options alone; the same vote again changes nothing."""
    id_ = await ask(hike, "paul", "hikers", votesPerUser=2)
    await vote(hike, "mona", id_, 0, 1)
    assert await counts(hike, id_) == [1, 1, 0, 1]

    await vote(hike, "mona", id_, 1, 2)
    await vote(hike, "mona", id_, 2, 1, 1)

    assert await counts(hike, id_) == [0, 1, 1, 1]
    assert await own(hike, id_, "mona") == [1, 2]


async def test_votes_are_taken_back(hike: World) -> None:
    """After that the user has not voted; taking nothing back changes nothing."""
    id_ = await ask(hike, "paul", "hikers")
    await vote(hike, "mona", id_, 0)

    for _ in range(2):
        taken = await hike.delete(f"/messages/{id_}/votes", as_="mona")
        assert taken["data"]["poll"]["voters"] == 0

    assert await counts(hike, id_) == [0, 0, 0, 0]
    assert await hike.get(f"/messages/{id_}/votes") == []


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ([], "options"),
        ([3], "options"),
        ([0, 1], "options"),
        ([-1], "options.0"),
        ([20], "options.0"),
        (["0"], "options.0"),
        ([True], "options.0"),
    ],
)
@one_engine
async def test_votes_that_are_refused(hike: World, options: list[Any], field: str) -> None:
    """Who votes for no option, for one that is not there, or for too many is told so."""
    id_ = await ask(hike, "paul", "hikers")

    error = await hike.refused(
        "POST",
        f"/messages/{id_}/votes",
        {"options": options},
        as_="mona",
        status=400,
        code=BAD,
    )

    assert list(error) == [field]
    assert await counts(hike, id_) == [0, 0, 0, 0]


async def test_who_may_not_vote(hike: World) -> None:
    """Strangers do not find the poll, and what is no poll takes no votes."""
    await hike.users("zoe")
    id_ = await ask(hike, "paul", "hikers")
    text = (await say(hike, "paul", to_group("hikers")))["id"]
    path, body = f"/messages/{id_}/votes", {"options": [0]}

    for method in ("POST", "DELETE"):
        await hike.refused(
            method,
            path,
            body if method == "POST" else None,
            as_="zoe",
            status=404,
            code="ERR_MESSAGE_ID_NOT_FOUND",
        )
    await hike.refused(
        "POST",
        f"/messages/{text}/votes",
        body,
        as_="mona",
        status=403,
        code="ERR_MESSAGE_ACTION_NOT_ALLOWED",
    )
    assert await counts(hike, id_) == [0, 0, 0, 0]


async def test_a_poll_between_two(world: World) -> None:
    """Two users vote, until one of them blocks the other."""
    await world.users("anna", "ben")
    body = {**poll_to(""), "receiver": "ben", "receiverType": "user"}
    id_ = (await say(world, "anna", body))["id"]
    await vote(world, "ben", id_, 0)
    await world.post("/users/anna/blockedusers", {"blockedUids": ["ben"]})

    await world.refused(
        "POST",
        f"/messages/{id_}/votes",
        {"options": [1]},
        as_="ben",
        status=403,
        code="ERR_BLOCKED_SENDER",
    )

    assert await counts(world, id_) == [1, 0, 0, 1]


async def test_who_has_voted(hike: World) -> None:
    """The list has who voted for what, oldest first, of all or for one option, page by page."""
    id_ = await ask(hike, "paul", "hikers", votesPerUser=2)
    for uid, *options in (("mona", 0), ("adam", 1, 0), ("paul", 1)):
        await vote(hike, str(uid), id_, *map(int, options))

    found = await hike.get(f"/messages/{id_}/votes", as_="olga")

    assert [(each["uid"], each["options"]) for each in found] == [
        ("mona", [0]),
        ("adam", [0, 1]),
        ("paul", [1]),
    ]
    assert found[0]["votedBy"]["name"] == "Mona"
    of_one = await hike.get(f"/messages/{id_}/votes?option=1", as_="olga")
    assert [each["uid"] for each in of_one] == ["adam", "paul"]
    after = await hike.get(f"/messages/{id_}/votes?limit=1&id={found[0]['id']}", as_="olga")
    assert [each["uid"] for each in after] == ["adam"]


async def test_an_anonymous_poll(hike: World) -> None:
    """Nobody is told who has voted, the app included; everybody knows their own vote."""
    id_ = await ask(hike, "paul", "hikers", anonymous=True)
    await vote(hike, "mona", id_, 2)

    for uid in (None, "paul"):
        await hike.refused(
            "GET", f"/messages/{id_}/votes", as_=uid, status=403, code="ERR_POLL_ANONYMOUS"
        )

    assert await own(hike, id_, "mona") == [2]


async def test_a_poll_closes_at_its_time(hike: World, node: Node, clock: ManualClock) -> None:
    """From then on nobody votes, and the end is announced once."""
    id_ = await ask(hike, "paul", "hikers", closesAt=clock.now() + 60)
    await vote(hike, "mona", id_, 0)
    clock.advance(59.999)
    await vote(hike, "mona", id_, 1)
    await do_due(node)
    assert "poll_closed" not in await happened(node, hike)

    clock.advance(0.001)
    for method, body in (("POST", {"options": [0]}), ("DELETE", None)):
        await hike.refused(
            method, f"/messages/{id_}/votes", body, as_="mona", status=409, code=CLOSED
        )
    for _ in range(3):
        await do_due(node)
        clock.advance(60)

    assert (await happened(node, hike)).count("poll_closed") == 1
    poll = (await hike.get(f"/messages/{id_}"))["data"]["poll"]
    assert poll["closedAt"] == poll["closesAt"]
    assert await counts(hike, id_) == [0, 1, 0, 1]


@pytest.mark.parametrize("uid", ["paul", "mona", "adam", "olga", None])
async def test_closing_early(hike: World, node: Node, clock: ManualClock, uid: str | None) -> None:
    """The author, moderators and the app close a poll; its time then changes nothing."""
    id_ = await ask(hike, "paul", "hikers", closesAt=clock.now() + 60)

    for _ in range(2):
        closed = await hike.post(f"/messages/{id_}/votes/close", as_=uid)
        assert closed["data"]["poll"]["closedAt"] == clock.now()

    await hike.refused(
        "POST", f"/messages/{id_}/votes", {"options": [0]}, as_="mona", status=409, code=CLOSED
    )
    clock.advance(61)
    await do_due(node)
    assert await happened(node, hike) == ["poll_closed"]


async def test_others_do_not_close_it(hike: World) -> None:
    """A participant closes no poll of others, and what is no poll is not closed."""
    id_ = await ask(hike, "mona", "hikers")
    text = (await say(hike, "paul", to_group("hikers")))["id"]

    await hike.refused(
        "POST",
        f"/messages/{id_}/votes/close",
        as_="paul",
        status=403,
        code="ERR_MESSAGE_NOT_A_SENDER",
    )
    await hike.refused(
        "POST",
        f"/messages/{text}/votes/close",
        as_="paul",
        status=403,
        code="ERR_MESSAGE_ACTION_NOT_ALLOWED",
    )

    await vote(hike, "paul", id_, 0)


async def test_a_clock_that_is_set_back(hike: World, node: Node, clock: ManualClock) -> None:
    """A poll closes at its time as clocks show it then; counts that wait are told at once."""
    id_ = await ask(hike, "paul", "hikers", closesAt=clock.now() + 60)
    await vote(hike, "mona", id_, 0)
    await vote(hike, "adam", id_, 0)
    clock.set_back(3600)

    await do_due(node)
    told = await happened(node, hike)
    clock.advance(3659)
    await do_due(node)
    assert await happened(node, hike) == told
    clock.advance(1)
    await do_due(node)

    assert told == ["poll_voted", "poll_updated", "poll_voted", "poll_updated"]
    assert await happened(node, hike) == [*told, "poll_closed"]


async def test_many_votes_are_told_together(hike: World, node: Node, clock: ManualClock) -> None:
    """The counts are announced once a second at most, and the last ones are."""
    id_ = await ask(hike, "paul", "hikers")
    voters = ["mona", "adam", "paul", "olga"]
    for uid in voters:
        await vote(hike, uid, id_, 0)
    assert (await happened(node, hike)).count("poll_updated") == 1

    await do_due(node)
    assert (await happened(node, hike)).count("poll_updated") == 1
    clock.advance(1)
    await do_due(node)
    clock.advance(10)
    await do_due(node)

    assert (await happened(node, hike)).count("poll_updated") == 2
    assert (await happened(node, hike)).count("poll_voted") == 4


async def test_votes_at_once(hike: World) -> None:
    """Calls that arrive together are counted exactly, those of one user too."""
    uids = [f"voter{at}" for at in range(20)]
    await hike.users(*uids)
    for uid in uids:
        await hike.post("/groups/hikers/members", {"participants": [uid]})
    id_ = await ask(hike, "paul", "hikers")

    await asyncio.gather(
        *(vote(hike, uid, id_, at % 3) for at, uid in enumerate(uids)),
        *(vote(hike, "mona", id_, 1) for _ in range(5)),
    )

    assert await counts(hike, id_) == [7, 8, 6, 21]


async def test_options_are_edited_before_anybody_votes(hike: World) -> None:
    """The poll has the new options, and how many each may vote for."""
    id_ = await ask(hike, "paul", "hikers")

    data = {"options": ["A", "B", "C", "D"], "votesPerUser": 4}
    await hike.put(f"/messages/{id_}", {"data": data}, as_="paul")

    await vote(hike, "mona", id_, 0, 1, 2, 3)
    assert await counts(hike, id_) == [1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    "data",
    [
        {"question": "Whither?"},
        {"options": ["North", "South"]},
        {"votesPerUser": 2},
        {"anonymous": True},
    ],
)
async def test_what_was_voted_on_stays(hike: World, data: Json) -> None:
    """Once somebody has voted, an edit of what they voted on is refused; others are not."""
    id_ = await ask(hike, "paul", "hikers")
    await vote(hike, "mona", id_, 0)

    error = await hike.refused(
        "PUT",
        f"/messages/{id_}",
        {"data": data},
        as_="paul",
        status=409,
        code="ERR_POLL_HAS_VOTES",
    )
    await hike.put(f"/messages/{id_}", {"data": {"metadata": {"a": 1}}}, as_="paul")

    assert list(error) == [f"data.{name}" for name in data]
    assert await counts(hike, id_) == [1, 0, 0, 1]
    await hike.delete(f"/messages/{id_}/votes", as_="mona")
    await hike.put(f"/messages/{id_}", {"data": data}, as_="paul")


async def test_the_end_is_moved(hike: World, node: Node, clock: ManualClock) -> None:
    """The time at which a poll closes is edited while it is open, and never to the past."""
    id_ = await ask(hike, "paul", "hikers", closesAt=clock.now() + 60)
    await vote(hike, "mona", id_, 0)

    await hike.put(f"/messages/{id_}", {"data": {"closesAt": clock.now() + 120}}, as_="paul")
    clock.advance(60)
    await do_due(node)
    await vote(hike, "mona", id_, 1)
    await hike.refused(
        "PUT",
        f"/messages/{id_}",
        {"data": {"closesAt": clock.now()}},
        as_="paul",
        status=400,
        code=BAD,
    )
    clock.advance(60)
    await do_due(node)
    await hike.refused(
        "PUT",
        f"/messages/{id_}",
        {"data": {"closesAt": clock.now() + 60}},
        as_="paul",
        status=409,
        code=CLOSED,
    )

    assert (await happened(node, hike)).count("poll_closed") == 1
    assert await counts(hike, id_) == [0, 1, 0, 1]


async def test_a_deleted_poll(hike: World, node: Node, clock: ManualClock) -> None:
    """Nobody votes in it, and its end is not announced."""
    id_ = await ask(hike, "paul", "hikers", closesAt=clock.now() + 60)
    await vote(hike, "mona", id_, 0)
    await hike.delete(f"/messages/{id_}", as_="paul")

    assert "poll" not in (await hike.get(f"/messages/{id_}", as_="mona"))["data"]
    assert await hike.get(f"/messages/{id_}/votes", as_="mona") == []
    await hike.refused(
        "POST",
        f"/messages/{id_}/votes",
        {"options": [0]},
        as_="mona",
        status=403,
        code="ERR_MESSAGE_ACTION_NOT_ALLOWED",
    )
    clock.advance(61)
    await do_due(node)

    assert "poll_closed" not in await happened(node, hike)


async def test_a_poll_that_is_deleted_permanently(hike: World, node: Node) -> None:
    """Nothing of it is left in the store."""
    id_ = await ask(hike, "paul", "hikers")
    await vote(hike, "mona", id_, 0)

    await hike.delete(f"/messages/{id_}", {"permanent": True}, as_="paul")

    assert not any((await rows_of(node, hike, TABLES)).values())
    await do_due(node)


async def test_an_erased_group(hike: World, node: Node) -> None:
    """Its polls end with it."""
    id_ = await ask(hike, "paul", "hikers")
    await vote(hike, "mona", id_, 0)

    await hike.delete("/groups/hikers")
    await erase_all(node.runtime)

    assert not any((await rows_of(node, hike, TABLES)).values())


async def test_an_erased_voter(hike: World, node: Node, clock: ManualClock) -> None:
    """Their votes no longer count, and all are told the new counts; others' votes stay."""
    id_ = await ask(hike, "olga", "hikers", votesPerUser=2)
    await vote(hike, "mona", id_, 0, 1)
    await vote(hike, "adam", id_, 1)
    clock.advance(5)
    await do_due(node)
    before = (await happened(node, hike)).count("poll_updated")

    await hike.delete("/users/mona", {"permanent": True})
    assert [each["uid"] for each in await hike.get(f"/messages/{id_}/votes")] == ["adam"]
    await erase_all(node.runtime)
    clock.advance(1)
    await do_due(node)

    assert await counts(hike, id_) == [0, 1, 0, 1]
    assert (await happened(node, hike)).count("poll_updated") == before + 1
    assert tables_with_value(await rows_of(node, hike, TABLES), "mona") == []


async def test_a_new_user_of_an_erased_uid(hike: World, node: Node) -> None:
    """Their vote is their own, also before the former user's votes are erased."""
    id_ = await ask(hike, "olga", "hikers")
    await vote(hike, "mona", id_, 0)
    await hike.delete("/users/mona", {"permanent": True})
    await hike.users("mona")
    await hike.post("/groups/hikers/members", {"participants": ["mona"]})

    assert await own(hike, id_, "mona") == []
    await vote(hike, "mona", id_, 2)
    assert await counts(hike, id_) == [0, 0, 1, 1]
    await erase_all(node.runtime)

    assert await counts(hike, id_) == [0, 0, 1, 1]
    assert await own(hike, id_, "mona") == [2]


async def test_imported_polls(hike: World, node: Node, clock: ManualClock) -> None:
    """An imported poll takes votes until its time; one whose time is over is closed, unheard."""
    rows = {
        f"m{at}": {
            "muid": f"m{at}",
            "sender": "paul",
            "sentAt": START - 100,
            **poll_to("hikers", closesAt=closes_at),
        }
        for at, closes_at in enumerate([START - 50, clock.now() + 50])
    }

    made = await hike.post("/data_import/messages", {"messages": rows})
    old, new = (made[f"m{at}"]["data"]["id"] for at in range(2))

    await hike.refused(
        "POST", f"/messages/{old}/votes", {"options": [0]}, as_="mona", status=409, code=CLOSED
    )
    await vote(hike, "mona", new, 0)
    await do_due(node)
    assert "poll_closed" not in await happened(node, hike)


async def test_a_defect_holds_up_no_other_poll(
    hike: World, node: Node, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A poll that can't be closed for a defect is tried again later; others close."""
    bad = await ask(hike, "paul", "hikers", closesAt=clock.now() + 10)
    good = await ask(hike, "paul", "hikers", closesAt=clock.now() + 20)
    real = closed_by

    def fail(tx: Any, poll: Any, by: Any, now: int) -> Any:
        if str(poll.message) == bad:
            raise ZeroDivisionError
        return real(tx, poll, by, now)

    monkeypatch.setattr("hubbub.domain.polls.due.closed_by", fail)
    clock.advance(30)
    await do_due(node)
    monkeypatch.undo()

    assert "closedAt" in (await hike.get(f"/messages/{good}"))["data"]["poll"]
    assert "closedAt" not in (await hike.get(f"/messages/{bad}"))["data"]["poll"]
    clock.advance(3600)
    await do_due(node)
    assert "closedAt" in (await hike.get(f"/messages/{bad}"))["data"]["poll"]


async def test_a_plain_send_has_no_rows_of_polls(world: World, node: Node) -> None:
    """A message that is no poll leaves nothing in the tables of polls."""
    await world.users("anna", "ben")
    await say(world, "anna", to_user("ben"))

    for table in (*TABLES, "poll_queues"):
        assert await stored(node, world, f"SELECT 1 FROM {table} WHERE app_id = :app_id") == []
