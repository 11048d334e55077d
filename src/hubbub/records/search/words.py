"""Terms of words, which Hubbub cuts itself: PostgreSQL's index has them.

Each word is cut into three characters from each of its places; those at its end are shorter.
"""

from collections.abc import Sequence

from hubbub.records.search.model import LENGTH, MOST_TERMS, Scope
from hubbub.storage.dialect import Terms

SCOPE_MARKS = "\ue000\ue001"
"""Characters of the terms that name an app or a conversation; no other terms have them."""
# Terms are quoted in a search, and U+0000 can't be stored: punctuation is spelled with private-use
# characters.
_SPELLED: dict[int, str | None] = {
    code: chr(0xE100 + code) for code in range(128) if not chr(code).isalnum() and code != 0x20
}
_SPELLED |= {ord(character): None for character in SCOPE_MARKS}


def scope_term(scope: Scope) -> str:
    """Return the term that all entries of an app or a conversation have."""
    app = f"{SCOPE_MARKS[0]}{scope.slot}"
    return app if scope.conversation is None else f"{app}{SCOPE_MARKS[1]}{scope.conversation}"


def text_of(texts: Sequence[str]) -> str:
    """Return the terms of an entry, separated by spaces, to be followed by `ending_of`."""
    terms = {
        word[place : place + LENGTH]
        for text in texts
        for word in text.translate(_SPELLED).split()
        for place in range(len(word))
    }
    return " ".join(terms)


def ending_of(slot: int, conversation: int) -> str:
    """Return what follows the terms of an entry: the terms of its app and its conversation."""
    return f" {scope_term(Scope(slot))} {scope_term(Scope(slot, conversation))}"


def conditions_of(text: str, scopes: Sequence[Scope]) -> list[Terms]:
    """Return what entries in any of `scopes` have that hold a text: the conditions to try in turn.

    A word shorter than a term is the beginning of terms, maybe of very many, so it is slow to look
    up: a condition with such words follows one without them.
    """
    words = text.translate(_SPELLED).split()
    terms = sorted(
        {word[place : place + LENGTH] for word in words for place in range(len(word) - LENGTH + 1)}
    )
    terms = terms[:: -(-len(terms) // MOST_TERMS) or 1]
    beginnings = sorted({word for word in words if len(word) < LENGTH})
    any_of = [scope_term(scope) for scope in scopes]
    conditions = [Terms(all_of=terms, any_of=any_of)] if terms else []
    if beginnings:
        conditions.append(Terms(all_of=terms, any_of=any_of, beginnings=beginnings))
    return conditions
