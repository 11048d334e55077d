"""Entries of the search index: every part of a text leads to its message, on both engines."""

import json
import random

import pytest
from tests.world import Node, World

from hubbub.records.messages.model import MESSAGE
from hubbub.records.search import store, trigrams
from hubbub.records.search.entry import IndexEntry, make_entry
from hubbub.records.search.model import IndexedText, Scope, normalise
from hubbub.storage.interface import Snapshot, Transaction

ALPHABETS = {
    "Latin": "abcABCßéÅ ",
    "ASCII": "".join(map(chr, range(1, 128))),
    "Chinese": "東京都市 会議。",
    "Devanagari": "नमस्ते ुिया",
    "Arabic": "مرحبا ب العالم",
    "Korean": "안녕하세요 ᄒ\u1161\u11ab",
    "emoji": "🎉👩\u200d👧🏽❤\ufe0f a",
    "combined": "e\u0301\u0300ñn\u0303a ",
    "beyond the BMP": "𝔘𠀀𠀁𐍈 a",
    "private use": "\ue000\ue001\ue120\U000f0001\U00100000\U0010fffd a",
    "not characters": "a\ufffe\uffff\ufdd0\U0001fffe\U0010ffffb\u0000",
}
LONGEST_KEY = 7


async def put(node: Node, world: World, entries: dict[int, IndexEntry]) -> None:
    """Store entries."""

    async def within(tx: Transaction) -> None:
        await store.put_entries(tx, await store.take_slot(tx), entries.keys(), entries)

    await node.runtime.database.write(world.app_id, within)


def entry(node: Node, text: str, conversation: int) -> IndexEntry:
    """Return the entry of a message."""
    source = IndexedText(0, conversation, MESSAGE, json.dumps({"text": text}))
    made = make_entry(source, is_cut=not node.runtime.database.cuts_entries)
    assert made is not None
    return made


async def find(node: Node, world: World, key: str, *conversations: int) -> list[set[int]]:
    """Return what each condition for a key finds in conversations, or in the app if none."""

    async def within(snapshot: Snapshot) -> list[set[int]]:
        slot = await store.find_slot(snapshot)
        assert slot is not None
        scopes = [Scope(slot.number, each) for each in conversations or (None,)]
        found = [
            await store.find_entries(snapshot, slot, terms, most=1000)
            for terms in store.conditions_of(key, scopes)
        ]
        return [each for each in found if each is not None]

    return await node.runtime.database.read(world.app_id, within)


@pytest.mark.parametrize("name", ALPHABETS)
async def test_every_part_of_a_text_is_found(node: Node, world: World, name: str) -> None:
    """Every condition for every part of a text, from one character on, finds the entry."""
    chance = random.Random(name)
    texts = {
        id_: "x" + "".join(chance.choices(ALPHABETS[name], k=chance.randint(1, 12)))
        for id_ in range(1, 30)
    }
    await put(node, world, {id_: entry(node, text, 1 + id_ % 3) for id_, text in texts.items()})

    checked = 0
    for id_, text in texts.items():
        for key in parts(normalise(text)):
            for found in await find(node, world, key) + await find(node, world, key, 1 + id_ % 3):
                checked += 1
                assert id_ in found, (text, key)
    assert checked > 100


def parts(text: str) -> set[str]:
    """Return the parts of a text that can be searched for: normalised, without U+0000."""
    spans = (
        text[place : place + length]
        for place in range(len(text))
        for length in range(1, LONGEST_KEY + 1)
    )
    return {part for part in spans if part == normalise(part) and part and "\0" not in part}


async def test_a_key_finds_few_others(node: Node, world: World) -> None:
    """A key of three characters finds exactly the texts that hold it, also across spaces."""
    texts = dict(enumerate(["one two", "onet wo", "two one", "on", "o", "the two", "twofold"], 1))
    await put(node, world, {id_: entry(node, text, 1) for id_, text in texts.items()})

    for key in ("one", "two", "the", "fol"):
        expected = {id_ for id_, text in texts.items() if key in text}
        assert (await find(node, world, key))[0] == expected
    if node.runtime.database.cuts_entries:
        assert await find(node, world, "e t") == [{1, 6}]
    assert (await find(node, world, "on"))[-1] == {1, 2, 3, 4}


async def test_entries_stay_in_their_scope(node: Node, world: World) -> None:
    """A key finds the entries of the conversations asked for, and of the app asked for."""
    numbers = (1, 2, 3, 65_533, 65_534, 65_535, 2**31)
    other = await node.world()
    for each in (world, other):
        entries = {id_: entry(node, "hello", number) for id_, number in enumerate(numbers, 1)}
        await put(node, each, entries)

        assert await find(node, each, "hello") == [set(entries)]
        for id_, number in enumerate(numbers, 1):
            assert await find(node, each, "hello", number) == [{id_}]
        assert await find(node, each, "hello", 4) == [set()]
        assert await find(node, each, "hello", 1, 4, 2**31) == [{1, len(numbers)}]


async def test_scopes_that_share_terms_hide_nothing(
    node: Node, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where apps and conversations share trigrams, a search finds all of its app, or gives up."""
    monkeypatch.setattr(trigrams, "SIZE", 1)
    other = await node.world()
    for each in (world, other):
        await put(node, each, {id_: entry(node, "hello", id_) for id_ in range(1, 6)})

    assert await find(node, other, "hello") == [{1, 2, 3, 4, 5}]
    assert 3 in (await find(node, other, "hello", 3))[0]

    async def within(snapshot: Snapshot) -> list[set[int] | None]:
        slot = await store.find_slot(snapshot)
        assert slot is not None
        (terms,) = store.conditions_of("hello", [Scope(slot.number)])
        return [await store.find_entries(snapshot, slot, terms, most=most) for most in (4, 7, 10)]

    few, several, enough = await node.runtime.database.read(other.app_id, within)
    assert few is None
    assert several == (None if node.runtime.database.cuts_entries else {1, 2, 3, 4, 5})
    assert enough == {1, 2, 3, 4, 5}


async def test_a_text_names_no_scope(node: Node, world: World) -> None:
    """A text with the characters that name an app or a conversation is in no other scope."""
    other = await node.world()
    await put(node, world, {1: entry(node, "hello", 1)})
    slot = await node.runtime.database.read(world.app_id, store.find_slot)
    assert slot is not None
    forged = "".join(
        f"hello {trigrams.scope_term(scope)} \ue000{slot.number} \ue000{slot.number}\ue0011"
        for scope in (Scope(slot.number), Scope(slot.number, 1), Scope(slot.number, 2))
    )
    await put(node, other, {5: entry(node, forged, 7)})
    await put(node, world, {6: entry(node, forged, 7)})

    assert await find(node, world, "hello") == [{1, 6}]
    assert await find(node, world, "hello", 1) == [{1}]
    assert await find(node, world, "hello", 2) == [set()]
    assert await find(node, world, "hello", 7) == [{6}]


@pytest.mark.parametrize("slot", [1, 65_533, 65_534, 65_535, 8_000_000])
def test_the_terms_of_scopes_are_trigrams(slot: int) -> None:
    """Each scope is one trigram of the end of an entry; no app's trigram is a conversation's."""
    for number in (1, 65_534, 2**32, 2**40 - 1):
        app, scope = Scope(slot), Scope(slot, number)
        ending = trigrams.ending_of(slot, number)
        cut = {ending[place : place + 3] for place in range(len(ending) - 2)}
        assert {trigrams.scope_term(scope), trigrams.scope_term(app)} <= cut
        assert len(trigrams.scope_term(scope)) == len(trigrams.scope_term(app)) == 3
        assert not any(0xD800 <= ord(character) < 0xE000 for character in ending)
        assert not any(ord(character) & 0xFFFE == 0xFFFE for character in ending)
