"""Lists of messages: order, cursors, filters, and visibility."""

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.api.messages.talk import group, import_past, join, past, say, texts, to_group, to_user
from tests.clock import START, ManualClock
from tests.engines import one_engine
from tests.world import Json, Node, World

BAD = "ERR_BAD_REQUEST"


@pytest.fixture
async def seven(world: World) -> World:
    """Anna and Ben have sent 1 to 7, of which 3 to 5 in one second."""
    await world.users("anna", "ben", "clara")
    times = {"1": 10, "2": 20, "5": 30, "3": 30, "4": 30, "7": 50, "6": 40}
    order = ["1", "2", "3", "4", "5", "7", "6"]
    rows = {text: past("anna", to_user("ben", text), times[text]) for text in order}
    made = await import_past(world, **rows)
    assert all(outcome["success"] for outcome in made.values())
    return world


EVERYWHERE = ["/messages", "/users/ben/messages", "/messages?conversationId=anna_user_ben"]


def with_query(path: str, **query: Any) -> str:
    """Return a path with further query parameters."""
    return f"{path}{'&' if '?' in path else '?'}{urlencode(query, doseq=True)}"


async def walk(world: World, path: str, way: str, **how: Any) -> tuple[list[Json], list[Json]]:
    """Follow `previous` or `next` to the end; return all rows, and the metas."""
    rows: list[Json] = await world.get(path, **how)
    metas = [world.answer.meta]
    for _ in range(100):
        cursor = metas[-1].get(way)
        if cursor is None:
            return rows, metas
        page = await world.get(with_query(path, **cursor), **how)
        rows = [*rows, *page] if way == "next" else [*page, *rows]
        metas.append(world.answer.meta)
    raise AssertionError(f"{path} never ends")


def said(rows: Iterable[Json]) -> str:
    """Return the one word that stands for a message."""
    return "".join(row["data"]["text"] for row in rows)


@pytest.mark.parametrize("path", EVERYWHERE)
@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
async def test_walking_forwards(seven: World, path: str, limit: int) -> None:
    """From the oldest message on, following `next` returns each message once, and ends."""
    rows, metas = await walk(seven, with_query(path, limit=limit), "next", as_="anna")

    assert said(rows) == "1234567"
    assert [meta["current"]["count"] for meta in metas[:-1]] == [limit] * (len(metas) - 1)
    assert all(meta["current"]["limit"] == limit for meta in metas)
    assert ["previous" in meta for meta in metas] == [False, *[True] * (len(metas) - 1)]


@pytest.mark.parametrize("path", EVERYWHERE)
@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
async def test_walking_backwards(seven: World, path: str, limit: int) -> None:
    """From the newest page on, following `previous` returns each message once, and ends."""
    path = with_query(path, limit=limit, affix="prepend")

    rows, metas = await walk(seven, path, "previous", as_="ben" if "/users" not in path else "anna")

    assert said(rows) == "1234567"
    assert ["next" in meta for meta in metas] == [False, *[True] * (len(metas) - 1)]


async def test_a_page_there_and_back(seven: World) -> None:
    """`previous` of the second page leads to the first, whose `next` leads to the second."""
    await seven.get("/messages?limit=3")
    first = seven.answer
    second = await seven.ask("GET", with_query("/messages", limit=3, **first.meta["next"]))
    back = await seven.ask("GET", with_query("/messages", limit=3, **second.meta["previous"]))

    assert (said(first.data), said(second.data), said(back.data)) == ("123", "456", "123")
    assert back.meta == first.meta
    assert second.meta["previous"] == {"affix": "prepend", "sentAt": 30, "id": "4"}
    assert second.meta["next"] == {"affix": "append", "sentAt": 40, "id": "7"}


CURSORS = [
    ({}, "1234567"),
    ({"affix": "prepend"}, "1234567"),
    ({"limit": 2}, "12"),
    ({"limit": 2, "affix": "prepend"}, "67"),
    ({"id": 3}, "4567"),
    ({"id": "003", "affix": "append"}, "4567"),
    ({"id": 3, "affix": "prepend"}, "12"),
    ({"id": 6}, ""),
    ({"id": 1, "affix": "prepend"}, ""),
    ({"sentAt": 30}, "67"),
    ({"sentAt": 30, "affix": "prepend"}, "12"),
    ({"sentAt": 30, "id": 4}, "567"),
    ({"sentAt": 30, "id": 4, "affix": "prepend"}, "123"),
    ({"sentAt": 30, "id": 999}, "67"),
    ({"sentAt": 35, "id": 1}, "67"),
    ({"sentAt": 0}, "1234567"),
    ({"sentAt": 99_999_999_999, "affix": "prepend", "limit": 1}, "7"),
    ({"sentAt": 30, "id": 3, "limit": 1}, "4"),
    ({"sentAt": 30, "id": 5, "limit": 1, "affix": "prepend"}, "4"),
]


@pytest.mark.parametrize(("query", "expected"), CURSORS, ids=str)
async def test_cursors(seven: World, query: Json, expected: str) -> None:
    """Rows are after or before the cursor, or at an end without one, and always ascending."""
    for path in EVERYWHERE:
        assert said(await seven.get(with_query(path, **query), as_="anna")) == expected


async def test_history_is_ordered_by_time_not_by_arrival(seven: World) -> None:
    """Ids are assigned in order of arrival, while lists are ordered by time."""
    rows = await seven.get("/messages")

    assert [row["id"] for row in rows] == ["1", "2", "3", "4", "5", "7", "6"]
    assert [row["sentAt"] for row in rows] == [10, 20, 30, 30, 30, 40, 50]


async def test_live_messages_come_after_imported_ones(seven: World, clock: ManualClock) -> None:
    """A message sent after an import follows it, also if the import's time is a little ahead."""
    await import_past(seven, soon=past("ben", to_user("anna", "8"), clock.now() + 300))

    live = await say(seven, "anna", to_user("ben", "9"))

    assert live["sentAt"] == clock.now() + 300
    assert said(await seven.get("/messages")) == "123456789"


async def test_an_empty_list(world: World) -> None:
    """A conversation without messages has an empty list without cursors."""
    await world.users("anna", "ben")
    await group(world, "hikers", "anna")

    for path in ("/messages", "/users/ben/messages", "/groups/hikers/messages"):
        assert await world.get(path, as_="anna") == []
        assert world.answer.paging == {"current": {"limit": 100, "count": 0}}


# Filters


@pytest.fixture
async def mixed(world: World) -> World:
    """Messages that differ in sender, receiver, kind, tags and time."""
    await world.users("anna", "ben", "clara")
    await group(world, "hikers", "anna", "ben")
    poll = {"text": "3", "customData": {}}
    photo = {"text": "4", "attachments": [{"url": "https://a.example/b.jpg"}]}
    await import_past(
        world,
        m1=past("anna", to_user("ben", "1", tags=["a"]), 10),
        m2=past("ben", to_user("anna", "2", tags=["b", "é"]), 20),
        m3=past("anna", to_user("ben", category="custom", type="poll", data=poll), 30),
        m4=past("clara", to_user("anna", type="image", data=photo, tags=["a", "b"]), 40),
        m5=past("ben", to_group("hikers", "5", tags=["c"]), 50),
        m6=past("app_system", to_group("hikers", "6"), 60),
    )
    return world


FILTERS = [
    ("receiverType=user", "1234"),
    ("receiverType=group", "56"),
    ("sender=anna", "13"),
    ("sender=ANNA", "13"),
    ("sender=app_system", "6"),
    ("sender=nobody", ""),
    ("category=message", "12456"),
    ("category=custom", "3"),
    ("category=action", ""),
    ("categories=custom,message", "123456"),
    ("categories=custom&categories=message", "123456"),
    ("categories[]=custom", "3"),
    ("category=custom&categories=action", "3"),
    ("type=text", "1256"),
    ("types=poll,image", "34"),
    ("types=poll&types=image", "34"),
    ("types[]=poll&types[]=image", "34"),
    ("type=text&types=poll", "12356"),
    ("tags=a", "14"),
    ("tags=a,c", "145"),
    ("tags=a&tags=c", "145"),
    ("tags[]=a&tags[]=c", "145"),
    ("tags=%C3%A9", "2"),
    ("tags=A", ""),
    ("tags=a,a,b", "124"),
    ("tags=", "123456"),
    ("fromTimestamp=20&toTimestamp=40", "234"),
    ("fromTimestamp=41", "56"),
    ("fromTimestamp=50&toTimestamp=20", ""),
    ("toTimestamp=40", "123456"),
    ("hideReplies=true", "123456"),
    ("hideDeleted=1", "123456"),
    ("onlyDeleted=true", ""),
    ("onlyDeleted=false&hideDeleted=0", "123456"),
    ("conversationId=group_hikers", "56"),
    ("conversationId=anna_user_ben&sender=ben", "2"),
    ("conversationId=anna_user_ben&tags=a", "1"),
    ("conversationId=GROUP_HIKERS&tags=a", ""),
    ("receiverType=group&conversationId=anna_user_ben", ""),
    ("sender=anna&category=message&tags=a&fromTimestamp=1&type=text&receiverType=user", "1"),
    ("somethingElse=1&limit=100", "123456"),
]


@pytest.mark.parametrize(("query", "expected"), FILTERS)
async def test_filters(mixed: World, query: str, expected: str) -> None:
    """A list has the messages that match all its filters."""
    assert said(await mixed.get(f"/messages?{query}")) == expected


WRONG = [
    ("limit=0", "limit"),
    ("limit=1001", "limit"),
    ("limit=-1", "limit"),
    ("limit=ten", "limit"),
    ("affix=before", "affix"),
    ("id=0", "id"),
    ("id=x", "id"),
    ("id=-5", "id"),
    (f"id={2**63}", "id"),
    ("id=77", "id"),
    ("sentAt=-1", "sentAt"),
    ("sentAt=yesterday", "sentAt"),
    ("sentAt=100000000000", "sentAt"),
    ("fromTimestamp=1.5", "fromTimestamp"),
    ("receiverType=bot", "receiverType"),
    ("sender=no%20body", "sender"),
    ("withTags=yes", "withTags"),
    ("hideReplies=2", "hideReplies"),
    ("tags=" + "x" * 101, "tags.0"),
    ("tags=%00", "tags"),
    ("category=%00", "category"),
    ("conversationId=a%00", "conversationId"),
    ("conversationId=" + "x" * 251, "conversationId"),
]


@pytest.mark.parametrize(("query", "field"), WRONG)
@one_engine
async def test_queries_that_make_no_sense(mixed: World, query: str, field: str) -> None:
    """A query parameter with an unacceptable value is refused by name."""
    details = await mixed.refused("GET", f"/messages?{query}", status=400, code=BAD)
    assert list(details) == [field]


@pytest.mark.parametrize("query", ["tags=%FF", "sender=%ED%A0%80", "&".join(["tags=a"] * 300)])
@one_engine
async def test_unreadable_queries(mixed: World, query: str) -> None:
    """A query that is not UTF-8, or endless, is refused."""
    await mixed.refused("GET", f"/messages?{query}", status=400, code=BAD)


# Visibility


WHOSE = [
    (None, "/messages", "123456"),
    ("anna", "/messages", "123456"),
    ("ben", "/messages", "12356"),
    ("clara", "/messages", "4"),
    ("clara", "/messages?sender=anna", ""),
    ("clara", "/messages?tags=c", ""),
    ("ben", "/messages?sender=clara", ""),
    (None, "/users/anna/messages", "1234"),
    (None, "/users/ben/messages", "123"),
    (None, "/users/ben/messages?sender=ben", "2"),
    (None, "/users/clara/messages?tags=a,c", "4"),
    ("anna", "/users/ben/messages", "123"),
    ("ben", "/users/anna/messages", "123"),
    ("ben", "/users/ANNA/messages", "123"),
    ("anna", "/users/clara/messages", "4"),
    ("ben", "/users/clara/messages", ""),
    ("anna", "/users/anna/messages", ""),
    (None, "/groups/hikers/messages", "56"),
    ("anna", "/groups/Hikers/messages", "56"),
    ("ben", "/groups/hikers/messages?sender=ben", "5"),
    ("ben", "/groups/hikers/messages?tags=c", "5"),
]


@pytest.mark.parametrize(("viewer", "path", "expected"), WHOSE)
async def test_visibility_of_messages(
    mixed: World, viewer: str | None, path: str, expected: str
) -> None:
    """The app reads all; a user reads the messages of their own conversations."""
    assert said(await mixed.get(path, as_=viewer)) == expected


NOBODY = (404, "ERR_UID_NOT_FOUND")
NO_GROUP = (404, "ERR_GUID_NOT_FOUND")
FORBIDDEN = [
    ("eve", "/messages", NOBODY),
    (None, "/users/eve/messages", NOBODY),
    ("anna", "/users/eve/messages", NOBODY),
    ("eve", "/users/anna/messages", NOBODY),
    ("eve", "/groups/hikers/messages", NOBODY),
    (None, "/groups/nowhere/messages", NO_GROUP),
    ("anna", "/groups/nowhere/messages", NO_GROUP),
    ("clara", "/groups/hikers/messages", (403, "ERR_GROUP_NOT_JOINED")),
    ("clara", "/groups/secret/messages", NO_GROUP),
    ("dora", "/groups/hikers/messages", (403, "ERR_BANNED_GROUPMEMBER")),
    ("dora", "/groups/secret/messages", NO_GROUP),
    ("clara", "/messages?conversationId=anna_user_ben", (404, "ERR_CONVERSATION_NOT_ACCESSIBLE")),
    ("clara", "/messages?conversationId=group_hikers", (404, "ERR_CONVERSATION_NOT_ACCESSIBLE")),
    ("dora", "/messages?conversationId=group_secret", (404, "ERR_CONVERSATION_NOT_ACCESSIBLE")),
    (None, "/messages?conversationId=ben_user_anna", (404, "ERR_CONVERSATION_NOT_ACCESSIBLE")),
]


@pytest.mark.parametrize(("viewer", "path", "refusal"), FORBIDDEN)
async def test_lists_that_are_refused(
    mixed: World, viewer: str | None, path: str, refusal: tuple[int, str]
) -> None:
    """A list that a user may not read is refused; conversations they may not see do not exist."""
    await mixed.user("dora")
    await group(mixed, "secret", "anna", type="private")
    for guid in ("hikers", "secret"):
        await join(mixed, guid, "dora", isBanned=True)

    status, code = refusal
    await mixed.refused("GET", path, status=status, code=code, as_=viewer)


async def test_a_late_member_reads_what_was_before(mixed: World) -> None:
    """New members read the earlier history of their group."""
    await join(mixed, "hikers", "clara")

    assert await texts(mixed, "/groups/hikers/messages", as_="clara") == ["5", "6"]
    assert await texts(mixed, "/messages", as_="clara") == ["4", "5", "6"]


async def test_a_list_as_the_bearer_of_a_token(mixed: World) -> None:
    """With a token a user reads their own messages, and cannot act as another user."""
    token = await mixed.token("clara")

    assert await texts(mixed, "/messages", token=token) == ["4"]
    await mixed.refused(
        "GET", "/messages", status=403, code="AUTH_ERR_NO_ACCESS", token=token, as_="anna"
    )


async def test_a_list_has_what_a_message_has(mixed: World) -> None:
    """A row of a list is the message itself, except for its tags."""
    for row in await mixed.get("/messages?withTags=1"):
        assert row == await mixed.get(f"/messages/{row['id']}")


# Against a plain model


@dataclass(frozen=True)
class Said:
    """A message of the model."""

    sent_at: int
    id: int
    sender: str
    type: str
    tags: frozenset[str]


SENT = st.tuples(
    st.integers(1, 6),
    st.sampled_from(["anna", "ben"]),
    st.sampled_from(["text", "poll"]),
    st.frozensets(st.sampled_from(["a", "b"])),
)
NARROW: dict[str, tuple[st.SearchStrategy[Any], Callable[[Said, Any], bool]]] = {
    "sender": (st.sampled_from(["anna", "ben"]), lambda said, uid: said.sender == uid),
    "types": (st.sampled_from(["text", "poll"]), lambda said, name: said.type == name),
    "tags": (st.sampled_from(["a", "b", "a,b"]), lambda said, names: bool(said.tags & {*names})),
    "fromTimestamp": (st.integers(1, 6), lambda said, at: said.sent_at >= at),
}
QUERY = st.fixed_dictionaries({}, optional={name: values for name, (values, _) in NARROW.items()})


def row_of(number: int, drawn: tuple[int, str, str, frozenset[str]]) -> Json:
    """Return the row of an import for a message of the model."""
    sent_at, sender, type_, tags = drawn
    kind = {"text": "message", "poll": "custom"}[type_]
    data = {"text": str(number), "customData": {}}
    receiver = {"anna": "ben", "ben": "anna"}[sender]
    body = to_user(receiver, category=kind, type=type_, tags=sorted(tags))
    return past(sender, {**body, "data": data}, START + sent_at - 100)


@given(
    st.lists(SENT, min_size=1, max_size=14), QUERY, st.integers(1, 4), st.sampled_from(EVERYWHERE)
)
@settings(max_examples=60, deadline=None)
@example([(1, "anna", "text", frozenset({"a", "b"}))] * 9, {"tags": "a,b"}, 3, EVERYWHERE[0])
async def test_lists_against_a_model(
    node: Node, drawn: list[Any], query: Json, limit: int, path: str
) -> None:
    """In both directions, with any filters, a list has what a plain sorted list has."""
    world = await node.world()
    await world.users("anna", "ben")
    rows = {f"m{number}": row_of(number, each) for number, each in enumerate(drawn, 1)}
    await import_past(world, **rows)
    model = [Said(each[0], number, *each[1:]) for number, each in enumerate(drawn, 1)]
    for name, value in query.items():
        model = [each for each in model if NARROW[name][1](each, value)]
    model.sort(key=operator.attrgetter("sent_at", "id"))
    if "fromTimestamp" in query:
        query = {**query, "fromTimestamp": START + query["fromTimestamp"] - 100}
    path = with_query(path, limit=limit, **query)

    forwards, there = await walk(world, path, "next", as_="anna")
    backwards, back = await walk(world, with_query(path, affix="prepend"), "previous", as_="anna")

    assert [int(row["id"]) for row in forwards] == [each.id for each in model]
    assert backwards == forwards
    assert len(there) == len(back) == max(1, -(-len(model) // limit))


async def test_the_cursor_of_an_invisible_message_looks_missing(world: World) -> None:
    """The id of a message that the reader can't see is refused like a missing one."""
    await world.users("anna", "ben", "chiara")
    said = {"receiver": "ben", "receiverType": "user", "data": {"text": "psst"}}
    hidden = (await world.post("/messages", said, as_="anna"))["id"]

    for message_id in (hidden, "999999"):
        details = await world.refused(
            "GET", f"/messages?id={message_id}", as_="chiara", status=400, code="ERR_BAD_REQUEST"
        )
        assert list(details) == ["id"]


async def test_messages_with_the_app_are_listed(world: World) -> None:
    """A user reads the messages of the app to them, under the uid app_system."""
    await world.users("anna")
    said = {"receiver": "anna", "receiverType": "user", "data": {"text": "Welcome"}}
    await world.post("/messages", said)

    (message,) = await world.get("/users/app_system/messages", as_="anna")

    assert (message["sender"], message["data"]["text"]) == ("app_system", "Welcome")


async def test_ids_that_only_look_like_ours_are_refused(world: World) -> None:
    """A character whose lower case is an ASCII letter is not accepted in an id."""
    await world.users("k")

    await world.refused("GET", "/users/%E2%84%AA", status=400, code="ERR_BAD_REQUEST")
