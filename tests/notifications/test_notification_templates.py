"""Placeholders in templates: what they stand for, and that nothing in values is expanded."""

import string
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hubbub.domain.notifications.rendering.templates import (
    LONGEST_TEXT,
    cut,
    find_value,
    one_line,
    parse,
    render,
    render_with_gaps,
)

MESSAGE: dict[str, Any] = {
    "id": "101",
    "data": {
        "text": "Hello",
        "count": 3,
        "ratio": 0.5,
        "isSecret": True,
        "nothing": None,
        "metadata": {"@injected": {"extensions": {"link-preview": {"title": "Hikes"}}}},
        "attachments": [{"name": "map.png"}, {"name": "hut.png"}],
    },
}
CONTEXT: dict[str, Any] = {
    "message": MESSAGE,
    "messages": [MESSAGE, MESSAGE],
    "senderDetails": {"name": "Anna"},
}

NAMES = st.text(string.ascii_letters + string.digits + "_-@é", min_size=1, max_size=12)
TEXTS = st.text(st.sampled_from("ab{} .\n\t😀é\u0301") | st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("", ""),
        ("New message", "New message"),
        ("{{message.data.text}}", "Hello"),
        ("{{ message.data.text }}!", "Hello!"),
        ("{{senderDetails.name}}: {{message.data.text}}", "Anna: Hello"),
        ("{{messages.length}} messages", "2 messages"),
        ("{{message.data.attachments.1.name}}", "hut.png"),
        ("{{message.data.attachments.length}}", "2"),
        ("{{message.data.metadata.@injected.extensions.link-preview.title}}", "Hikes"),
        ("{{message.data.count}} {{message.data.ratio}}", "3 0.5"),
        ("{{message.data.isSecret}}", "true"),
        ("{{{senderDetails.name}}}", "{Anna}"),
        ("{{senderDetails.name", "{{senderDetails.name"),
        ("{senderDetails.name}", "{senderDetails.name}"),
        ("{{}} {{ }} {{a b}}", "{{}} {{ }} {{a b}}"),
    ],
)
def test_placeholder_stands_for_its_value(template: str, text: str) -> None:
    """A path leads through objects and lists; what is no placeholder stays as it is."""
    assert render(template, CONTEXT) == text
    assert render_with_gaps(template, CONTEXT) == text


@pytest.mark.parametrize(
    "path",
    [
        "missing",
        "message.data.missing",
        "message.data.text.length",
        "message.data.nothing",
        "message.data",
        "message.data.attachments",
        "message.data.attachments.2.name",
        "message.data.attachments.-1.name",
        "message.data.attachments.²",
        "message.data.attachments.99999999999999999999",
        "message..data",
        "message.",
        ".",
        "message.__class__",
        "message.keys",
    ],
)
def test_placeholder_without_a_value_asks_for_the_fallback(path: str) -> None:
    """There is no text for null, objects, lists and what is missing."""
    assert render(f"Hi {{{{{path}}}}}", CONTEXT) is None
    assert render_with_gaps(f"Hi {{{{{path}}}}}!", CONTEXT) == "Hi !"


def test_endless_number_has_no_text() -> None:
    """Python refuses to write numbers of over 4300 digits."""
    assert render("{{number}}", {"number": 10**5000}) is None
    assert render("{{number}}", {"number": -(2**63)}) == str(-(2**63))


@given(st.text(max_size=300))
def test_value_is_written_as_it_is(value: str) -> None:
    """Nothing in a value is expanded or escaped."""
    hostile = "{{secret}}" + value + "{{" + value + "}}"

    text = render("<{{value}}>", {"value": hostile, "secret": "S3CRET", value: "S3CRET"})

    assert text == f"<{hostile}>"


def test_values_make_no_placeholder_together() -> None:
    """A placeholder that is composed of two values, or of a value and the template, stays text."""
    context = {"a": "{{sec", "b": "ret}}", "braces": "{{", "secret": "S3CRET"}

    assert render("{{a}}{{b}}", context) == "{{secret}}"
    assert render("{{braces}}secret}}", context) == "{{secret}}"


@given(TEXTS | st.lists(NAMES, min_size=1).map(lambda path: "{{" + ".".join(path) + "}}"), JSON)
def test_any_template_renders_over_any_values(template: str, values: object) -> None:
    """Rendering raises nothing, and is bounded, whatever templates and values are."""
    context = {"message": values} if not isinstance(values, dict) else values

    text, with_gaps = render(template, context), render_with_gaps(template, context)

    assert text is None or text == with_gaps
    assert len(with_gaps) <= LONGEST_TEXT


@given(st.dictionaries(NAMES, TEXTS, min_size=1, max_size=6), st.data())
def test_text_is_the_concatenation_of_its_pieces(
    values: dict[str, str], data: st.DataObject
) -> None:
    """Each placeholder is replaced by its value, in its place, and only there."""
    plain = st.text("ab .:", max_size=5)
    pieces = data.draw(st.lists(st.tuples(plain, st.sampled_from(sorted(values))), max_size=8))

    template = "".join(text + "{{" + name + "}}" for text, name in pieces)

    assert render(template, values) == "".join(text + values[name] for text, name in pieces)


@given(
    st.recursive(
        st.just("end"), lambda inner: st.dictionaries(NAMES, inner, min_size=1), max_leaves=8
    )
)
def test_every_leaf_is_found_by_its_path(tree: Any) -> None:
    """The keys from the root to a leaf, joined by dots, are its path."""
    path = []
    node = tree
    while isinstance(node, dict):
        key = min(node)
        path.append(key)
        node = node[key]

    assert find_value({"root": tree}, ("root", *path)) == "end"


def test_whole_text_is_bounded_not_only_each_value() -> None:
    """Many placeholders of long values make no huge text."""
    text = render("{{value}}" * 2000, {"value": "x" * 65_536})

    assert text == "x" * (LONGEST_TEXT - 1) + "…"


def test_last_placeholder_of_a_long_text_still_decides() -> None:
    """A missing value asks for the fallback even where the text would be cut before it."""
    assert render("{{value}}{{missing}}", {"value": "x" * 65_536}) is None


@pytest.mark.parametrize(
    "template",
    [
        "{{" * 50_000,
        "{{ " * 50_000,
        "{{" + " " * 100_000,
        "{{a" * 50_000,
        "{{" + "a." * 50_000 + "}}",
    ],
    ids=["braces", "spaced braces", "spaces", "open paths", "long path"],
)
def test_hostile_template_takes_linear_time(template: str) -> None:
    """A template made to be slow is parsed at once: quadratic time would be minutes."""
    begun = time.process_time()
    parse.__wrapped__(template)

    assert time.process_time() - begun < 60


@given(st.text(max_size=80), st.integers(min_value=1, max_value=90))
def test_cut_text_is_a_prefix_within_its_limit(text: str, limit: int) -> None:
    """A text that fits stays whole; otherwise a prefix and an ellipsis are left."""
    shown = cut(text, limit)

    assert len(shown) <= limit
    assert shown == text or (len(text) > limit and shown[-1] == "…" and text.startswith(shown[:-1]))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("abcde\u0301fgh", "abcd…"),  # an accent
        ("abcd👍🏽efg", "abcd…"),  # a skin tone
        ("abcd👩\u200d🚀ef", "abcd…"),  # a joined emoji, at its joiner
        ("abc👩\u200d🚀def", "abc…"),  # and after its joiner
        ("ab👩\u200d🚀def", "ab👩\u200d🚀…"),  # all of it fits
        ("abcd❤\ufe0fef", "abcd…"),  # a variation selector
        ("abcdefghi", "abcde…"),
    ],
)
def test_cut_keeps_characters_whole(text: str, shown: str) -> None:
    """Nothing is cut between the parts of what a reader sees as one character."""
    assert cut(text, 6) == shown


def test_cut_of_endless_accents_is_bounded() -> None:
    """A text that is one endless character is cut all the same."""
    assert len(cut("e" + "\u0301" * 10_000, 100)) > 50


@given(st.text())
def test_line_has_no_breaks_and_no_control_characters(text: str) -> None:
    """Titles and subjects are one line, so that no header can be forged with them."""
    line = one_line(text)

    assert len(line.splitlines()) <= 1
    assert not any(ord(each) < 32 or ord(each) == 127 for each in line)


def test_line_keeps_joined_emoji() -> None:
    """Control characters become spaces; emoji and other scripts stay as they are."""
    assert one_line(" Anna 👩\u200d🚀\r\nBcc: x\x00y ") == "Anna 👩\u200d🚀 Bcc: x y"
