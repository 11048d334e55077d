"""Search in messages: through the index, beyond it, and removal from it."""

import asyncio
import random
from typing import Any
from urllib.parse import quote

import pytest
from tests.api.messages.talk import group, import_past, past, say, stored, texts, to_group, to_user
from tests.clock import START, ManualClock
from tests.storage.test_fairness import ENDLESS
from tests.world import Json, Node, World

from hubbub.domain.erasure.erase import erase_all
from hubbub.domain.search import candidates, find
from hubbub.domain.search.index import search_consumer
from hubbub.records.messages.model import Message
from hubbub.records.search.model import matches, normalise
from hubbub.storage.interface import Snapshot

WHEN = pytest.mark.parametrize("is_indexed", [True, False], ids=["indexed", "not-yet-indexed"])


@pytest.fixture
async def talk(world: World) -> World:
    """Anna and Ben, who may write to each other and in a group; Cleo, who is not in it."""
    await world.users("anna", "ben", "cleo")
    await group(world, "tea", "anna", "ben")
    return world


async def index(node: Node, world: World, *, is_indexed: bool = True) -> None:
    """Index all messages, if the test runs with the index."""
    while is_indexed and await search_consumer(node.runtime).consume_batch(world.app_id):
        pass


async def found(
    world: World, wanted: str, path: str = "/messages?", *, as_: str = "anna"
) -> list[str]:
    """Return the texts that a search finds; by default Anna's search."""
    return await texts(world, f"{path}&category=message&searchKey={quote(wanted)}", as_=as_)


async def entries(node: Node, world: World) -> set[int]:
    """Return the ids of the messages in the index."""
    rows = await stored(node, world, "SELECT slot FROM search_positions WHERE app_id = :app_id")
    first = rows[0][0] << 40
    query = "SELECT rowid FROM message_entries WHERE rowid >= {} AND rowid < {} AND '' <> :app_id"
    found = await stored(node, world, query.format(first, first + (1 << 40)))
    return {row[0] - first for row in found}


@WHEN
@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("The quick brown fox", "QUICK"),
        ("The quick brown fox", "ick bro"),
        ("The quick brown fox", "x"),
        ("The quick brown fox", "wn"),
        ("Straße nach Köln", "STRASSE"),
        ("Straße nach Köln", "köl"),
        ("Съешь ещё этих булок", "ЕЩЁ ЭТ"),
        ("明日は東京で会議です", "東京"),
        ("明日は東京で会議です", "京"),
        ("明日は東京で会議です", "です"),
        ("你好,世界", "世界"),
        ("नमस्ते दुनिया", "स्ते"),
        ("مرحبا بالعالم", "العالم"),
        ("Party 🎉🎉!", "🎉!"),
        ("ﬁnance", "FINANCE"),
        ("What?! 100 %", "?! 100 %"),
        ('\'; DROP TABLE "messages" --', '" --'),
        ("a AND b OR * NOT (c)", "or * not (c"),
        ("one\n\n  two", "one two"),
        ("f():* & !x", "():* &"),
        ("a \\ backslash", "\\"),
        ("Merhaba İstanbul", "istanbul"),
        ("ISPARTA", "ısparta"),
        ("pass\u200bword\u00ad", "PASSWORD"),
    ],
)
async def test_it_finds_a_part_in_any_script(
    talk: World, node: Node, text: str, key: str, *, is_indexed: bool
) -> None:
    """A search finds messages that contain the text, at any place in a word, in any case."""
    await say(talk, "anna", to_user("ben", text))
    await say(talk, "anna", to_user("ben", "Nothing of that"))
    await index(node, talk, is_indexed=is_indexed)

    assert await found(talk, key) == [text]
    assert await found(talk, key, "/users/ben/messages?") == [text]
    assert await texts(talk, f"/messages?searchKey={quote(key)}") == [text]


@WHEN
async def test_it_looks_only_where_the_searcher_is(
    talk: World, node: Node, *, is_indexed: bool
) -> None:
    """Messages of others' conversations, or of another app, are not found."""
    of_group, of_two = "A secret of the group", "A secret of two"
    await say(talk, "anna", to_group("tea", of_group))
    await say(talk, "anna", to_user("ben", of_two))
    other = await node.world()
    await other.users("anna")
    await index(node, talk, is_indexed=is_indexed)
    await index(node, other, is_indexed=is_indexed)

    assert await found(talk, "secret", as_="cleo") == []
    assert await found(talk, "secret", as_="ben") == [of_group, of_two]
    assert await found(talk, "secret", "/groups/tea/messages?") == [of_group]
    assert await found(talk, "secret", "/users/ben/messages?") == [of_two]
    assert await texts(talk, "/messages?searchKey=secret") == [of_group, of_two]
    assert await other.get("/messages?searchKey=secret") == []


@WHEN
async def test_it_follows_an_edit(talk: World, node: Node, *, is_indexed: bool) -> None:
    """After an edit the message is found by its new text only."""
    said = await say(talk, "anna", to_user("ben", "Meet at noon"))
    await index(node, talk)
    await talk.put(f"/messages/{said['id']}", {"data": {"text": "Meet at dusk"}}, as_="anna")
    await index(node, talk, is_indexed=is_indexed)

    assert await found(talk, "noon") == []
    assert await found(talk, "dusk") == ["Meet at dusk"]


async def test_deleted_content_is_found_by_the_app_alone(talk: World, node: Node) -> None:
    """Users cannot learn hidden content by searching."""
    said = await say(talk, "anna", to_user("ben", "A slip"))
    await index(node, talk)
    await talk.delete(f"/messages/{said['id']}", as_="anna")

    assert await talk.get("/messages?searchKey=slip", as_="anna") == []
    assert await talk.get("/messages?searchKey=slip&onlyDeleted=true", as_="ben") == []
    assert await texts(talk, "/messages?searchKey=slip") == ["A slip"]


async def test_permanently_deleted_messages_have_no_entry(talk: World, node: Node) -> None:
    """Index entries are deleted with a message: singly, with its conversation or its sender."""
    one = await say(talk, "anna", to_user("ben", "One by one"))
    await say(talk, "anna", to_user("ben", "Of two"))
    await say(talk, "ben", to_group("tea", "Of Ben"))
    kept = await say(talk, "anna", to_group("tea", "Of Anna"))
    await index(node, talk)
    assert len(await entries(node, talk)) == 4
    await talk.delete(f"/messages/{one['id']}", {"permanent": True}, as_="anna")
    assert len(await entries(node, talk)) == 3
    await talk.delete("/users/ben", {"permanent": True})
    await erase_all(node.runtime)

    assert await entries(node, talk) == {int(kept["id"])}
    assert await found(talk, "of") == ["Of Anna"]


@pytest.mark.parametrize("blank", [" ", "\n", "\u3000"])
async def test_blanks_stop_no_index(talk: World, node: Node, blank: str) -> None:
    """A message without searchable text does not prevent others from being found."""
    await say(talk, "anna", to_user("ben", blank))
    await say(talk, "anna", to_user("ben", "Found"))
    await index(node, talk)

    assert len(await entries(node, talk)) == 1
    assert await found(talk, "found") == ["Found"]


async def test_long_messages_are_indexed_a_few_at_once(talk: World, node: Node) -> None:
    """The text indexed at once is limited, however long messages are, and nothing is left out."""
    await index(node, talk)
    for number in range(5):
        await say(talk, "anna", to_user("ben", f"Number {number}"))
    assert await search_consumer(node.runtime, largest_chunk=10).consume_batch(talk.app_id)

    assert len(await entries(node, talk)) == 1
    await index(node, talk)
    assert len(await entries(node, talk)) == 5


async def test_a_large_import_is_indexed_a_few_at_once(talk: World, node: Node) -> None:
    """The number of messages read at once is limited, and nothing is left out."""
    await index(node, talk)
    for number in range(4):
        await import_past(
            talk,
            **{
                f"{number}-{each}": past("anna", to_user("ben", f"Number {each}"), START - 9)
                for each in range(2)
            },
        )
    assert await search_consumer(node.runtime, most_messages=3).consume_batch(talk.app_id)

    assert len(await entries(node, talk)) == 4
    await index(node, talk)
    assert len(await entries(node, talk)) == 8


async def test_a_rare_word_beside_a_common_one(
    talk: World, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A short word is looked up in the index as well, if the longer ones match too many."""
    monkeypatch.setattr(candidates, "MOST_IN_PARTS", 3)
    monkeypatch.setattr(find, "MOST_READ", 1)
    for number in range(6):
        await say(talk, "anna", to_user("ben", f"the number {number}"))
    await index(node, talk)

    assert await found(talk, "number 3") == ["the number 3"]


async def test_a_long_search_goes_on_by_its_cursor(
    talk: World, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One answer reads a limited number of messages; following its cursors finds everything."""
    monkeypatch.setattr(candidates, "PART_SIZE", 2)
    monkeypatch.setattr(candidates, "MOST_IN_PARTS", 1)
    for name, bound in {"MOST_READ": 3, "AT_ONCE": 2, "LONG_LOOK": 2}.items():
        monkeypatch.setattr(find, name, bound)
    said = [
        await say(talk, "anna", to_user("ben", f"the other {number}" if number % 7 else "and the"))
        for number in range(20)
    ]
    await index(node, talk)
    expected = [row["id"] for row in said[::7]]

    for affix in ("append", "prepend"):
        query = f"/messages?category=message&limit=2&affix={affix}&searchKey=the"
        assert len(await _leaf_through(talk, query, affix)) == 20
        query = f"/messages?category=message&limit=2&affix={affix}&searchKey=d%20the"
        assert await _leaf_through(talk, query, affix) == expected


@pytest.fixture
def slow_to_compare(clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparing a text takes most of the time that a search has; two are compared at once."""

    def compare(message: Message, text: str) -> bool:
        clock.advance(0.75 * find.SEARCH_SECONDS)
        return matches(message, text)

    monkeypatch.setattr(find, "matches", compare)
    monkeypatch.setattr(find, "AT_ONCE", 2)


@pytest.mark.usefixtures("slow_to_compare")
@WHEN
async def test_a_search_ends_when_its_time_is_over(
    talk: World, node: Node, is_indexed: bool
) -> None:
    """It answers what it found so far, says so, and its cursors lead to everything."""
    said = [
        await say(talk, "anna", to_user("ben", f"the other {number}" if number % 7 else "and the"))
        for number in range(20)
    ]
    await index(node, talk, is_indexed=is_indexed)

    for affix in ("append", "prepend"):
        query = f"/messages?category=message&limit=50&affix={affix}&searchKey=the"
        assert len(await talk.get(query, as_="anna")) == 2
        assert talk.answer.meta["incomplete"] is True
        assert await _leaf_through(talk, query, affix) == [row["id"] for row in said]
        assert "incomplete" not in talk.answer.meta


@pytest.mark.usefixtures("slow_to_compare")
async def test_a_count_ends_when_its_time_is_over(talk: World) -> None:
    """It answers the number of those that were read by then, the newest, and says so."""
    for number in range(10):
        await say(talk, "anna", to_user("ben", f"the other {number}"))

    counts = await talk.get("/messages?category=message&count=true&searchKey=the", as_="anna")

    assert counts == [{"entityType": "user", "entityId": "ben", "count": 2}]
    assert talk.answer.meta["incomplete"] is True


async def test_a_count_that_can_not_be_made_at_once(
    talk: World, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the database takes too long to count, the newest messages are counted one by one."""

    async def count(snapshot: Snapshot, *_: object) -> None:
        clock.advance(find.SEARCH_SECONDS)
        await snapshot.fetch_one(ENDLESS)

    for number in range(3):
        await say(talk, "anna", to_user("ben", f"the other {number}"))
    monkeypatch.setattr(find, "count_messages", count)
    monkeypatch.setattr(find, "MOST_COUNTED", 2)

    counts = await talk.get("/messages?category=message&count=true", as_="anna")

    assert counts == [{"entityType": "user", "entityId": "ben", "count": 2}]
    assert talk.answer.meta["incomplete"] is True


async def test_a_search_that_gets_nowhere(
    talk: World, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the time is over before a message was read, the search is refused; nothing hangs."""

    async def list_messages(snapshot: Snapshot, *_: object, **__: object) -> None:
        clock.advance(find.SEARCH_SECONDS)
        await snapshot.fetch_one(ENDLESS)

    await say(talk, "anna", to_user("ben", "the other"))
    monkeypatch.setattr(find, "list_messages", list_messages)

    refused = await talk.ask("GET", "/messages?searchKey=other", as_="anna")

    assert refused.status == 503
    assert refused.error["code"] == "ERR_OPERATION_FAILED"
    assert refused.headers["retry-after"] == "5"


async def test_an_index_that_takes_too_long(
    talk: World, node: Node, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the index does not answer in time, the list is read without it."""

    async def find_parts(snapshot: Snapshot, *_: object, **__: object) -> None:
        clock.advance(find.INDEX_SECONDS)
        await snapshot.fetch_one(ENDLESS)

    await say(talk, "anna", to_user("ben", "the other"))
    await index(node, talk)
    monkeypatch.setattr(find, "find_parts", find_parts)

    assert await found(talk, "other") == ["the other"]


async def test_two_nodes_index_a_log_once(talk: World, node: Node) -> None:
    """When several nodes index the same events, one of them does it."""
    for number in range(30):
        await say(talk, "anna", to_user("ben", f"Number {number}"))
    nodes = [search_consumer(node.runtime) for _ in range(3)]
    while any(await asyncio.gather(*(each.consume_batch(talk.app_id) for each in nodes))):
        pass

    assert len(await entries(node, talk)) == 30
    assert len(await found(talk, "number")) == 30


async def test_a_past_that_is_imported_is_found(talk: World, node: Node) -> None:
    """Imported messages are found, in the order of their times."""
    await say(talk, "anna", to_user("ben", "A new story"))
    await import_past(
        talk,
        older=past("anna", to_user("ben", "An old story"), START - 1000),
        oldest=past("ben", to_user("anna", "The first story"), START - 2000),
    )
    await index(node, talk)

    assert await found(talk, "story") == ["The first story", "An old story", "A new story"]


async def test_files_are_found_by_their_names(talk: World, node: Node) -> None:
    """A message with a file is found by the file's name, too."""
    file = {
        "url": "https://example.com/x",
        "name": "Yearly-Report.PDF",
        "extension": "pdf",
        "mimeType": "application/pdf",
        "size": 1,
    }
    body = {"receiver": "ben", "receiverType": "user", "type": "file"}
    said = await say(talk, "anna", {**body, "data": {"attachments": [file]}})
    await index(node, talk)
    for key in ("report.pdf", "YEARLY"):
        rows = await talk.get(f"/messages?searchKey={key}", as_="anna")
        assert [row["id"] for row in rows] == [said["id"]]


async def test_action_messages_are_not_searched(talk: World, node: Node) -> None:
    """Action messages are not found: they are not texts of users."""
    await talk.post("/groups/tea/members", as_="cleo")
    await index(node, talk)

    assert await talk.get("/groups/tea/messages?searchKey=joined", as_="cleo") == []


async def test_other_filters_hold_as_well(talk: World, node: Node) -> None:
    """A search combines with the other filters."""
    await say(talk, "anna", to_group("tea", "Tea at five", tags=["plan"]))
    await say(talk, "ben", to_group("tea", "Tea at six"))
    await index(node, talk)
    path = "/groups/tea/messages?"

    assert await found(talk, "tea", f"{path}sender=ben") == ["Tea at six"]
    assert await found(talk, "tea", f"{path}tags=plan") == ["Tea at five"]
    counted = await talk.get(f"{path}searchKey=tea&count=true", as_="anna")
    assert counted == [{"entityType": "group", "entityId": "tea", "count": 2}]


@pytest.mark.parametrize("key", ["", "%20", "%09%20"])
async def test_a_search_for_nothing_finds_all(talk: World, key: str) -> None:
    """An empty search finds all messages."""
    await say(talk, "anna", to_user("ben", "Hello"))

    assert await texts(talk, f"/messages?category=message&searchKey={key}", as_="anna") == ["Hello"]


async def test_a_search_has_its_limits(talk: World) -> None:
    """A searched text has at most 100 characters, and no U+0000."""
    await talk.refused(
        "GET", f"/messages?searchKey={'x' * 101}", status=400, code="ERR_BAD_REQUEST"
    )
    assert await talk.get("/messages?searchKey=" + "x" * 100) == []


BOUNDED = (
    (candidates, "MOST_CANDIDATES"),
    (candidates, "MOST_IN_PARTS"),
    (candidates, "PART_SIZE"),
    (find, "FIRST_LOOK"),
    (find, "AT_ONCE"),
    (find, "LONG_LOOK"),
)
BOUNDS = [
    (20_000, 200_000, 1_000, 200, 1_000, 20_000),
    (3, 3, 2, 1, 2, 1),
    (1_000, 1_000, 3, 2, 3, 0),
]
ALPHABETS = ("ab ", "ab c!", "東京都市", "ÀàßẞSs ")


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
@pytest.mark.parametrize("alphabet", ALPHABETS)
async def test_pages_hold_what_the_texts_hold(
    talk: World,
    node: Node,
    monkeypatch: pytest.MonkeyPatch,
    alphabet: str,
    bounds: tuple[int, ...],
) -> None:
    """Page by page, from either end, a search finds what a scan of all texts finds."""
    for (module, name), bound in zip(BOUNDED, bounds, strict=True):
        monkeypatch.setattr(module, name, bound)
    chance = random.Random(alphabet)
    said = []
    for number in range(40):
        text = "".join(chance.choices(alphabet, k=chance.randint(1, 8))) + "."
        receiver = chance.choice([to_user("ben", text), to_group("tea", text)])
        row: Json = await say(talk, "anna", receiver)
        said.append((row["receiver"], row["id"], text))
        if number == 25:
            await index(node, talk)

    for path, receivers in (("/messages", "ben tea"), ("/groups/tea/messages", "tea")):
        for _ in range(4):
            key = "".join(chance.choices(alphabet, k=chance.randint(1, 4))).strip() or alphabet[0]
            expected = [
                id_
                for receiver, id_, text in said
                if receiver in receivers.split() and normalise(key) in normalise(text)
            ]
            for affix in ("append", "prepend"):
                query = f"{path}?category=message&limit=4&affix={affix}&searchKey={quote(key)}"
                assert await _leaf_through(talk, query, affix) == expected


async def _leaf_through(world: World, path: str, affix: str) -> list[str]:
    """Return the ids of a list that is read page by page."""
    ids: list[str] = []
    cursor: Json | None = {}
    while cursor is not None:
        further = "".join(f"&{name}={value}" for name, value in cursor.items() if name != "affix")
        page: list[Any] = [row["id"] for row in await world.get(path + further, as_="anna")]
        ids = [*page, *ids] if affix == "prepend" else [*ids, *page]
        cursor = world.answer.meta.get("previous" if affix == "prepend" else "next")
    return ids
