"""Check what a rule is to say, as far as that needs no database."""

import re
from collections.abc import Callable, Mapping, Sequence

from hubbub.domain.moderation.matching.contact import parse_contact
from hubbub.domain.moderation.matching.folding import fold_term
from hubbub.domain.moderation.matching.patterns import (
    MEMORY_OF_CONDITION,
    PatternSet,
    PatternsTooLarge,
    find_fault,
)
from hubbub.kernel.errors import BadInput
from hubbub.records.moderation.keywords.model import LONGEST_TERM
from hubbub.records.moderation.rules.model import (
    CONTACT,
    CUSTOM_API,
    GROUP,
    GROUP_FIELDS,
    LONGEST_PATTERN,
    LONGEST_RATE_SECONDS,
    MENTIONS,
    MOST_RATE,
    MOST_VALUES,
    NEW_ACCOUNT,
    PATTERN,
    RATE,
    SENDER,
    USER,
    USER_FIELDS,
    WORD,
    Condition,
    Filter,
    RuleContent,
    parse_rate,
)

LARGEST_NUMBER = 10**10
_MEDIA = re.compile(r"\w{1,100}_greaterThan_(100|[1-9]?[0-9])")
_NUMBER = re.compile(r"[0-9]{1,11}")
_TIME = re.compile(r"-?[0-9]{1,11}")
Faults = dict[str, Sequence[str]]


def check_content(content: RuleContent) -> None:
    """Check filters and conditions.

    Raises:
        BadInput: some are not valid; each is named.
    """
    faults: Faults = {}
    for index, each in enumerate(content.filters):
        _check_filter(each, f"filters.{index}", faults)
    for index, condition in enumerate(content.conditions):
        _check_condition(condition, f"conditions.{index}", faults)
    if faults:
        raise BadInput.fields(faults)


def _check_filter(each: Filter, field: str, faults: Faults) -> None:
    fields = USER_FIELDS if each.entity == USER else GROUP_FIELDS
    if each.operand not in fields:
        faults[f"{field}.operand"] = [
            f"A filter about a {each.entity} has one of {', '.join(fields)}."
        ]
    elif (each.type, each.entity) == (SENDER, GROUP):
        faults[f"{field}.type"] = ["A group is a receiver, never a sender."]
    elif each.operand == "createdAt":
        for value in each.value:
            if not _TIME.fullmatch(value):
                faults[f"{field}.value"] = [
                    "This must be seconds since 1970, or -n: n seconds before the message."
                ]
    elif each.operator in ("lessThan", "greaterThan"):
        faults[f"{field}.operator"] = [f"{each.operator} is for createdAt alone."]


def _fault_of_rate(value: str) -> str | None:
    if parse_rate(value) is not None:
        return None
    return (
        f"This must be n/t: more than n messages (1 to {MOST_RATE}) in t seconds"
        f" (1 to {LONGEST_RATE_SECONDS:,})."
    )


def _fault_of_number(value: str) -> str | None:
    is_number = _NUMBER.fullmatch(value) and int(value) <= LARGEST_NUMBER
    return None if is_number else "This must be a whole number."


def _fault_of_media(value: str) -> str | None:
    if _MEDIA.fullmatch(value):
        return None
    return "This must be LABEL_greaterThan_N, with a percentage N from 0 to 100."


def _fault_of_contact(value: str) -> str | None:
    if parse_contact(value) is not None:
        return None
    return "This must be email, link, phone, or phone:XX with the code XX of a country."


def fault_of_word(value: str) -> str | None:
    """Return what is wrong with a word, or None."""
    if len(value) > LONGEST_TERM:
        return f"A word may have at most {LONGEST_TERM} characters."
    return None if fold_term(value) else "A word must have a visible character."


def fault_of_pattern(value: str) -> str | None:
    """Return what is wrong with a pattern, in the words of RE2, or None."""
    if not value:
        return "The pattern is empty."
    if len(value) > LONGEST_PATTERN:
        return f"A pattern may have at most {LONGEST_PATTERN:,} characters."
    fault = find_fault(value)
    return None if fault is None else f"RE2 does not take the pattern: {fault}"


def fault_of_patterns(patterns: Sequence[str], memory: int) -> str | None:
    """Return what is wrong with valid patterns together, or None."""
    try:
        PatternSet(patterns, memory)
    except PatternsTooLarge:
        return "The patterns are too large together."
    return None


def _any(value: str) -> str | None:
    return None


_BY_OPERAND: Mapping[str, Callable[[str], str | None]] = {
    RATE: _fault_of_rate,
    MENTIONS: _fault_of_number,
    NEW_ACCOUNT: _fault_of_number,
}
_BY_CATEGORY: Mapping[str | None, Callable[[str], str | None]] = {
    WORD: fault_of_word,
    PATTERN: fault_of_pattern,
    CONTACT: _fault_of_contact,
}


def _check_condition(condition: Condition, name: str, faults: Faults) -> None:
    field = f"{name}.value"
    if condition.operand in _BY_OPERAND and (
        condition.is_keywords_reference_present or condition.is_media_present
    ):
        faults[f"{name}.operand"] = [f"{condition.operand} has numbers, and no lists or media."]
        return
    if len(condition.value) > MOST_VALUES:
        faults[field] = [f"A condition may have at most {MOST_VALUES} values; use a list for more."]
        return
    if condition.is_keywords_reference_present:
        return  # they are looked up
    if not condition.value and condition.category != CUSTOM_API:
        faults[field] = ["A condition needs a value."]
        return
    find = _checker(condition)
    for index, value in enumerate(condition.value):
        fault = find(value)
        if fault is not None:
            faults[f"{field}.{index}"] = [fault]
    if condition.category == PATTERN and not faults:
        together = fault_of_patterns(condition.value, MEMORY_OF_CONDITION)
        if together is not None:
            faults[field] = [together]


def _checker(condition: Condition) -> Callable[[str], str | None]:
    if condition.is_media_present:
        return _fault_of_media
    by_operand = _BY_OPERAND.get(condition.operand)
    return by_operand or _BY_CATEGORY.get(condition.category) or _any
