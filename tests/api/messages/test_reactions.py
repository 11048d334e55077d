"""Reactions to messages: given, taken back, counted, listed."""

import asyncio
import json
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from tests.api.groups.clubs import make_hikers
from tests.api.messages.talk import events, say, stored, to_group, to_user
from tests.api.people.erasing import holding, rows_of
from tests.clock import ManualClock
from tests.live import LiveNode
from tests.world import Json, Node, World

from hubbub.domain.access.actor import Actor
from hubbub.domain.erasure.erase import erase_all
from hubbub.domain.reactions.react import Reacting, react
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
    """Anna has said 1 to Ben; Clara has nothing to do with it."""
    await world.users("anna", "ben", "clara")
    await say(world, "anna", to_user("ben", "Hi"))
    return world


@pytest.fixture
async def hike(world: World) -> World:
    """Olga has said 1 to the hikers, who are Adam, Mona and Paul besides her."""
    await world.put("/settings", {"settings": {"core.conversations.updateOnGroupActions": False}})
    await make_hikers(world)
    return world


def path_of(reaction: str, id_: str = "1") -> str:
    """Where a reaction to a message is given."""
    return f"/messages/{id_}/reactions/{quote(reaction, safe='')}"


async def give(world: World, uid: str, reaction: str = UP, id_: str = "1") -> Json:
    """What reacting answers: the message."""
    message: Json = await world.post(path_of(reaction, id_), as_=uid)
    return message


async def take(world: World, uid: str, reaction: str = UP, id_: str = "1") -> Json:
    """What taking a reaction back answers: the message."""
    message: Json = await world.delete(path_of(reaction, id_), as_=uid)
    return message


async def shown(world: World, uid: str | None = None, id_: str = "1") -> list[str]:
    """The reactions in a message: what, how many, and a star where one's own is among them."""
    data = (await world.get(f"/messages/{id_}", as_=uid))["data"]
    return [
        f"{each['reaction']}{each['count']}{'*' if each.get('reactedByMe') else ''}"
        for each in data.get("reactions", [])
    ]


async def test_a_reaction_is_given(pair: World, clock: ManualClock) -> None:
    """The answer is the whole message with its reactions, which is otherwise as it was."""
    before = await pair.get("/messages/1")
    clock.advance(60)

    message = await give(pair, "ben")

    assert message["data"].pop("reactions") == [{"reaction": UP, "count": 1, "reactedByMe": True}]
    assert message == before
    assert (await pair.get("/messages/1", as_="anna"))["data"]["reactions"] == [
        {"reaction": UP, "count": 1}
    ]


async def test_reactions_are_counted(pair: World) -> None:
    """Each reaction is shown once, the first given first, with how many gave it and who looks."""
    for uid, reaction in (("ben", HEART), ("anna", UP), ("ben", UP), ("anna", ":-)")):
        await give(pair, uid, reaction)

    assert await shown(pair, "ben") == [f"{HEART}1*", f"{UP}2*", ":-)1"]
    assert await shown(pair, "anna") == [f"{HEART}1", f"{UP}2*", ":-)1*"]
    assert await shown(pair) == [f"{HEART}1", f"{UP}2", ":-)1"]
    lists = [await pair.get(path, as_="ben") for path in ("/messages", "/users/anna/messages")]
    for rows in lists:
        assert [each["count"] for each in rows[0]["data"]["reactions"]] == [1, 2, 1]


async def test_a_reaction_is_taken_back(pair: World) -> None:
    """What is taken back counts no more, and what nobody gives is not shown."""
    for uid, reaction in (("ben", HEART), ("ben", UP), ("anna", UP)):
        await give(pair, uid, reaction)

    assert [each["count"] for each in (await take(pair, "ben"))["data"]["reactions"]] == [1, 1]
    await take(pair, "ben", HEART)
    assert await shown(pair, "ben") == [f"{UP}1"]
    assert "reactions" not in (await take(pair, "anna"))["data"]
    assert await give(pair, "ben", HEART)
    assert await shown(pair) == [f"{HEART}1"]


async def test_reactions_to_what_is_quoted(pair: World) -> None:
    """Whoever quotes a message is told at once which reactions to it are his own."""
    await give(pair, "ben")
    for uid, receiver in (("ben", "anna"), ("anna", "ben")):
        said = await say(pair, uid, to_user(receiver, quotedMessageId="1"))
        [reaction] = said["quotedMessage"]["data"]["reactions"]
        assert reaction.get("reactedByMe", False) == (uid == "ben")


async def test_giving_twice_changes_nothing(node: Node, pair: World) -> None:
    """Who reacts twice, or takes back what he did not give, changes nothing, and none is told."""
    first = await give(pair, "ben")
    told = await events(node, pair)

    assert await give(pair, "ben") == first
    assert await take(pair, "ben", HEART) == first
    assert await take(pair, "anna") != first  # for her it is not her own
    assert await shown(pair, "anna") == [f"{UP}1"]
    assert await events(node, pair) == told


async def test_the_log_tells_of_reactions(node: Node, pair: World, clock: ManualClock) -> None:
    """Each event names the reaction, whose id is the number of the event that told of it."""
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
async def test_what_may_be_a_reaction(pair: World, reaction: str) -> None:
    """A reaction is any text of 1 to 100 characters, and is kept as it is."""
    await give(pair, "ben", reaction)

    assert await shown(pair) == [f"{reaction}1"]
    for path in ("/messages/1/reactions", path_of(reaction)):
        assert [row["reaction"] for row in await pair.get(path)] == [reaction]
    assert "reactions" not in (await take(pair, "ben", reaction))["data"]


async def test_reactions_are_told_apart(pair: World) -> None:
    """Case, accents and tones of skin make other reactions."""
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
async def test_what_is_no_reaction(node: Node, pair: World, reaction: str) -> None:
    """What is too long, or no text, is refused by name and changes nothing."""
    told = await events(node, pair)
    for method in ("GET", "POST", "DELETE"):
        path = f"/messages/1/reactions/{reaction}"
        details = await pair.refused(method, path, as_="ben", status=400, code=BAD)
        assert list(details) == ["reaction"]

    assert await events(node, pair) == told


async def test_a_slash_is_kept_on_its_way(live: LiveNode) -> None:
    """Over a socket, too, a slash in a reaction is a part of it, and one behind it is not."""
    world = await live.world()
    await world.users("anna", "ben")
    id_ = (await say(world, "anna", to_user("ben", "Hi")))["id"]
    for ending in ("", "/"):
        await world.post(path_of("a/", id_) + ending, as_="ben")

    assert await shown(world, id_=id_) == ["a/1"]


async def test_an_encoded_slash_divides_no_path(pair: World) -> None:
    """Elsewhere an encoded slash is a character of an id, which no id has."""
    details = await pair.refused("GET", "/users/anna%2F", status=400, code=BAD)
    assert list(details) == ["uid"]
    await pair.refused("GET", "/users%2Fanna", status=404, code="ERR_API_NOT_FOUND")


async def test_somebody_must_act(pair: World) -> None:
    """The app itself gives no reactions."""
    for method in ("POST", "DELETE"):
        details = await pair.refused(method, path_of(UP), status=400, code=BAD)
        assert list(details) == ["onBehalfOf"]
    await pair.post(path_of(UP), token=await pair.token("ben"))

    assert await shown(pair) == [f"{UP}1"]


async def test_a_hundred_different_ones(node: Node, pair: World) -> None:
    """A message has 100 different reactions at most; those that it has may still be given."""
    for number in range(100):
        await give(pair, "ben", f"{number}")
    told = await events(node, pair)

    code = "ERR_LIMIT_EXCEEDED"
    details = await pair.refused("POST", path_of("100"), as_="anna", status=400, code=code)
    assert "100" in str(details["reaction"])
    assert await events(node, pair) == told
    await give(pair, "anna", "7")
    await take(pair, "ben", "8")
    await give(pair, "anna", "100")
    assert len(await shown(pair)) == 100


# To what, and by whom


async def test_messages_that_take_no_reactions(hike: World) -> None:
    """What tells of an action, and what was deleted, takes no reactions, and gives none back."""
    said = await say(hike, "olga", to_group("hikers"))
    await give(hike, "paul", UP, said["id"])
    told = await hike.delete(f"/messages/{said['id']}", as_="olga")

    for id_ in ("1", said["id"], told["id"]):
        for method in ("POST", "DELETE"):
            path = path_of(UP, id_)
            await hike.refused(method, path, as_="paul", status=403, code=NOT_ALLOWED)


async def test_reactions_to_a_deleted_message(pair: World) -> None:
    """Users see no reactions to what was deleted; the app does."""
    await give(pair, "ben")
    await pair.delete("/messages/1", as_="anna")

    assert await shown(pair, "ben") == []
    assert await pair.get("/messages/1/reactions", as_="ben") == []
    assert await shown(pair) == [f"{UP}1"]
    assert len(await pair.get("/messages/1/reactions")) == 1


async def test_action_messages_of_the_app(pair: World) -> None:
    """What tells of the app's deeds between two takes no reactions either."""
    told = await pair.put("/messages/1", {"tags": ["a"]})

    path = path_of(UP, told["id"])
    await pair.refused("POST", path, as_="ben", status=403, code=NOT_ALLOWED)
    await pair.refused("POST", path, as_="clara", status=404, code=NOT_FOUND)


@pytest.mark.parametrize("id_", ["2", "999999", str(2**63 - 1)])
async def test_there_is_no_such_message(pair: World, id_: str) -> None:
    """A message that does not exist is not found."""
    for method in ("GET", "POST", "DELETE"):
        await pair.refused(method, path_of(UP, id_), as_="ben", status=404, code=NOT_FOUND)
    await pair.refused("GET", f"/messages/{id_}/reactions", status=404, code=NOT_FOUND)


async def test_others_do_not_see_it(pair: World) -> None:
    """For who takes no part in the conversation the message does not exist."""
    for method in ("GET", "POST", "DELETE"):
        await pair.refused(method, path_of(UP), as_="clara", status=404, code=NOT_FOUND)
        path = path_of(UP)
        await pair.refused(method, path, as_="eve", status=404, code="ERR_UID_NOT_FOUND")
    await pair.refused("GET", "/messages/1/reactions", as_="clara", status=404, code=NOT_FOUND)


async def test_who_has_left(hike: World) -> None:
    """Who has left a group reacts in it no more; what he gave stays."""
    said = await say(hike, "olga", to_group("hikers"))
    await give(hike, "paul", UP, said["id"])
    await hike.delete("/groups/hikers/members/paul", as_="paul")

    for method in ("GET", "POST", "DELETE"):
        path = path_of(UP, said["id"])
        await hike.refused(method, path, as_="paul", status=404, code=NOT_FOUND)
    assert await shown(hike, "mona", said["id"]) == [f"{UP}1"]


@pytest.mark.parametrize(("by", "whom"), [("anna", "ben"), ("ben", "anna")])
async def test_blocked_people(pair: World, by: str, whom: str) -> None:
    """While one has blocked the other, nothing changes between them in either direction."""
    await give(pair, "ben")
    await give(pair, "anna")
    await pair.post(f"/users/{by}/blockedusers", {"blockedUids": [whom]})

    for uid in ("anna", "ben"):
        code = BLOCKED[uid == by]
        for method, reaction in (("POST", HEART), ("DELETE", UP)):
            await pair.refused(method, path_of(reaction), as_=uid, status=403, code=code)
    assert await shown(pair) == [f"{UP}2"]


async def test_notes_to_oneself(pair: World) -> None:
    """One may react to what one has written, and to notes to oneself."""
    said = await say(pair, "anna", to_user("anna"))

    await give(pair, "anna", UP, said["id"])
    assert await shown(pair, "anna", said["id"]) == [f"{UP}1*"]


async def test_a_message_of_the_app(pair: World) -> None:
    """What the app writes to a user takes his reactions."""
    said = await pair.post("/messages", to_user("anna"))

    await give(pair, "anna", UP, said["id"])
    assert await shown(pair, None, said["id"]) == [f"{UP}1"]


async def permit(world: World, scope: str = "participant", **permissions: Any) -> None:
    """Set permissions of a scope of the hikers."""
    path = f"/groups/hikers/scopes/{scope}/permissions"
    await world.put(path, {"permissions": permissions})


async def test_a_scope_may_not_react(hike: World) -> None:
    """Members of a scope may be kept from adding reactions, not from taking theirs back."""
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
    """Members of a scope may be kept from the lists, or from others' reactions in them."""
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
    """A row tells which reaction it is, to what, when, and who gave it as he is now."""
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
    """The list of one reaction holds just it."""
    for uid, reaction in (("ben", UP), ("ben", HEART), ("anna", UP)):
        await give(pair, uid, reaction)

    for reaction, uids in ((UP, ["ben", "anna"]), (HEART, ["ben"]), ("x", [])):
        rows = await pair.get(path_of(reaction))
        assert [row["uid"] for row in rows] == uids
        assert {row["reaction"] for row in rows} <= {reaction}


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 1000])
@pytest.mark.parametrize("way", ["next", "previous"])
async def test_walking_a_list(pair: World, limit: int, way: str) -> None:
    """Following `next` from the start, or `previous` from the end, meets each reaction once."""
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
    """A cursor in the middle tells what is on either side of the page."""
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
async def test_a_list_that_can_t_be(pair: World, query: str, field: str) -> None:
    """A query of no acceptable form is refused with its field named."""
    for path in ("/messages/1/reactions", path_of(UP)):
        details = await pair.refused("GET", f"{path}?{query}", status=400, code=BAD)
        assert list(details) == [field]


# Many at once, and those who are gone


async def test_many_react_at_once(node: Node, hike: World) -> None:
    """Of reactions that come at once each is counted, and their ids rise in the log's order."""
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
    told = [row[0] for row in await events(node, hike) if row[2] == "message_reaction_added"]
    assert set(ids) <= set(told)
    assert ids == sorted(ids)
    await counts_are_right(node, hike)


async def test_in_one_batch(node: Node, pair: World) -> None:
    """What is given and taken back in one batch comes out as if one came after the other."""
    await give(pair, "ben", HEART)
    order = [("ben", UP, False), ("ben", UP, True), ("ben", HEART, True), ("ben", HEART, False)]
    order += [("anna", UP, False), ("anna", UP, False), ("clara", UP, False)]
    wanted = [Reacting(Actor(uid), 1, text, is_taken_back=back) for uid, text, back in order]

    async def within(tx: Transaction) -> list[Refusal | None]:
        return await react(tx, wanted, node.clock.now())

    outcomes = await node.runtime.database.write(pair.app_id, within)

    assert [outcome is None for outcome in outcomes] == [*[True] * 6, False]
    assert await shown(pair, "ben") == [f"{HEART}1*", f"{UP}1"]
    names = [row[2].removeprefix("message_reaction_") for row in (await events(node, pair))[-5:]]
    assert names == ["added", "removed", "removed", "added", "added"]
    await counts_are_right(node, pair)


async def counts_are_right(node: Node, world: World) -> None:
    """See that what is counted is what there is, and that messages know whether they have some."""
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


async def test_who_is_erased_takes_his_reactions_along(node: Node, hike: World) -> None:
    """The reactions of a user who is deleted for good are counted and listed no more."""
    first, second = [(await say(hike, "olga", to_group("hikers")))["id"] for _ in range(2)]
    for uid, id_ in (("paul", first), ("mona", first), ("paul", second)):
        await give(hike, uid, UP, id_)
    await hike.delete("/users/paul", {"permanent": True})
    await erase_all(node.runtime)

    assert await shown(hike, None, first) == [f"{UP}1"]
    assert await shown(hike, None, second) == []
    assert holding({"r": (await rows_of(node, hike))["reactions"]}, "paul") == []
    await counts_are_right(node, hike)


async def test_a_uid_that_has_a_new_holder(node: Node, hike: World) -> None:
    """Who has the uid of somebody who is just being erased has given nothing yet."""
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
    """Who is deleted softly, or deactivated, is still named with what he gave."""
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
    """When a group is deleted, nothing stays of the reactions in it."""
    id_ = (await say(hike, "olga", to_group("hikers")))["id"]
    await give(hike, "paul", UP, id_)
    await hike.delete("/groups/hikers")

    await hike.refused("POST", path_of(HEART, id_), as_="paul", status=404, code=NOT_FOUND)
    await erase_all(node.runtime)
    rows = await rows_of(node, hike, ["reactions", "reaction_counts"])
    assert not any(rows.values())
