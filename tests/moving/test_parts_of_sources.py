"""What converters share: ids, emoji, large JSON, long texts, and who sent what."""

import io
import tracemalloc
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hubbub.kernel.text import is_id
from hubbub.moving.sources.interface import Reading
from hubbub.moving.sources.json_stream import BEGINS, BrokenJson, read_parts
from hubbub.moving.sources.mrkdwn import to_markdown
from hubbub.moving.sources.named_mentions import with_mentions
from hubbub.moving.sources.rows import LARGEST_TEXT_BYTES, split_text
from hubbub.moving.sources.senders import Senders
from hubbub.moving.sources.shortcodes import emoji_of, with_emoji
from hubbub.moving.sources.slack import Slack
from hubbub.moving.sources.uids import Uids
from hubbub.moving.tree import open_tree


@given(st.lists(st.text() | st.sampled_from(["anna", "Anna", "a.b", "a_b", "é", ""]), unique=True))
def test_ids_are_valid_and_differ(names: list[str]) -> None:
    """Each name has an id of its own, which is the same in every order and each time."""
    uids, backwards = Uids(), Uids()
    made = [uids.of(name) for name in names]

    assert all(map(is_id, made))
    assert len(set(made)) == len(names)
    assert [backwards.of(name) for name in reversed(names)] == made[::-1]
    assert [uids.of(name) for name in names] == made


def test_an_id_that_another_name_would_get_is_not_given_twice() -> None:
    """A name that is the id of an earlier one gets another id."""
    uids = Uids()
    made = uids.of("Anna Berg")

    assert made.startswith("anna_berg-")
    assert uids.of("anna") == "anna"
    assert uids.of(made) not in ("", made)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("wave", "👋"),
        ("+1::skin-tone-3", "👍🏼"),
        ("wave_medium_dark_skin_tone", "👋🏾"),
        ("woman-shrugging", "🤷‍♀️"),
        ("flag-de", "🇩🇪"),
        ("party_parrot", None),
        ("", None),
    ],
)
def test_emoji_have_names(name: str, shown: str | None) -> None:
    """Names of other systems are found, with skin tones; custom ones are none."""
    assert emoji_of(name) == shown


def test_only_names_between_colons_are_emoji() -> None:
    """Times, addresses and names that are not known stay."""
    assert with_emoji(":wave: 10:30:45 http://a:100:b :party_parrot:") == (
        "👋 10:30:45 http://a:100:b :party_parrot:"
    )


def read_json(
    content: bytes, *wanted: str, begin: tuple[str, ...] = ()
) -> list[tuple[str, object]]:
    """Return the parts of a document."""
    return list(read_parts(io.BytesIO(content), wanted, begin))


def test_parts_come_in_the_order_of_the_document() -> None:
    """Values at the wanted paths come whole, and where an object begins is told."""
    content = b'{"a": {"name": "x", "list": [{"b": [1, 2.5]}, 7]}, "c": null, "d": 1}'

    assert read_json(content, "a.name", "a.list.item", "d", begin=("a",)) == [
        ("a", BEGINS),
        ("a.name", "x"),
        ("a.list.item", {"b": [1, 2.5]}),
        ("a.list.item", 7),
        ("d", 1),
    ]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b'{"a": [1, 2,]}', b'{"a": ' + b"[" * 100_000, b"\x00\x01", b'{"a": 1e}'],
)
def test_broken_json_is_said(content: bytes) -> None:
    """A document that is no JSON, or is nested too deep, is the one error that is expected."""
    with pytest.raises(BrokenJson):
        read_json(content, "a.item")


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_broken(content: bytes) -> None:
    """No bytes raise another error."""
    try:
        read_json(b'{"a": "' + content + b'"}', "a")
    except BrokenJson:
        return


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_encoding_is_found(encoding: str) -> None:
    """Marks of the byte order at the beginning say which encoding it is."""
    assert read_json('{"a": "é👋"}'.encode(encoding), "a") == [("a", "é👋")]


def test_what_json_does_not_know_is_repaired() -> None:
    """Bytes that are no UTF-8 are replaced and counted; escapes with x are read."""
    reading = Reading()
    content = b'{"a": "\xff\xef\xbf\xbd \\x1b \\\\x1b"}'

    assert list(read_parts(io.BytesIO(content), ["a"], reading=reading)) == [
        ("a", "\ufffd\ufffd \x1b \\x1b")
    ]
    assert reading.dropped == {"characters that are not valid UTF-8": 1}


@given(
    st.text(alphabet=st.sampled_from('a\\"\n <@uid:b>é👋\x01'), max_size=30), st.integers(1, 900)
)
def test_the_parts_of_a_text_are_the_text(piece: str, times: int) -> None:
    """Each part is short enough, and none of what people see is lost."""
    text = piece * times
    parts = split_text(text)

    assert all(len(msgspec.json.encode(part)) <= LARGEST_TEXT_BYTES for part in parts)
    assert "".join(parts).split() == text.split()


def test_a_text_is_cut_between_words_and_not_in_mentions() -> None:
    """A cut is after a line, else after a word, and never within a mention."""
    words, mentions = split_text("word " * 3000), split_text("<@uid:anna>" * 1500)

    assert [part[-5:] for part in words] == ["word "] * len(words)
    assert len(words) == 2
    assert all(part.startswith("<@uid:") and part.endswith(">") for part in mentions)


def test_senders_are_found_in_any_order() -> None:
    """Numbers that go back are found, too; others are not."""
    senders = Senders()
    for number, uid in ((5, "anna"), (9, "ben"), (7, "chiara"), (2**70, "dai")):
        senders.add(number, uid)

    assert [senders.find(number) for number in (5, 9, 7, 2**70, 6, 10)] == [
        *("anna", "ben", "chiara", "dai", None, None)
    ]


class Names:
    """References that are what they say."""

    def user(self, id_: str, label: str) -> str:
        return f"<@uid:{id_.lower()}>"

    def channel(self, id_: str, label: str) -> str:
        return label or id_


@given(st.text(alphabet=st.sampled_from("<>|@#!*_~`\n aU:&;\ue000\ue0010")))
def test_any_text_of_slack_becomes_markdown(text: str) -> None:
    """No text raises an error, or leaves a mark of what was done."""
    assert "\ue000" not in to_markdown(text, Names())


def test_mentions_by_name_end_where_names_end() -> None:
    """Full stops at the end of a sentence are not of the name; code is left alone."""
    known = {"anna": "u1", "anna.b": "u2"}

    assert with_mentions("@anna. @anna.b. @ben, x@anna `@anna`", known.get) == (
        "<@uid:u1>. <@uid:u2>. @ben, x@anna `@anna`"
    )


def test_memory_does_not_grow_with_messages(tmp_path: Path) -> None:
    """Ten times as many messages need no more memory to read."""
    peaks = [peak_of_reading(tmp_path / str(count), count) for count in (300, 3_000)]

    assert peaks[1] < peaks[0] + 300_000


def peak_of_reading(folder: Path, count: int) -> int:
    """Return the most bytes that reading a channel with so many messages needs."""
    (folder / "talk").mkdir(parents=True)
    (folder / "users.json").write_text('[{"id": "U1", "name": "rosa"}]')
    (folder / "channels.json").write_text('[{"id": "C1", "name": "talk", "members": ["U1"]}]')
    messages = [
        {"user": "U1", "text": "word " * 20, "ts": f"{number}.0", "thread_ts": "1.0"}
        for number in range(1, count + 1)
    ]
    (folder / "talk/2024-01-01.json").write_bytes(msgspec.json.encode(messages))
    del messages
    tracemalloc.start()
    try:
        assert sum(1 for _ in Slack().read(open_tree(folder), Reading())) == count + 3
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
