"""The lists that every app has."""

from functools import lru_cache
from importlib.resources import files

from hubbub.records.moderation.keywords.model import KeywordList, encode_terms
from hubbub.records.moderation.rules.model import WORD

PROFANITY = "profanity"
BUILT_IN_LISTS = frozenset({PROFANITY})


@lru_cache(maxsize=1)
def _profanity() -> tuple[str, ...]:
    lines = files(__package__).joinpath("profanity.txt").read_text("utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


def built_in_lists(created_at: int) -> dict[str, KeywordList]:
    """Return the lists by id, as an app has them that was created then."""
    terms = list(_profanity())
    return {
        PROFANITY: KeywordList(
            id=PROFANITY,
            revision=1,
            number=0,
            category=WORD,
            name="Profanity",
            description="Swear words of English; make a list of your own for other languages.",
            is_csv=False,
            terms=encode_terms(terms),
            length=sum(map(len, terms)),
            created_at=created_at,
            updated_at=created_at,
        )
    }
