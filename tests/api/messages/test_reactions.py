"""Reactions to messages: add, remove, count, list."""

import asyncio
import json
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from tests.api.groups.clubs import make_hikers
from tests.api.messages.talk import events, say, stored, to_group, to_user
from tests.api.people.erasing import rows_of, tables_with_value
from tests.clock import ManualClock
from tests.engines import one_engine
from tests.live import LiveNode
from tests.world import Json, Node, World

from hubbub.domain.access.actor import Actor
from hubbub.domain.erasure.erase import erase_all
from hubbub.domain.reactions.react import ReactionRequest, react
from hubbub.kernel.errors import Refusal
from hubbub.storage.interface import Transaction

BAD = "ERR_BAD_REQUEST"
DENIED = "ERR_PERMISSION_DENIED"
NOT_FOUND = "ERR_MESSAGE_ID_NOT_FOUND"
NOT_ALLOWED = "ERR_MESSAGE_ACTION_NOT_ALLOWED"
BLOCKED = ("ERR_BLOCKED_SENDER", "ERR_BLOCKED_RECEIVER")
UP, HEART = "👍", "❤️"


@pytest.fixture
async def pair(world: World) -> World:
    """Anna has sent 1 to Ben; Clara is not involved."""
    await world.users("anna", "ben", "clara")
    await say(world, "anna", to_user("ben", "Hi"))
    return world


@pytest.fixture
async def hike(world: World) -> World:
    """Olga has sent 1 to the hikers: Adam, Mona, Paul and her."""
    await world.put("/settings", {"settings": {"core.conversations.updateOnGroupActions": False}})
    await make_hikers(world)
    return world


def path_of(reaction: str, id_: str = "1") -> str:
    """Return the path of a reaction to a message."""
    return f"/messages/{id_}/reactions/{quote(reaction, safe='')}"


async def give(world: World, uid: str, reaction: str = UP, id_: str = "1") -> Json:
    """React to a message; return the answer."""
    message: Json = await world.post(path_of(reaction, id_), as_=uid)
    return message


async def take(world: World, uid: str, reaction: str = UP, id_: str = "1") -> Json:
    """Remove a reaction; return the answer."""
    message: Json = await world.delete(path_of(reaction, id_), as_=uid)
    return message


async def shown(world: World, uid: str | None = None, id_: str = "1") -> list[str]:
    """Return a message's reactions with their counts, and a star if the reader's is included."""
    data = (await world.get(f"/messages/{id_}", as_=uid))["data"]
    return [
        f"{each['reaction']}{each['count']}{'*' if each.get('reactedByMe') else ''}"
        for each in data.get("reactions", [])
    ]


async def test_a_reaction_is_given(pair: World, clock: ManualClock) -> None:
    """The answer is the whole message with its reactions, otherwise unchanged."""
    before = await pair.get("/messages/1")
    clock.advance(60)

    message = await give(pair, "ben")

    assert message["data"].pop("reactions") == [{"reaction": UP, "count": 1, "reactedByMe": True}]
    assert message == before
    assert (await pair.get("/messages/1", as_="anna"))["data"]["reactions"] == [
        {"reaction": UP, "count": 1}
    ]


async def test_reactions_are_counted(pair: World) -> None:
    """Each reaction is shown once, oldest first, with its count and whether it is the reader's."""
    for uid, reaction in (("ben", HEART), ("anna", UP), ("ben", UP), ("anna", ":-)")):
        await give(pair, uid, reaction)

    assert await shown(pair, "ben") == [f"{HEART}1*", f"{UP}2*", ":-)1"]
    assert await shown(pair, "anna") == [f"{HEART}1", f"{UP}2*", ":-)1*"]
    assert await shown(pair) == [f"{HEART}1", f"{UP}2", ":-)1"]
    lists = [await pair.get(path, as_="ben") for path in ("/messages", "/users/anna/messages")]
    for rows in lists:
        assert [each["count"] for each in rows[0]["data"]["reactions"]] == [1, 2, 1]


async def test_a_reaction_is_taken_back(pair: World) -> None:
    """A removed reaction is not counted, and not shown if there are no others."""
    for uid, reaction in (("ben", HEART), ("ben", UP), ("anna", UP)):
        await give(pair, uid, reaction)

    assert [each["count"] for each in (await take(pair, "ben"))["data"]["reactions"]] == [1, 1]
    await take(pair, "ben", HEART)
    assert await shown(pair, "ben") == [f"{UP}1"]
    assert "reactions" not in (await take(pair, "anna"))["data"]
    assert await give(pair, "ben", HEART)
    assert await shown(pair) == [f"{HEART}1"]


async def test_reactions_to_what_is_quoted(pair: World) -> None:
    """The answer to a quoting message shows which reactions to the quote are the sender's own."""
    await give(pair, "ben")
    for uid, receiver in (("ben", "anna"), ("anna", "ben")):
        said = await say(pair, uid, to_user(receiver, quotedMessageId="1"))
        [reaction] = said["quotedMessage"]["data"]["reactions"]
        assert reaction.get("reactedByMe", False) == (uid == "ben")


async def test_giving_twice_changes_nothing(node: Node, pair: World) -> None:
    """Reacting twice, or removing a missing reaction, changes nothing and makes no event."""
    first = await give(pair, "ben")
    log = await events(node, pair)

    assert await give(pair, "ben") == first
    assert await take(pair, "ben", HEART) == first
    assert await take(pair, "anna") != first  # for her it is not her own
    assert await shown(pair, "anna") == [f"{UP}1"]
    assert await events(node, pair) == log


async def test_reactions_are_events(node: Node, pair: World, clock: ManualClock) -> None:
    """Each event names the reaction, whose id is the number of its first event."""
    await give(pair, "ben")
    (row,) = await pair.get("/messages/1/reactions")
    at = clock.now()
    clock.advance(5)
    await take(pair, "ben")

    added, removed = (await events(node, pair))[-2:]
    facts = {"message": 1, "conversation": 1, "reaction": UP, "uid": "ben", "reacted_at": at}
    assert row["id"] == str(added[0])
    assert (added[2], removed[2]) == ("message_reaction_added", "message_reaction_removed")
    assert json.loads(added[4]) == {"id": added[0], **facts, "at": at}
    assert json.loads(removed[4]) == {"id": added[0], **facts, "at": at + 5}


REACTIONS = [
    "👍🏽",
    "👨‍👩‍👧‍👦",
    "a",
    "a b",
    " ",
    "%",
    "?",
    "#",
    "é",
    "e\u0301",
    "ﷺ",
    "🏔" * 100,
    "+1",
    "'",
    "--",
    "...",
    "/",
    "//",
    "a/",
    "/a",
    ":-/ a/b",
    "%2F",
    "/%2f",
]


@pytest.mark.parametrize("reaction", REACTIONS)
async def test_a_valid_reaction(pair: World, reaction: str) -> None:
    """A reaction is any text of 1 to 100 characters, stored unchanged."""
    await give(pair, "ben", reaction)

    assert await shown(pair) == [f"{reaction}1"]
    for path in ("/messages/1/reactions", path_of(reaction)):
        assert [row["reaction"] for row in await pair.get(path)] == [reaction]
    assert "reactions" not in (await take(pair, "ben", reaction))["data"]


async def test_reactions_are_distinguished(pair: World) -> None:
    """Case, accents and skin tones make different reactions."""
    given = ["a", "A", "é", "e\u0301", "👍", "👍🏽", "❤", "❤️", "a/", "/a", "/", "//", "a%2F"]
    for reaction in given:
        await give(pair, "ben", reaction)

    assert await shown(pair) == [f"{reaction}1" for reaction in given]


@pytest.mark.parametrize(
    "reaction",
    [
        *("%00", "a%00", "%ff", "%ed%a0%80", "%ed%b0%af", "%f0%9f%91", "a%2F%00"),
        *("a" * 101, quote("🏔" * 101), quote("🏔" * 200), "a" * 100 + "%2F"),
    ],
)
@one_engine
async def test_an_invalid_reaction(node: Node, pair: World, reaction: str) -> None:
    """A reaction that is too long, or not a text, is refused by name and changes nothing."""
    log = await events(node, pair)
    for method in ("GET", "POST", "DELETE"):
        path = f"/messages/1/reactions/{reaction}"
        details = await pair.refused(method, path, as_="ben", status=400, code=BAD)
        assert list(details) == ["reaction"]

    assert await events(node, pair) == log


async def test_a_slash_is_kept_on_its_way(live: LiveNode) -> None:
    """Also over a socket, a slash within a reaction is part of it, and one behind it is not."""
    world = await live.world()
    await world.users("anna", "ben")
    id_ = (await say(world, "anna", to_user("ben", "Hi")))["id"]
    for ending in ("", "/"):
        await world.post(path_of("a/", id_) + ending, as_="ben")

    assert await shown(world, id_=id_) == ["a/1"]


async def test_an_encoded_slash_divides_no_path(pair: World) -> None:
    """Elsewhere an encoded slash is a character of an id, and invalid in it."""
    details = await pair.refused("GET", "/users/anna%2F", status=400, code=BAD)
    assert list(details) == ["uid"]
    await pair.refused("GET", "/users%2Fanna", status=404, code="ERR_API_NOT_FOUND")


async def test_the_app_cannot_react(pair: World) -> None:
    """The app itself cannot react."""
    for method in ("POST", "DELETE"):
        details = await pair.refused(method, path_of(UP), status=400, code=BAD)
        assert list(details) == ["onBehalfOf"]
    await pair.post(path_of(UP), token=await pair.token("ben"))

    assert await shown(pair) == [f"{UP}1"]


async def test_a_hundred_different_ones(node: Node, pair: World) -> None:
    """A message has at most 100 different reactions; existing ones may still be added."""
    for number in range(100):
        await give(pair, "ben", f"{number}")
    log = await events(node, pair)

    code = "ERR_LIMIT_EXCEEDED"
    details = await pair.refused("POST", path_of("100"), as_="anna", status=400, code=code)
    assert "100" in str(details["reaction"])
    assert await events(node, pair) == log
    await give(pair, "anna", "7")
    await take(pair, "ben", "8")
    await give(pair, "anna", "100")
    assert len(await shown(pair)) == 100


# Messages and users


async def test_messages_that_take_no_reactions(hike: World) -> None:
    """An action message or a deleted message accepts no reactions, nor their removal."""
    said = await say(hike, "olga", to_group("hikers"))
    await give(hike, "paul", UP, said["id"])
    action = await hike.delete(f"/messages/{said['id']}", as_="olga")

    for id_ in ("1", said["id"], action["id"]):
        for method in ("POST", "DELETE"):
            path = path_of(UP, id_)
            await hike.refused(method, path, as_="paul", status=403, code=NOT_ALLOWED)


async def test_reactions_to_a_deleted_message(pair: World) -> None:
    """Users see no reactions to a deleted message; the app does."""
    await give(pair, "ben")
    await pair.delete("/messages/1", as_="anna")

    assert await shown(pair, "ben") == []
    assert await pair.get("/messages/1/reactions", as_="ben") == []
    assert await shown(pair) == [f"{UP}1"]
    assert len(await pair.get("/messages/1/reactions")) == 1


async def test_action_messages_of_the_app(pair: World) -> None:
    """Action messages of the app between two users accept no reactions either."""
    action = await pair.put("/messages/1", {"tags": ["a"]})

    path = path_of(UP, action["id"])
    await pair.refused("POST", path, as_="ben", status=403, code=NOT_ALLOWED)
    await pair.refused("POST", path, as_="clara", status=404, code=NOT_FOUND)


@pytest.mark.parametrize("id_", ["2", "999999", str(2**63 - 1)])
async def test_there_is_no_such_message(pair: World, id_: str) -> None:
    """A missing message is not found."""
    for method in ("GET", "POST", "DELETE"):
        await pair.refused(method, path_of(UP, id_), as_="ben", status=404, code=NOT_FOUND)
    await pair.refused("GET", f"/messages/{id_}/reactions", status=404, code=NOT_FOUND)


async def test_others_do_not_see_it(pair: World) -> None:
    """For users who take no part in the conversation the message does not exist."""
    for method in ("GET", "POST", "DELETE"):
        await pair.refused(method, path_of(UP), as_="clara", status=404, code=NOT_FOUND)
        path = path_of(UP)
        await pair.refused(method, path, as_="eve", status=404, code="ERR_UID_NOT_FOUND")
    await pair.refused("GET", "/messages/1/reactions", as_="clara", status=404, code=NOT_FOUND)


async def test_former_members_cannot_react(hike: World) -> None:
    """A user who left a group cannot react in it; earlier reactions are kept."""
    said = await say(hike, "olga", to_group("hikers"))
    await give(hike, "paul", UP, said["id"])
    await hike.delete("/groups/hikers/members/paul", as_="paul")

    for method in ("GET", "POST", "DELETE"):
        path = path_of(UP, said["id"])
        await hike.refused(method, path, as_="paul", status=404, code=NOT_FOUND)
    assert await shown(hike, "mona", said["id"]) == [f"{UP}1"]


@pytest.mark.parametrize(("by", "whom"), [("anna", "ben"), ("ben", "anna")])
async def test_blocked_people(pair: World, by: str, whom: str) -> None:
    """While one has blocked the other, no reaction changes between them in either direction."""
    await give(pair, "ben")
    await give(pair, "anna")
    await pair.post(f"/users/{by}/blockedusers", {"blockedUids": [whom]})

    for uid in ("anna", "ben"):
        code = BLOCKED[uid == by]
        for method, reaction in (("POST", HEART), ("DELETE", UP)):
            await pair.refused(method, path_of(reaction), as_=uid, status=403, code=code)
    assert await shown(pair) == [f"{UP}2"]


async def test_notes_to_oneself(pair: World) -> None:
    """Users may react to their own messages, and to notes to themselves."""
    said = await say(pair, "anna", to_user("anna"))

    await give(pair, "anna", UP, said["id"])
    assert await shown(pair, "anna", said["id"]) == [f"{UP}1*"]


async def test_a_message_of_the_app(pair: World) -> None:
    """Users may react to messages that the app writes to them."""
    said = await pair.post("/messages", to_user("anna"))

    await give(pair, "anna", UP, said["id"])
    assert await shown(pair, None, said["id"]) == [f"{UP}1"]


async def permit(world: World, scope: str = "participant", **permissions: Any) -> None:
    """Set permissions of a scope of the hikers."""
    path = f"/groups/hikers/scopes/{scope}/permissions"
    await world.put(path, {"permissions": permissions})


async def test_a_scope_may_not_react(hike: World) -> None:
    """A scope may be denied adding reactions, but not removing its own."""
    id_ = (await say(hike, "olga", to_group("hikers")))["id"]
    await give(hike, "paul", UP, id_)
    await permit(hike, addReaction="deny")

    path = path_of(HEART, id_)
    details = await hike.refused("POST", path, as_="paul", status=403, code=DENIED)
    assert list(details) == ["addReaction"]
    assert await give(hike, "mona", UP, id_)
    assert await take(hike, "paul", UP, id_)
    assert await shown(hike, None, id_) == [f"{UP}1"]


async def test_a_scope_may_not_list(hike: World) -> None:
    """A scope may be denied the lists, or others' reactions in them."""
    id_ = (await say(hike, "olga", to_group("hikers")))["id"]
    for uid in ("olga", "adam", "mona", "paul"):
        await give(hike, uid, UP, id_)
    lists = (f"/messages/{id_}/reactions", path_of(UP, id_))
    await permit(hike, listReactions="deny")
    await permit(hike, "moderator", **{"listReactions.allowedScopes": ["moderator", "participant"]})

    for path in lists:
        details = await hike.refused("GET", path, as_="paul", status=403, code=DENIED)
        assert list(details) == ["listReactions"]
        assert [row["uid"] for row in await hike.get(path, as_="mona")] == ["mona", "paul"]
        rows = await hike.get(f"{path}?limit=1", as_="mona")
        assert ([row["uid"] for row in rows], "next" in hike.answer.meta) == (["mona"], True)
        for viewer in ("olga", None):
            assert len(await hike.get(path, as_=viewer)) == 4
    assert await shown(hike, "paul", id_) == [f"{UP}4*"]


# Lists


async def test_a_list(pair: World, clock: ManualClock) -> None:
    """A row has the reaction, the message, the time, and the current profile of the user."""
    await give(pair, "ben")
    at = clock.now()
    await pair.put("/users/ben", {"name": "Benjamin", "avatar": "https://example.com/b.png"})

    (row,) = await pair.get("/messages/1/reactions", as_="anna")

    by = row.pop("reactedBy")
    assert int(row.pop("id")) > 0
    assert row == {"messageId": "1", "reaction": UP, "uid": "ben", "reactedAt": at}
    assert by == {
        "uid": "ben",
        "name": "Benjamin",
        "avatar": "https://example.com/b.png",
        "status": "offline",
        "role": "default",
        "createdAt": at,
        "conversationId": "anna_user_ben",
    }
    assert pair.answer.meta == {"current": {"limit": 100, "count": 1}}
    assert "conversationId" not in (await pair.get(path_of(UP), as_="ben"))[0]["reactedBy"]


async def test_a_list_of_one_reaction(pair: World) -> None:
    """The list of one reaction has only this one."""
    for uid, reaction in (("ben", UP), ("ben", HEART), ("anna", UP)):
        await give(pair, uid, reaction)

    for reaction, uids in ((UP, ["ben", "anna"]), (HEART, ["ben"]), ("x", [])):
        rows = await pair.get(path_of(reaction))
        assert [row["uid"] for row in rows] == uids
        assert {row["reaction"] for row in rows} <= {reaction}


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 1000])
@pytest.mark.parametrize("way", ["next", "previous"])
async def test_walking_a_list(pair: World, limit: int, way: str) -> None:
    """Following `next` from the start, or `previous` from the end, returns each reaction once."""
    for reaction in "abcde":
        await give(pair, "ben", reaction)
    query: Json = {"limit": limit, "affix": "append" if way == "next" else "prepend"}
    found: list[str] = []
    for _ in range(10):
        rows = await pair.get(f"/messages/1/reactions?{urlencode(query)}")
        page = [row["reaction"] for row in rows]
        found = [*found, *page] if way == "next" else [*page, *found]
        if way not in pair.answer.meta:
            break
        query |= pair.answer.meta[way]
        other = "previous" if way == "next" else "next"
        assert len(found) < 5
        assert other not in pair.answer.meta or len(found) > limit

    assert found == list("abcde")


async def test_a_list_in_the_middle(pair: World) -> None:
    """A cursor in the middle says whether there are rows on either side of the page."""
    for reaction in "abcde":
        await give(pair, "ben", reaction)
    ids = [row["id"] for row in await pair.get("/messages/1/reactions")]

    rows = await pair.get(f"/messages/1/reactions?affix=append&limit=2&id={ids[0]}")

    assert [row["id"] for row in rows] == ids[1:3]
    assert pair.answer.meta == {
        "current": {"limit": 2, "count": 2},
        "previous": {"affix": "prepend", "id": ids[1]},
        "next": {"affix": "append", "id": ids[2]},
    }


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        ("limit=x", "limit"),
        ("affix=after", "affix"),
        ("id=0", "id"),
        ("id=x", "id"),
        (f"id={2**63}", "id"),
        ("id=1%00", "id"),
    ],
)
@one_engine
async def test_a_malformed_query(pair: World, query: str, field: str) -> None:
    """A malformed query is refused with its field named."""
    for path in ("/messages/1/reactions", path_of(UP)):
        details = await pair.refused("GET", f"{path}?{query}", status=400, code=BAD)
        assert list(details) == [field]


# Concurrency, and deleted users


async def test_many_react_at_once(node: Node, hike: World) -> None:
    """Concurrent reactions are all counted, and their ids rise in the log's order."""
    id_ = (await say(hike, "olga", to_group("hikers")))["id"]
    uids = ["olga", "adam", "mona", "paul"]

    answers = await asyncio.gather(
        *(
            hike.ask(method, path_of(reaction, id_), as_=uid)
            for uid in uids
            for reaction in (UP, HEART)
            for method in ("POST", "POST", *(["DELETE"] if uid == "paul" else []))
        ),
        hike.ask("POST", path_of(UP, id_), as_="sara"),
    )

    assert [answer.status for answer in answers] == [200] * 18 + [404]
    assert sorted(await shown(hike, None, id_)) == sorted([f"{UP}3", f"{HEART}3"])
    rows = await hike.get(f"/messages/{id_}/reactions")
    assert len(rows) == 6
    ids = [int(row["id"]) for row in rows]
    numbers = [row[0] for row in await events(node, hike) if row[2] == "message_reaction_added"]
    assert set(ids) <= set(numbers)
    assert ids == sorted(ids)
    await counts_are_right(node, hike)


async def test_in_one_batch(node: Node, pair: World) -> None:
    """Adding and removing in one batch have the same result as one after the other."""
    await give(pair, "ben", HEART)
    order = [("ben", UP, False), ("ben", UP, True), ("ben", HEART, True), ("ben", HEART, False)]
    order += [("anna", UP, False), ("anna", UP, False), ("clara", UP, False)]
    wanted = [ReactionRequest(Actor(uid), 1, text, is_removal=back) for uid, text, back in order]

    async def within(tx: Transaction) -> list[Refusal | None]:
        return await react(tx, wanted, node.clock.now())

    outcomes = await node.runtime.database.write(pair.app_id, within)

    assert [outcome is None for outcome in outcomes] == [*[True] * 6, False]
    assert await shown(pair, "ben") == [f"{HEART}1*", f"{UP}1"]
    names = [row[2].removeprefix("message_reaction_") for row in (await events(node, pair))[-5:]]
    assert names == ["added", "removed", "removed", "added", "added"]
    await counts_are_right(node, pair)


async def counts_are_right(node: Node, world: World) -> None:
    """Check that counts are true, and that messages know whether they have reactions."""
    counts = await stored(
        node, world, "SELECT message, reaction, count FROM reaction_counts WHERE app_id = :app_id"
    )
    there = await stored(
        node,
        world,
        "SELECT message, reaction, count(*) FROM reactions WHERE app_id = :app_id"
        " GROUP BY message, reaction",
    )
    having = await stored(
        node, world, "SELECT id FROM messages WHERE app_id = :app_id AND traits & 1 = 1"
    )
    assert set(map(tuple, counts)) == set(map(tuple, there))
    assert {row[0] for row in having} == {row[0] for row in there}


async def test_reactions_of_a_deleted_user_are_removed(node: Node, hike: World) -> None:
    """The reactions of a permanently deleted user are no longer counted or listed."""
    first, second = [(await say(hike, "olga", to_group("hikers")))["id"] for _ in range(2)]
    for uid, id_ in (("paul", first), ("mona", first), ("paul", second)):
        await give(hike, uid, UP, id_)
    await hike.delete("/users/paul", {"permanent": True})
    await erase_all(node.runtime)

    assert await shown(hike, None, first) == [f"{UP}1"]
    assert await shown(hike, None, second) == []
    assert tables_with_value({"r": (await rows_of(node, hike))["reactions"]}, "paul") == []
    await counts_are_right(node, hike)


async def test_a_uid_that_has_a_new_holder(node: Node, hike: World) -> None:
    """A new holder of a uid has no reactions, even before the erasure of the former one."""
    id_ = (await say(hike, "olga", to_group("hikers")))["id"]
    await give(hike, "paul", UP, id_)
    await give(hike, "paul", HEART, id_)
    await hike.delete("/users/paul", {"permanent": True})
    await hike.user("paul")
    await hike.post("/groups/hikers/members", {"participants": ["paul"]})

    assert await shown(hike, "paul", id_) == [f"{UP}1", f"{HEART}1"]
    await give(hike, "paul", UP, id_)
    assert f"{UP}1*" in await shown(hike, "paul", id_)
    await erase_all(node.runtime)
    assert await shown(hike, "paul", id_) == [f"{UP}1*"]
    await counts_are_right(node, hike)


async def test_a_softly_deleted_user_stays_counted(hike: World) -> None:
    """A softly deleted or deactivated user is still shown with their reactions."""
    id_ = (await say(hike, "olga", to_group("hikers")))["id"]
    for uid in ("paul", "mona"):
        await give(hike, uid, UP, id_)
    await hike.delete("/users/paul")
    await hike.delete("/users", {"uidsToDeactivate": ["mona"]})

    rows = await hike.get(f"/messages/{id_}/reactions", as_="olga")
    assert [row["reactedBy"]["name"] for row in rows] == ["Paul", "Mona"]
    missing = "ERR_UID_NOT_FOUND"
    await hike.refused("POST", path_of(HEART, id_), as_="mona", status=404, code=missing)


async def test_reactions_go_with_their_group(node: Node, hike: World) -> None:
    """When a group is deleted, no reactions in it remain."""
    id_ = (await say(hike, "olga", to_group("hikers")))["id"]
    await give(hike, "paul", UP, id_)
    await hike.delete("/groups/hikers")

    await hike.refused("POST", path_of(HEART, id_), as_="paul", status=404, code=NOT_FOUND)
    await erase_all(node.runtime)
    rows = await rows_of(node, hike, ["reactions", "reaction_counts"])
    assert not any(rows.values())
