"""Text of every kind is stored and returned unchanged."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.api.messages.talk import import_past, past, say, texts, to_user
from tests.world import Node, World

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
TAG = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=100
)
VALUE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)
SERVER_WRITES = {"entities", "mentions", "reactions", "moderation", "interactions"}


@pytest.fixture(scope="module")
async def pair(node: Node) -> World:
    """Anna and Ben, in an app that these tests share."""
    world = await node.world()
    await world.users("anna", "ben")
    return world


def exactly(value: Any) -> str:
    """Return JSON that distinguishes 1 from 1.0, 0.0 from -0.0, and orders of keys."""
    return json.dumps(value)


@given(text=ANY_TEXT.filter(bool), metadata=st.dictionaries(ANY_TEXT, VALUE, max_size=5))
@settings(max_examples=60, deadline=None)
async def test_any_text_is_kept(pair: World, text: str, metadata: dict[str, Any]) -> None:
    """Text and metadata, keys and values, are returned unchanged to sender and receiver."""
    data = {"text": text, "metadata": metadata}

    said = await say(pair, "anna", {**to_user("ben"), "data": data})
    read = await pair.get(f"/messages/{said['id']}", as_="ben")

    for shown in (said, read):
        del shown["data"]["entities"]
        assert exactly(shown["data"]) == exactly(data)


@given(data=st.dictionaries(ANY_TEXT, VALUE, max_size=6))
@settings(max_examples=60, deadline=None)
async def test_any_property_is_kept(pair: World, data: dict[str, Any]) -> None:
    """The sender's own properties are stored under any name that the server does not write."""
    data = {"text": "Hi", **data, "attachments": [], "metadata": {}}
    data["text"] = "Hi"

    said = await say(pair, "anna", {**to_user("ben"), "data": data})

    del said["data"]["entities"]
    kept = {name: value for name, value in data.items() if name not in SERVER_WRITES}
    assert exactly(said["data"]) == exactly(kept)


@given(tags=st.lists(TAG, min_size=1, max_size=25))
@settings(max_examples=60, deadline=None)
async def test_any_tag_is_kept(pair: World, tags: list[str]) -> None:
    """Tags of any script keep their order, each once."""
    said = await say(pair, "anna", to_user("ben", tags=tags))

    assert said["tags"] == list(dict.fromkeys(tags))
    assert (await pair.get(f"/messages/{said['id']}"))["tags"] == said["tags"]


HARD = [
    "\0",
    "a\0b",
    "\u2028\u2029\u0085",
    "\ufeff",
    "\ufffe\uffff\ufdd0",
    "\U0010ffff",
    "\x7f\x9f\x01",
    "e\u0301\u0327é",
    "İıßẞſK",
    "مرحبا \u202eabc\u202c",
    "👩‍👩‍👧‍👦🏳️‍🌈",
    "%s %(x)s {} $1 :app_id ?1 ''; DROP TABLE messages; --",
    "\\ \\u0000 \\x00 \\",
    "</script><!--",
    " leading and trailing\t\r\n",
]


@pytest.mark.parametrize("text", HARD, ids=ascii)
async def test_text_that_is_hard_to_store(world: World, text: str) -> None:
    """Text that is difficult for databases and encoders is stored, sent or imported."""
    await world.users("anna", "ben")
    data = {"text": text, "metadata": {text: [text]}, text: {text: text}}
    body = {**to_user("ben"), "data": data}

    said = await say(world, "anna", body)
    made = await import_past(world, m=past("anna", body, 1_700_000_000))
    assert await texts(world, "/messages") == [text, text]

    for shown in (said, made["m"]["data"]):
        del shown["data"]["entities"]
        assert exactly(shown["data"]) == exactly(data)


@pytest.mark.parametrize("tag", [text for text in HARD if "\0" not in text], ids=ascii)
async def test_messages_are_found_by_hard_tags(world: World, tag: str) -> None:
    """A message is found by its tag, however unusual, and by no other."""
    await world.users("anna", "ben")
    await say(world, "anna", to_user("ben", "tagged", tags=[tag]))
    await say(
        world, "anna", to_user("ben", "other", tags=[tag + "x", "x" + tag, tag.upper() + "X"])
    )

    found = await world.ask("GET", f"/messages?tags={_quoted(tag)}")
    assert [row["data"]["text"] for row in found.data] == ["tagged"]


def _quoted(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())
