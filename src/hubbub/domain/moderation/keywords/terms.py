"""Read the terms of a list: from a text, from several, or from a file in CSV."""

import csv
import io
from collections.abc import Iterable, Sequence

from hubbub.domain.moderation.matching.patterns import MEMORY_OF_LIST
from hubbub.domain.moderation.rules.check import (
    fault_of_pattern,
    fault_of_patterns,
    fault_of_word,
)
from hubbub.kernel.errors import BadInput
from hubbub.records.moderation.keywords.model import LARGEST_CSV, LONGEST_TERM, MOST_TERMS
from hubbub.records.moderation.rules.model import PATTERN, WORD

MOST_FAULTS = 20
"""So many wrong terms are named."""


def split_terms(text: str, category: str) -> list[str]:
    """Return the terms of a text: words are separated by commas or lines, others by lines."""
    lines = text.splitlines()
    if category == WORD:
        lines = [part for line in lines for part in line.split(",")]
    return [term for term in (line.strip() for line in lines) if term]


def read_csv(content: bytes, field: str) -> list[str]:
    """Return the first column of a file in CSV, as RFC 4180 says; empty lines are left out.

    Raises:
        BadInput: it is too large, no UTF-8, or no CSV.
    """
    if len(content) > LARGEST_CSV:
        raise BadInput.field(field, f"The file may have at most {LARGEST_CSV:,} bytes.")
    try:
        text = content.decode("utf-8-sig")
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except UnicodeDecodeError as fault:
        position = fault.start
        raise BadInput.field(
            field, f"The file is not UTF-8: the byte at position {position} is invalid."
        ) from None
    except csv.Error as fault:
        raise BadInput.field(field, f"The file is not CSV: {fault}.") from None
    return [row[0].strip() for row in rows if row and row[0].strip()]


def check_terms(terms: Iterable[str], category: str, field: str) -> list[str]:
    """Return the terms of a list, each once.

    Raises:
        BadInput: there are none, too many, or some are not valid; those are named.
    """
    distinct = list(dict.fromkeys(terms))
    if not distinct:
        raise BadInput.field(field, "The list is empty.")
    if len(distinct) > MOST_TERMS:
        raise BadInput.field(field, f"A list may have at most {MOST_TERMS:,} terms.")
    faults: dict[str, Sequence[str]] = {}
    for index, term in enumerate(distinct):
        fault = _fault_of(term, category)
        if fault is not None and len(faults) < MOST_FAULTS:
            faults[f"{field}.{index}"] = [fault]
    if not faults and category == PATTERN:
        together = fault_of_patterns(distinct, MEMORY_OF_LIST)
        if together is not None:
            faults[field] = [together]
    if faults:
        raise BadInput.fields(faults)
    return distinct


def _fault_of(term: str, category: str) -> str | None:
    if "\0" in term:
        return "A term may not have U+0000."
    if len(term) > LONGEST_TERM:
        return f"A term may have at most {LONGEST_TERM} characters."
    if category == WORD:
        return fault_of_word(term)
    return fault_of_pattern(term) if category == PATTERN else None
