"""The rules that every app has."""

from collections.abc import Mapping

from hubbub.domain.moderation.built_in.lists import PROFANITY
from hubbub.records.moderation.rules.model import (
    BLOCK_MESSAGE,
    CONTACT,
    CONTAINS,
    EMAIL,
    IMAGE,
    PHONE,
    TEXT,
    VIDEO,
    WORD,
    Condition,
    Rule,
    RuleContent,
    encode_content,
)

ANY_LABEL = "AnyOf_greaterThan_30"
"""A label of any kind that the custom engine gives with a confidence of more than 30 percent."""


def _words(*lists: str) -> Condition:
    return Condition(1, TEXT, WORD, value=lists, is_keywords_reference_present=True)


def _media(operand: str) -> Condition:
    return Condition(1, operand, operator=CONTAINS, value=(ANY_LABEL,), is_media_present=True)


def _contact(*kinds: str) -> Condition:
    return Condition(1, TEXT, CONTACT, CONTAINS, kinds)


def _content(name: str, description: str, condition: Condition) -> RuleContent:
    return RuleContent(name, description, conditions=(condition,), action=(BLOCK_MESSAGE,))


_CONTENTS: Mapping[str, RuleContent] = {
    "text-profanity-filter": _content(
        "Profanity", "Messages with swear words of the built-in list.", _words(PROFANITY)
    ),
    "custom-profanity-filter": _content(
        "Own words", "Messages with words of your own lists, which the condition names.", _words()
    ),
    "image-moderation": _content(
        "Images", "Images to which the custom engine gives a label.", _media(IMAGE)
    ),
    "video-moderation": _content(
        "Videos", "Videos to which the custom engine gives a label.", _media(VIDEO)
    ),
    "contact_details_filter": _content(
        "Contact details",
        "Messages with phone numbers or e-mail addresses.",
        _contact(f"{PHONE}:US", EMAIL),
    ),
    "email_filter": _content(
        "E-mail addresses", "Messages with e-mail addresses.", _contact(EMAIL)
    ),
}


def built_in_rules(created_at: int) -> dict[str, Rule]:
    """Return the rules by id, as an app has them that was created then."""
    return {
        rule_id: Rule(
            id=rule_id,
            revision=1,
            number=0,
            is_enabled=False,
            created_at=created_at,
            content=encode_content(content),
            made_at=created_at,
            is_default=True,
        )
        for rule_id, content in _CONTENTS.items()
    }


BUILT_IN_RULES = frozenset(_CONTENTS)
