"""Random rules and texts: what the compiled rules find is what a naive matcher finds."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from hubbub.domain.moderation.matching.folding import fold
from hubbub.domain.moderation.matching.ruleset import CompiledRule, RuleSet
from hubbub.records.moderation.rules.model import Condition, RuleContent

LETTERS = "aabbcAÁаｂ\u200b\u0301 _.1界しก"
PATTERNS = ["a+b", "^a", "b$", "[^a]c", "(?i)AB", "a.a", "界"]
WITHOUT_SPACES = "界しก"

Texts = st.text(st.sampled_from(LETTERS), min_size=1, max_size=30)
Terms = st.text(st.sampled_from(LETTERS), min_size=1, max_size=4).filter(lambda t: fold(t).strip())
Operators = st.sampled_from([None, "contains", "equals"])
Lists = st.fixed_dictionaries({"one": st.lists(Terms, max_size=6), "two": st.lists(Terms)})
Words = st.builds(
    lambda operator, terms: Condition(1, "text", "word", operator, tuple(terms)),
    Operators,
    st.lists(Terms, min_size=1, max_size=4),
)
References = st.builds(
    lambda operator, ids: Condition(
        1, "text", "word", operator, tuple(ids), is_keywords_reference_present=True
    ),
    Operators,
    st.lists(st.sampled_from(["one", "two"]), min_size=1, max_size=3),
)
Patterns = st.builds(
    lambda values: Condition(1, "text", "pattern", None, tuple(values)),
    st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=3),
)
Rules = st.lists(
    st.lists(st.one_of(Words, References, Patterns), max_size=4).map(tuple), min_size=1, max_size=5
)


def shortened(text: str, letters: int) -> str:
    """Return a text in which each letter stands at most so often in a row, if thrice or more."""
    parts: list[str] = []
    for character in text:
        if parts and parts[-1][0] == character:
            parts[-1] += character
        else:
            parts.append(character)
    return "".join(
        part[:letters] if part[0].isalpha() and len(part) >= 3 else part for part in parts
    )


def is_of_word(character: str) -> bool:
    """Return whether a character belongs to a word."""
    return character == "_" or unicodedata.category(character)[0] in "LNM"


def is_border(text: str, at: int) -> bool:
    """Return whether a word may begin or end there."""
    if at in (0, len(text)):
        return True
    around = text[at - 1 : at + 1]
    return not all(map(is_of_word, around)) or any(each in WITHOUT_SPACES for each in around)


def is_term_in(term: str, text: str, operator: str | None) -> bool:
    """Return whether a term is in a text, by looking at each place of each form of it."""
    wanted = shortened(fold(term).strip(), 3)
    for letters in (1, 2, 3):
        form = shortened(fold(text), letters)
        if operator == "equals":
            if form.strip() == wanted:
                return True
            continue
        for begin in range(len(form)):
            end = begin + len(wanted)
            if form[begin:end] != wanted:
                continue
            if operator == "contains" or (is_border(form, begin) and is_border(form, end)):
                return True
    return False


def terms_found(condition: Condition, text: str, lists: dict[str, Sequence[str]]) -> Iterator[str]:
    """Yield the terms of a condition that a text has."""
    if condition.category == "pattern":
        forms = (text, fold(text))
        # RE2's `$` is Python's `\Z`, as no text here has lines.
        yield from (each for each in condition.value if any(re.search(each, f) for f in forms))
        return
    values: Sequence[str] = condition.value
    if condition.is_keywords_reference_present:
        values = [term for each in condition.value for term in lists[each]]
    yield from (term for term in values if is_term_in(term, text, condition.operator))


@settings(max_examples=500, deadline=None)
@given(Rules, Lists, st.lists(Texts, max_size=3))
def test_compiled_rules_find_what_a_naive_matcher_finds(
    rules: list[tuple[Condition, ...]], lists: dict[str, Sequence[str]], texts: list[str]
) -> None:
    """For each rule the same condition is the first that matches, with a term that is there."""
    expected = {}
    for index, conditions in enumerate(rules):
        for position, condition in enumerate(conditions):
            found = {t for text in texts for t in terms_found(condition, text, lists)}
            if found:
                expected[index] = position, found
                break

    compiled = [
        CompiledRule(str(index), "", RuleContent("", conditions=conditions))
        for index, conditions in enumerate(rules)
    ]
    for is_on_loop in (True, False):
        hits = RuleSet(compiled, lists).find(texts, is_on_loop=is_on_loop)
        assert {rule: hit.condition for rule, hit in hits.items()} == {
            rule: position for rule, (position, _) in expected.items()
        }
        for rule, hit in hits.items():
            folded = {fold(term).strip() for term in expected[rule][1]}
            assert fold(hit.term or "").strip() in folded


@settings(max_examples=300, deadline=None)
@given(Rules, Lists, Texts)
def test_what_matches_is_masked_and_nothing_else_is_lost(
    rules: list[tuple[Condition, ...]], lists: dict[str, Sequence[str]], text: str
) -> None:
    """A text with stars has the rest of the text in order; it is changed if words match."""
    compiled = [CompiledRule("", "", RuleContent("", conditions=each)) for each in rules]
    built = RuleSet(compiled, lists)
    masked = built.mask(text, range(len(rules)))

    rest = ".*".join(map(re.escape, masked.split("***")))
    assert re.fullmatch(rest, text, re.DOTALL)
    if any(hit.term not in PATTERNS for hit in built.find([text], is_on_loop=True).values()):
        assert "***" in masked
