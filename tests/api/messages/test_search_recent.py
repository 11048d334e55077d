"""The index is made of what this node has sent, without reading it again, and lacks nothing."""

import random
from typing import Any

import pytest
from tests.api.messages.talk import group, import_past, past, say, texts, to_group, to_user
from tests.api.messages.test_search import entries, found, index
from tests.clock import START
from tests.world import Node, World

from hubbub.domain.search import find
from hubbub.domain.search.index import search_consumer
from hubbub.outbox import consumer
from hubbub.records.search import store


class ReadAgain(Exception):
    """The log, or the row of a message, was read."""


@pytest.fixture
async def talk(world: World, node: Node) -> World:
    """Anna and Ben, who may write to each other and in a group; what is older is indexed."""
    await world.users("anna", "ben")
    await group(world, "tea", "anna", "ben")
    await index(node, world)
    return world


async def refuse(*_: Any, **__: Any) -> Any:
    """Read nothing."""
    raise ReadAgain


async def test_neither_log_nor_rows_are_read(
    talk: World, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Messages that a node has sent are indexed from its memory, and found."""
    said = [await say(talk, "anna", to_user("ben", f"Number {number}")) for number in range(7)]
    monkeypatch.setattr(consumer, "read_log", refuse)
    monkeypatch.setattr(store, "list_sources", refuse)
    reached = await search_consumer(node.runtime).consume_batch(talk.app_id)

    assert reached is not None
    assert await entries(node, talk) == {int(each["id"]) for each in said}
    monkeypatch.setattr(find, "FIRST_LOOK", 0)
    assert await found(talk, "number 3") == ["Number 3"]
    monkeypatch.undo()
    assert await search_consumer(node.runtime).consume_batch(talk.app_id) is None


async def test_a_message_erased_meanwhile_gets_no_entry(talk: World, node: Node) -> None:
    """A message that was erased before it was indexed leaves nothing in the index."""
    erased = await say(talk, "anna", to_user("ben", "Forget this"))
    kept = await say(talk, "anna", to_user("ben", "Keep that"))
    await talk.delete(f"/messages/{erased['id']}", {"permanent": True}, as_="anna")
    await index(node, talk)

    assert await entries(node, talk) == {int(kept["id"])}


async def test_a_message_edited_meanwhile_is_found_by_its_new_text(
    talk: World, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A message that was edited before it was indexed is found by its new text alone."""
    said = await say(talk, "anna", to_user("ben", "Meet at noon"))
    await talk.put(f"/messages/{said['id']}", {"data": {"text": "Meet at dusk"}}, as_="anna")
    await index(node, talk)
    monkeypatch.setattr(find, "FIRST_LOOK", 0)

    assert await found(talk, "noon") == []
    assert await found(talk, "dusk") == ["Meet at dusk"]


@pytest.mark.parametrize("seed", range(3))
async def test_nothing_is_missing_whatever_is_forgotten(
    talk: World, node: Node, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """However much a node remembers, and whoever else commits, each message is found once."""
    chance, recent = random.Random(seed), node.runtime.recent_events
    recent.most_events, recent.most_characters = chance.choice([(3, 9_999), (9_999, 300), (99, 99)])
    monkeypatch.setattr(find, "FIRST_LOOK", 0)
    said: dict[str, str] = {}
    for number in range(40):
        text = f"word{number:02}{' and more' * chance.randrange(9)}"
        if chance.random() < 0.3:
            await search_consumer(node.runtime).consume_batch(
                talk.app_id, limit=chance.randint(1, 4)
            )
        is_of_another_node = chance.random() < 0.2
        if is_of_another_node:
            node.runtime.heads.ignore(recent.note)
        choice = chance.random()
        if choice < 0.2 and (live := [each for each in said if each.isdigit()]):
            edited = chance.choice(live)
            await talk.put(f"/messages/{edited}", {"data": {"text": text}}, as_="anna")
            said[edited] = text
        elif choice < 0.35:
            await import_past(talk, **{f"m{number}": past("anna", to_user("ben", text), START - 9)})
            said[f"imported {number}"] = text
        else:
            body = chance.choice([to_user("ben", text), to_group("tea", text)])
            said[(await say(talk, "anna", body))["id"]] = text
        if is_of_another_node:
            node.runtime.heads.listen(recent.note)
    await index(node, talk)

    for number in range(40):
        expected = [text for text in said.values() if text.startswith(f"word{number:02}")]
        assert await found(talk, f"word{number:02}") == expected
    assert await texts(talk, "/messages?searchKey=zebra") == []
