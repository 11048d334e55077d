"""How texts are folded before words are looked for in them."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hubbub.domain.moderation.matching.folding import (
    fold,
    fold_term,
    fold_with_places,
    shorten_runs,
    shorten_with_places,
)

TEXTS = st.text(
    st.one_of(
        st.sampled_from("aAbé\u0301ＡаſßİΣ\u200b\u00ad\t\n 1𝓪ﬀ界がก_.!"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=40,
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("FUCK", "fuck"),
        ("ｆｕｃｋ", "fuck"),
        ("fúçk", "fuck"),
        ("f\u0301u\u0301c\u0327k\u0336", "fuck"),
        ("f\u200bu\u00adc\u2060k", "fuck"),
        ("fuсk", "fuck"),
        ("ԝоrԁ", "word"),
        ("𝓯𝓾𝓬𝓴", "fuck"),
        ("Straße", "strasse"),
        ("İstanbul", "istanbul"),
        ("a\u00a0b\tc\u2003d", "a b c d"),
        ("مـــحـــمد", "محمد"),
        ("مُحَمَّد", "محمد"),
        ("101", "101"),
        ("が", unicodedata.normalize("NFKD", "が")),
    ],
)
def test_disguises_are_ignored(written: str, meant: str) -> None:
    """Case, width, accents, invisible characters and letters that look alike are ignored."""
    assert fold(written) == meant


@given(TEXTS)
def test_a_folded_text_stays(text: str) -> None:
    """To fold twice is to fold once, for texts and for terms."""
    assert fold(fold(text)) == fold(text)
    assert fold_term(fold_term(text)) == fold_term(text)


@given(TEXTS)
def test_characters_are_folded_one_by_one(text: str) -> None:
    """The folded text is the same with places, and each place is one of the text, in order."""
    folded, begins, ends = fold_with_places(text)

    assert folded == fold(text)
    assert begins == sorted(begins)
    assert ends == sorted(ends)
    assert all(begin < end <= len(text) for begin, end in zip(begins, ends, strict=True))
    assert all(
        fold(text[begin:end]).startswith(character) or character in fold(text[begin:end])
        for character, begin, end in zip(folded, begins, ends, strict=True)
    )


@given(TEXTS, st.integers(1, 3))
def test_shortened_runs_have_places(text: str, letters: int) -> None:
    """Runs are shortened in the same way with places, and the places stay in order."""
    placed = fold_with_places(text)
    shortened, begins, ends = shorten_with_places(placed, letters)

    assert shortened == shorten_runs(placed[0], letters)
    assert begins == sorted(begins)
    assert ends == sorted(ends)
    assert len(shortened) == len(begins) == len(ends)


def test_runs_of_letters_are_shortened() -> None:
    """Runs of three letters and more become one, two or three; those of digits stay."""
    assert [shorten_runs("fuuuuck 1000 aab!!!!", n) for n in (1, 2, 3)] == [
        "fuck 1000 aab!!!!",
        "fuuck 1000 aab!!!!",
        "fuuuck 1000 aab!!!!",
    ]
