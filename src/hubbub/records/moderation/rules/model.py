"""Rules of moderation: what they consist of, their limits, and the errors about them."""

import re

import msgspec

from hubbub.kernel.errors import Conflict, Forbidden, LimitReached, NotFound

MOST_RULES = 25
"""The most rules of an app, besides those that the product brings along."""
MOST_CONDITIONS = 10
MOST_FILTERS = 10
MOST_VALUES = 100
"""The most values that a condition may have of its own; more belong into a list."""
LONGEST_PATTERN = 1_000
"""The most characters of a pattern that stands in a condition."""
KEPT_REVISIONS = 100
"""So many revisions of a rule are kept, the newest."""

MOST_RATE = 200
"""The most messages that a rate may name: so many sends of a user are kept in memory."""
LONGEST_RATE_SECONDS = 3_600
_RATE = re.compile(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,4})")

TEXT, IMAGE, VIDEO, CUSTOM_OPERAND = "text", "image", "video", "custom"
RATE, MENTIONS, NEW_ACCOUNT = "rate", "mentions", "newAccount"
OPERANDS = (TEXT, IMAGE, VIDEO, CUSTOM_OPERAND, RATE, MENTIONS, NEW_ACCOUNT)
WORD, PATTERN, SENTENCES = "word", "pattern", "sentence-similarity"
CUSTOM_API, CONTACT = "custom-api", "contact"
CATEGORIES = (WORD, PATTERN, SENTENCES, CUSTOM_API, CONTACT)
CONTAINS, EQUALS = "contains", "equals"
OPERATORS = (CONTAINS, EQUALS)
EMAIL, PHONE, LINK = "email", "phone", "link"
CONTACTS = (EMAIL, PHONE, LINK)
USER, GROUP = "user", "group"
SENDER, RECEIVER = "sender", "receiver"
USER_FIELDS = ("uid", "name", "role", "tags", "createdAt")
GROUP_FIELDS = ("guid", "name", "type", "tags", "createdAt")
FILTER_OPERATORS = (
    "equals",
    "notEquals",
    "in",
    "notIn",
    "startsWith",
    "endsWith",
    "lessThan",
    "greaterThan",
)
SPELLINGS = {"not equals": "notEquals", "not in": "notIn"}
"""How the interface writes some operators of filters about users."""
BLOCK_MESSAGE = "blockMessage"
ACTIONS = (
    BLOCK_MESSAGE,
    "dropMessage",
    "flagMessage",
    "bounce",
    "mask",
    "kick",
    "ban",
    "block",
    "deactivate",
)


class RuleNotFound(NotFound):
    """The app has no such rule."""

    code = "ERR_RULE_NOT_FOUND"

    def __init__(self, rule_id: str) -> None:
        super().__init__(f"The rule with id {rule_id} does not exist.")


class RuleChanged(Conflict):
    """Somebody else has changed the rule since it was looked at."""

    def __init__(self, rule_id: str) -> None:
        super().__init__(
            f"The rule with id {rule_id} was changed meanwhile.",
            dev_message="Look at it as it is now, then make the change again.",
        )


class RuleAlreadyExists(Conflict):
    """The app has a rule with that id."""

    code = "ERR_RULE_ALREADY_EXISTS"

    def __init__(self, rule_id: str) -> None:
        super().__init__(f"A rule with id {rule_id} exists already.")


class RuleDeleteDenied(Forbidden):
    """The rule is one of those that every app has; it can be disabled."""

    code = "ERR_RULE_DELETE_DENIED"

    def __init__(self, rule_id: str) -> None:
        super().__init__(
            f"The rule with id {rule_id} is one of those that every app has.",
            dev_message="Disable it instead: update it with enabled: false.",
        )


class TooManyRules(LimitReached):
    """The app has as many rules as it may have."""

    def __init__(self) -> None:
        super().__init__(
            f"The app has {MOST_RULES} rules already.",
            details={"id": [f"The limit is {MOST_RULES} per app, without the built-in ones."]},
        )


class Filter(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """To whose messages, or to messages to whom, a rule applies; `exempt`: does not apply."""

    type: str
    entity: str
    operand: str
    operator: str
    value: tuple[str, ...]
    exempt: bool = False


class Condition(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """What a rule looks for; `operator` is None for words between word borders."""

    id: int
    operand: str
    category: str | None = None
    operator: str | None = None
    value: tuple[str, ...] = ()
    is_keywords_reference_present: bool = False
    is_media_present: bool = False
    message: tuple[str, ...] = ()


class RuleContent(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """What a revision of a rule says."""

    name: str
    description: str | None = None
    filters: tuple[Filter, ...] = ()
    conditions: tuple[Condition, ...] = ()
    action: tuple[str, ...] = ()

    @property
    def lists(self) -> set[str]:
        """Return the ids of the lists that it refers to."""
        return {
            list_id
            for each in self.conditions
            if each.is_keywords_reference_present
            for list_id in each.value
        }


class Rule(msgspec.Struct, frozen=True):
    """A revision of a rule: the newest, unless revisions are listed. Times in seconds."""

    id: str
    revision: int
    number: int
    is_enabled: bool
    created_at: int
    content: str
    made_at: int
    is_default: bool = False
    """Whether the product brings it along, as it is or as the app has changed it."""
    is_newest: bool = True

    def read(self) -> RuleContent:
        """Return what it says."""
        return _decode(self.content)


def parse_rate(value: str) -> tuple[int, int] | None:
    """Return the messages and the seconds of a rate, or None if it is none."""
    found = _RATE.fullmatch(value)
    if found is None:
        return None
    messages, seconds = map(int, found.groups())
    if messages > MOST_RATE or seconds > LONGEST_RATE_SECONDS:
        return None
    return messages, seconds


def revision_id(app_id: str, id_: str, revision: int) -> str:
    """Return the id of a revision of a rule or a list, as the interface shows it."""
    return f"{app_id}_{id_}_{revision}"


_decode = msgspec.json.Decoder(RuleContent).decode
_encode = msgspec.json.Encoder().encode


def encode_content(content: RuleContent) -> str:
    """Return what a rule says as it is stored."""
    return _encode(content).decode()
