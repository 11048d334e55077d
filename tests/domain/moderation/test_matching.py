"""What compiled rules find in texts, and how they mask it."""

import string
from collections.abc import Sequence
from typing import Any

import pytest

from hubbub.domain.moderation.matching import patterns
from hubbub.domain.moderation.matching.patterns import PatternSet, find_fault
from hubbub.domain.moderation.matching.ruleset import CompiledRule, RuleSet, TooLong
from hubbub.domain.moderation.matching.texts import texts_of
from hubbub.records.moderation.rules.model import Condition, RuleContent


def rules_of(*conditions: Condition, **lists: Sequence[str]) -> RuleSet:
    """Return a rule for each condition."""
    compiled = [
        CompiledRule(f"rule-{index}", f"app_rule-{index}_1", RuleContent("", conditions=(each,)))
        for index, each in enumerate(conditions)
    ]
    return RuleSet(compiled, lists)


def words(*values: str, operator: str | None = None) -> Condition:
    """Return a condition: these words."""
    return Condition(1, "text", "word", operator, values)


def other(category: str, *values: str) -> Condition:
    """Return a condition of another category."""
    return Condition(1, "text", category, None, values)


def is_found(condition: Condition, text: str) -> bool:
    """Return whether a text matches a condition."""
    return bool(rules_of(condition).find([text], is_on_loop=False))


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("ass", "What an ASS!"),
        ("ass", "áśş"),
        ("ass", "assss"),
        ("ass", "aaaass"),
        ("fuck", "ffffuuuuccckkk you"),
        ("xxx", "xxxxx"),
        ("buy now", "Buy\nnow!"),
        ("@here", "hello @here"),
        ("c++", "I like c++ more"),
        ("坏蛋", "你是坏蛋吗"),
        ("ไม่ดี", "คุณไม่ดีเลย"),
        ("café", "a cafe."),
        ("cafe", "a café."),
        ("ß", "strange ss here"),
    ],
)
def test_words_are_found(word: str, text: str) -> None:
    """A word is found at the borders of words, however it is written."""
    assert is_found(words(word), text)


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("ass", "class assign bass"),
        ("ass", "ass_ets"),
        ("ass", "as"),
        ("as", "ass"),
        ("xxx", "xx"),
        ("10", "1000"),
        ("100", "1000"),
        ("lol", "101"),
        ("buy now", "buynow"),
        ("ass", "as s"),
    ],
)
def test_other_words_are_not(word: str, text: str) -> None:
    """A part of a word is no word, and nor is what only resembles one."""
    assert not is_found(words(word), text)


def test_operators_say_where_a_word_must_be() -> None:
    """`contains` finds it inside words too, `equals` if it is all of the text."""
    inside, alone, both = "classic", " Ass ", "an ass"
    for text, contains, equals in ((inside, True, False), (alone, True, True), (both, True, False)):
        assert is_found(words("ass", operator="contains"), text) is contains
        assert is_found(words("ass", operator="equals"), text) is equals


def test_patterns_run_on_both_forms() -> None:
    """A pattern finds what was sent, in its case, and the folded form, in lower case."""
    assert is_found(other("pattern", "A[0-9]+"), "no. A17")
    assert not is_found(other("pattern", "A[0-9]+"), "no. a17")
    assert is_found(other("pattern", r"\bbuy\b"), "BÜY it")
    assert is_found(other("pattern", "(?i)^hello"), "HELLO you")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("email", "write to anna@example.org."),
        ("email", "Anna.B+c@mail.example.co.uk"),
        ("phone", "call +49 170 1234567 now"),
        ("phone", "call 0049 170 1234567 now"),
        ("phone:US", "it's (212) 555-0123 or so"),
        ("phone:DE", "0170 1234567"),
        ("link", "see https://example.org/a?b"),
        ("link", "see www.example.org"),
        ("link", "see Example.COM"),
        ("link", "see bücher.example.com/x"),
    ],
)
def test_contact_details_are_found(kind: str, text: str) -> None:
    """Addresses, numbers and links are found in texts."""
    assert is_found(other("contact", kind), text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("email", "meet @anna at 5"),
        ("email", "a@b"),
        ("phone", "0170 1234567"),
        ("phone", "on 2026-11-27 at 12:30"),
        ("phone:US", "order 1234567890123"),
        ("phone:US", "from 2026-11-27 to 2026-12-01"),
        ("link", "wait...what. No"),
        ("link", "version 1.2.3"),
        ("link", "anna@example.com"),
    ],
)
def test_what_is_no_contact_detail(kind: str, text: str) -> None:
    """Dates, versions and mentions are no contact details."""
    assert not is_found(other("contact", kind), text)


@pytest.mark.parametrize(
    ("condition", "text", "masked"),
    [
        (words("ass"), "What an ass!", "What an ***!"),
        (words("ass"), "Ｗhat an ÁssssS, ass", "Ｗhat an ***, ***"),
        (words("ass"), "a\u200bs\u200bs\u0301 class", "*** class"),
        (words("ass", operator="contains"), "classic", "cl***ic"),
        (words("buy now", "now or never"), "buy now or never!", "***!"),
        (words("ss", operator="contains"), "Straße", "Stra***e"),
        (other("pattern", "[0-9]+"), "1 and 22", "*** and ***"),
        (other("pattern", "[0-9]*"), "no", "no"),
        (other("pattern", "größe"), "Die GRÖSSE", "Die GRÖSSE"),
        (other("pattern", "grosse"), "Die GRÖSSE 界", "Die *** 界"),
        (other("contact", "email"), "to anna@example.org.", "to ***."),
    ],
)
def test_what_is_found_is_masked(condition: Condition, text: str, masked: str) -> None:
    """Stars stand for what was found, in the text as it was sent; all else stays."""
    assert rules_of(condition).mask(text, {0}) == masked


def test_only_some_rules_mask() -> None:
    """Terms of other rules stay."""
    assert rules_of(words("one"), words("two")).mask("one two", {1}) == "one ***"


def test_the_first_condition_is_named() -> None:
    """Of several conditions of a rule that match, the first one is the hit, with its term."""
    content = RuleContent("", conditions=(words("zero"), words("two", "Öne"), words("one")))
    rules = RuleSet([CompiledRule("a", "app_a_1", content)], {})
    hits = rules.find(["one one"], is_on_loop=True)

    assert [(hit.condition, hit.term) for hit in hits.values()] == [(1, "Öne")]


def test_a_list_is_shared() -> None:
    """Several rules that refer to a list find its words."""
    reference = Condition(1, "text", "word", None, ("bad",), is_keywords_reference_present=True)
    rules = rules_of(reference, words("good"), reference, bad=["one", "two"])

    assert set(rules.find(["two"], is_on_loop=True)) == {0, 2}


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        ('{"text": "a"}', ["a"]),
        ('{"text": 5}', []),
        ('{"attachments": [{"name": "a.png", "url": "b"}, {"name": 1}, 2]}', ["a.png"]),
        ('{"attachments": {"name": "a"}}', []),
        ('{"customData": {"a": ["b", {"c": "d"}, 1, null]}, "metadata": {"e": "f"}}', ["b", "d"]),
        ('{"custom_data": "a"}', ["a"]),
        (
            '{"interactiveData": {"title": "t", "formFields": [{"label": "l"}]}, "title": "u"}',
            ["t", "l", "u"],
        ),
        ('{"formFields": [{"label": "l"}], "submitElement": {"buttonText": "b"}}', ["l", "b"]),
    ],
)
def test_texts_of_messages(data: str, texts: list[str]) -> None:
    """Rules look at the text, names of files, strings of forms and of custom data."""
    assert texts_of(data) == texts


def test_long_texts_are_left_to_a_thread() -> None:
    """Texts that would hold up the event loop are refused there, and searched elsewhere."""
    long = "x " * 1_000 + "ass"
    nested = ["a" * length for length in range(1, 4)] + [
        string.ascii_lowercase[first:last] for first in range(26) for last in range(first, 27)
    ]
    dense = string.ascii_lowercase * 20
    slow = "(x{0,30}y){30}"
    cases: list[tuple[Condition, str]] = [
        (words("ass"), long),
        (words(*filter(None, nested), operator="contains"), dense),
        (other("contact", "email"), " " * 300 + "anna@example.org"),
        (other("contact", "phone:DE", "phone:FR", "email"), " " * 100 + "anna@example.org"),
        (other("pattern", "ass", slow), long[-500:]),
        (words("صلى", operator="contains"), "\ufdfa" * 150),
    ]
    for condition, text in cases:
        expect_a_thread(rules_of(condition), text)
    expect_a_thread(rules_of(*[words("a")] * 250), "ba" * 100 + " a")


def expect_a_thread(rules: RuleSet, text: str) -> None:
    """Check that a text, which matches, is searched on a thread alone."""
    with pytest.raises(TooLong):
        rules.find([text], is_on_loop=True)
    assert rules.find([text], is_on_loop=False)


def test_an_engine_without_memory_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """If patterns can't be searched together, each is searched alone, and none is missed."""

    class Silent:
        def Match(self, text: str) -> Any:  # noqa: N802  # as RE2 names it
            return None

    found = PatternSet(["a+", "b", "c"], 2**18)
    monkeypatch.setattr(found, "_set", Silent())

    assert found.find("xaay c") == [0, 2]


def test_a_pattern_has_a_size() -> None:
    """A pattern that needs too much memory is not valid."""
    assert find_fault("((a{100}){100}){10}") is not None
    assert patterns.find_fault("(a+)+$") is None


@pytest.mark.parametrize("pattern", [r"\\C", r"\Qx\C\E", r"\Q\C"])
def test_what_resembles_a_byte_is_a_valid_pattern(pattern: str) -> None:
    r"""`\C` is refused, since it may be a part of a character; quoted it is a letter."""
    assert find_fault(rf"a\\\C{pattern}") is not None
    assert find_fault(pattern) is None
