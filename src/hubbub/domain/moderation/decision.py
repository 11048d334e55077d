"""What the rules of an app decide about a message, before it is sent or changed."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hubbub.records.moderation.events import ModerationEngineFailed


class Ruling(enum.Enum):
    """What becomes of the message; the strictest of all rules that match, in this order."""

    DROP = "dropMessage"
    """It is refused, and nothing is stored."""
    BOUNCE = "bounce"
    """It is refused, and its sender is told the reason, so that they may mend it."""
    BLOCK = "blockMessage"
    """It is kept for a review, and nobody but its sender sees it."""
    MASK = "mask"
    """It is sent with stars in place of the terms that matched."""
    FLAG = "flagMessage"
    """It is sent, and listed as flagged."""
    ALLOW = "allow"
    """It is sent. Rules may have matched whose actions concern the sender alone."""


class Penalty(enum.Enum):
    """What is done to the sender besides."""

    KICK = "kick"
    BAN = "ban"
    BLOCK = "block"
    """The receiver blocks the sender: in conversations of two users alone."""
    DEACTIVATE = "deactivate"


class Occasion(enum.Enum):
    """Why a text is judged."""

    SEND = "send"
    EDIT = "edit"
    """The text of a stored message changes. It does not count towards rates."""
    SUBMISSION = "submission"
    """Values of a form are submitted. It does not count towards rates."""
    TRANSIENT = "transient"
    """It is sent and not stored."""
    GROWN = "grown"
    """A message that grew has its whole text. It does not count towards rates."""


@dataclass(frozen=True, slots=True)
class Matched:
    """A rule that matches, with the first of its conditions that does."""

    rule_id: str
    rule_name: str
    revision_id: str
    condition: Mapping[str, Any]
    """The condition as the interface shows it."""
    action: tuple[str, ...]
    """The actions of the rule, as the interface names them."""
    term: str | None = None
    """The word, pattern or label that was found, as the rule or its list writes it."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What the rules say of a message. Without `matches` they have nothing against it."""

    outcome: Ruling
    matches: tuple[Matched, ...] = ()
    """The rules that match; the one that decided on the outcome is first."""
    data: Mapping[str, Any] | None = None
    """The data to send if the outcome is to mask; else None."""
    reason: str | None = None
    """What the sender of a refused message is told: the description of the rule that decided."""
    penalties: frozenset[Penalty] = frozenset()
    failed: ModerationEngineFailed | None = None
    """Given if the custom engine has failed: to be announced once all is judged, since a call whose
    writes are one transaction awaits nothing but the database after the first one."""


ALLOWED = Decision(Ruling.ALLOW)
