"""The enabled rules of an app, compiled, so that a text is searched once for all of them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hubbub.domain.moderation.matching.contact import LONGEST_AT_ONCE, find_contact, parse_contact
from hubbub.domain.moderation.matching.folding import (
    Span,
    fold,
    fold_term,
    fold_with_places,
)
from hubbub.domain.moderation.matching.patterns import (
    BYTES_OF_STEP,
    MEMORY_OF_CONDITION,
    MEMORY_OF_LIST,
    PatternSet,
    find_spans,
)
from hubbub.domain.moderation.matching.words import TooDense, WordFinder, WordPlace
from hubbub.records.moderation.rules.model import (
    CONTACT,
    CONTAINS,
    CUSTOM_API,
    EQUALS,
    MENTIONS,
    NEW_ACCOUNT,
    PATTERN,
    RATE,
    SENTENCES,
    TEXT,
    WORD,
    Condition,
    RuleContent,
    parse_rate,
)

MASK = "***"
LONGEST_ON_LOOP = 2_000
"""Longer texts are looked at on a thread."""
MOST_STEPS_ON_LOOP = 500_000
"""So many steps of patterns may be made on the event loop: characters times steps."""
BYTES_OF_CHARACTER = 20
"""About what a character of a word takes in the automaton."""
MOST_FOUND_ON_LOOP = 2_000
"""If more terms are found, each as often as conditions look for it, a thread does the search."""


class TooLong(Exception):
    """The texts would hold up the event loop: they are to be looked at on a thread."""


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """An enabled rule."""

    id: str
    revision_id: str
    content: RuleContent


@dataclass(frozen=True, slots=True)
class Hit:
    """A condition of a rule, by their places, that a text matches, and what was found."""

    rule: int
    condition: int
    term: str | None = None


Hits = dict[int, Hit]
"""For each rule that matches the first of its conditions that does."""


@dataclass(frozen=True, slots=True)
class _Use:
    """A condition that looks for the terms of a source."""

    rule: int
    condition: int
    place: WordPlace = WordPlace.ANYWHERE


@dataclass(slots=True)
class _Source:
    """Terms, and the conditions that look for all of them."""

    terms: Sequence[str]
    memory: int
    """For its search, if these are patterns."""
    uses: list[_Use] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Patterns:
    source: _Source
    patterns: PatternSet


@dataclass(frozen=True, slots=True)
class _Contact:
    use: _Use
    value: str
    kind: str
    region: str | None


class RuleSet:
    """The enabled rules of an app. Building it takes time: it is done on a thread."""

    def __init__(self, rules: Sequence[CompiledRule], lists: Mapping[str, Sequence[str]]) -> None:
        """Compile rules, with the terms of the lists that they refer to."""
        self.rules = rules
        words, patterns = _Sources(), _Sources()
        self._contacts: list[_Contact] = []
        self._rates: list[tuple[_Use, str, int, int]] = []
        self._mentions: list[tuple[_Use, str]] = []
        self._new_accounts: list[tuple[_Use, str]] = []
        self.asked: list[Hit] = []
        """The conditions that only the custom engine decides on."""
        for rule, position, condition in self._conditions():
            use = _Use(rule, position, _place(condition))
            self._add_counted(use, condition)
            if is_for_engine(condition):
                self.asked.append(Hit(rule, position))
            if condition.operand != TEXT or condition.is_media_present:
                continue
            sources = {WORD: words, PATTERN: patterns}.get(condition.category or WORD)
            if sources is not None:
                sources.add(condition, use, lists)
            elif condition.category == CONTACT:
                self._contacts += _contacts(use, condition)
        self._words = _Words(words.all)
        self._patterns = [
            _Patterns(each, PatternSet(each.terms, each.memory)) for each in patterns.all
        ]
        steps = sum(each.patterns.steps for each in self._patterns)
        self.weight = words.characters * BYTES_OF_CHARACTER + steps * BYTES_OF_STEP
        """About the bytes that it takes."""
        self._longest_on_loop = self._find_longest_on_loop(steps)

    def _conditions(self) -> Iterator[tuple[int, int, Condition]]:
        for index, rule in enumerate(self.rules):
            for position, condition in enumerate(rule.content.conditions):
                yield index, position, condition

    def _find_longest_on_loop(self, steps: int) -> int:
        contacts = len(self._contacts)
        longest = LONGEST_AT_ONCE // contacts if contacts else LONGEST_ON_LOOP
        return min(longest, MOST_STEPS_ON_LOOP // steps) if steps else longest

    def _add_counted(self, use: _Use, condition: Condition) -> None:
        for value in condition.value:
            if condition.operand == RATE and (rate := parse_rate(value)):
                self._rates.append((use, value, *rate))
            elif condition.operand == MENTIONS:
                self._mentions.append((use, value))
            elif condition.operand == NEW_ACCOUNT:
                self._new_accounts.append((use, value))

    @property
    def has_rates(self) -> bool:
        """Return whether it counts how much users send."""
        return bool(self._rates)

    @property
    def needs_age(self) -> bool:
        """Return whether it looks at the age of each sender's account."""
        return bool(self._new_accounts)

    def needs_parties(self, hits: Hits) -> bool:
        """Return whether to look up who sends and receives, after texts were found to match."""
        return self.needs_age or any(self.rules[rule].content.filters for rule in hits)

    def find_rates(self, count: Callable[[int], int], hits: Hits) -> None:
        """Note the rates that are exceeded; `count` returns the messages of the last seconds."""
        for use, value, most, seconds in self._rates:
            if count(seconds) > most:
                _note(hits, use, value)

    def find_mentions(self, mentions: int, hits: Hits) -> None:
        """Note the conditions of which a message has too many mentions."""
        for use, most in self._mentions:
            if mentions > int(most):
                _note(hits, use, most)

    def find_new_accounts(self, age_seconds: int, hits: Hits) -> None:
        """Note the conditions for which the account of the sender is too new."""
        for use, youngest in self._new_accounts:
            if age_seconds < int(youngest):
                _note(hits, use, youngest)

    def find(self, texts: Sequence[str], *, is_on_loop: bool) -> Hits:
        """Return what the texts match, of all that needs nothing but texts.

        Raises:
            TooLong: it would take too long for the event loop.
        """
        hits: Hits = {}
        if is_on_loop and _longest_form(texts) > self._longest_on_loop:
            raise TooLong
        most = MOST_FOUND_ON_LOOP if is_on_loop else None
        for text in texts:
            try:
                self._words.find(text, hits, most)
            except TooDense:
                raise TooLong from None
            if self._patterns:
                self._find_patterns(text, hits)
            for each in self._contacts:
                if next(find_contact(each.kind, each.region, text), None) is not None:
                    _note(hits, each.use, each.value)
        return hits

    def _find_patterns(self, text: str, hits: Hits) -> None:
        for each in _distinct(text, fold(text)):
            for source in self._patterns:
                for index in source.patterns.find(each):
                    for use in source.source.uses:
                        _note(hits, use, source.source.terms[index])

    def mask(self, text: str, rules: Collection[int]) -> str:
        """Return a text with stars in place of all that these rules look for in it."""
        return _masked(text, sorted(self._spans(text, rules)))

    def _spans(self, text: str, rules: Collection[int]) -> Iterator[Span]:
        yield from self._words.spans(text, rules)
        folded, begins, ends = fold_with_places(text)
        for source in self._patterns:
            if not any(use.rule in rules for use in source.source.uses):
                continue
            for index in source.patterns.find(text):
                yield from find_spans(source.patterns.patterns[index], text)
            for index in source.patterns.find(folded):
                for begin, end in find_spans(source.patterns.patterns[index], folded):
                    yield begins[begin], ends[end - 1]
        for each in self._contacts:
            if each.use.rule in rules:
                yield from find_contact(each.kind, each.region, text)


def is_for_engine(condition: Condition) -> bool:
    """Return whether only the custom engine can decide on a condition."""
    return condition.is_media_present or condition.category in (CUSTOM_API, SENTENCES)


class _Sources:
    """The terms that conditions look for: those of a list once, however many refer to it."""

    def __init__(self) -> None:
        self.all: list[_Source] = []
        self._lists: dict[str, _Source] = {}
        self.characters = 0

    def add(self, condition: Condition, use: _Use, lists: Mapping[str, Sequence[str]]) -> None:
        """Take in what a condition looks for."""
        if not condition.is_keywords_reference_present:
            self._add(condition.value, MEMORY_OF_CONDITION).uses.append(use)
            return
        for list_id in condition.value:
            source = self._lists.get(list_id)
            if source is None:
                source = self._lists[list_id] = self._add(lists.get(list_id, ()), MEMORY_OF_LIST)
            source.uses.append(use)

    def _add(self, terms: Sequence[str], memory: int) -> _Source:
        source = _Source(terms, memory)
        self.all.append(source)
        self.characters += sum(map(len, terms))
        return source


class _Words:
    """The words of all sources, in one automaton."""

    def __init__(self, sources: Sequence[_Source]) -> None:
        self._sources = sources
        places: dict[str, int] = {}
        self._originals: list[str] = []
        self._of: list[tuple[int, ...]] = []
        """The sources of each term."""
        known: dict[tuple[int, ...], tuple[int, ...]] = {}
        for index, source in enumerate(sources):
            for term in source.terms:
                folded = fold_term(term)
                if not folded:
                    continue
                place = places.setdefault(folded, len(places))
                if place == len(self._of):
                    self._originals.append(term)
                    self._of.append(())
                if index not in self._of[place][-1:]:
                    among = (*self._of[place], index)
                    self._of[place] = known.setdefault(among, among)
        self._finder = WordFinder(list(places)) if places else None

    def find(self, text: str, hits: Hits, most: int | None) -> None:
        """Note which conditions have their words in a text."""
        if self._finder is None:
            return
        looked = 0
        for found in self._finder.find(text, most):
            for source in self._of[found.term]:
                uses = self._sources[source].uses
                looked += len(uses)
                if most is not None and looked > most:
                    raise TooDense
                for use in uses:
                    known = hits.get(use.rule)
                    if known is not None and known.condition <= use.condition:
                        continue
                    if found.is_at(use.place):
                        _note(hits, use, self._originals[found.term])

    def spans(self, text: str, rules: Collection[int]) -> Iterator[Span]:
        """Yield where a text has words of these rules."""
        if self._finder is None:
            return
        for found, span in self._finder.find_spans(text):
            uses = (use for source in self._of[found.term] for use in self._sources[source].uses)
            if any(use.rule in rules and found.is_at(use.place) for use in uses):
                yield span


def _place(condition: Condition) -> WordPlace:
    if condition.operator == CONTAINS:
        return WordPlace.ANYWHERE
    return WordPlace.WHOLE if condition.operator == EQUALS else WordPlace.WORD


def _contacts(use: _Use, condition: Condition) -> Iterator[_Contact]:
    for value in condition.value:
        parsed = parse_contact(value)
        if parsed is not None:
            yield _Contact(use, value, *parsed)


def _note(hits: Hits, use: _Use, term: str) -> None:
    known = hits.get(use.rule)
    if known is None or use.condition < known.condition:
        hits[use.rule] = Hit(use.rule, use.condition, term)


def _distinct(*texts: str) -> Iterable[str]:
    return dict.fromkeys(texts)


def _longest_form(texts: Sequence[str]) -> int:
    """Return the characters of texts in their longer form: folded, one may be eighteen."""
    sent = sum(map(len, texts))
    if sent > LONGEST_ON_LOOP or all(map(str.isascii, texts)):
        return sent
    return max(sent, sum(len(fold(each)) for each in texts))


def _masked(text: str, spans: Sequence[Span]) -> str:
    """Return a text with stars in place of sorted spans; those that touch are one."""
    parts: list[str] = []
    at, masked_until = 0, -1
    for begin, end in spans:
        if end <= masked_until:
            continue
        if begin > masked_until:
            parts += [text[at:begin], MASK]
        at = masked_until = end
    return "".join((*parts, text[at:]))
