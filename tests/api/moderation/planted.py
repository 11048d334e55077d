"""Rules that are as simple as tests of what follows from them need: by words in the text."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from hubbub.domain.moderation.decision import (
    ALLOWED,
    Decision,
    Matched,
    Occasion,
    Penalty,
    Ruling,
)
from hubbub.records.messages.model import Draft
from hubbub.runtime import Runtime

RULINGS = {
    "dropped": Ruling.DROP,
    "bounced": Ruling.BOUNCE,
    "blocked": Ruling.BLOCK,
    "masked": Ruling.MASK,
    "flagged": Ruling.FLAG,
}
PENALTIES = {each.value: each for each in Penalty}
CONDITION = {
    "id": 1,
    "entity": "message",
    "operand": "text",
    "operator": "contains",
    "category": "word",
    "isKeywordsReferencePresent": False,
    "isMediaPresent": False,
    "value": ["word"],
}


def plant(patch: pytest.MonkeyPatch) -> Sequence[str]:
    """Make a rule match each word of `RULINGS` and `PENALTIES` in a text; return what it judged."""
    judged: list[str] = []

    async def judge(
        runtime: Runtime, app_id: str, draft: Draft, occasion: Occasion = Occasion.SEND
    ) -> Decision | None:
        if draft.sender == "app_system" or draft.imported is not None:
            return None
        judged.append(draft.data)
        return decide(json.loads(draft.data))

    for place in ("moderated.apply", "messages.edit", "messages.transient"):
        patch.setattr(f"hubbub.domain.{place}.judge", judge, raising=False)
    return judged


def decide(data: dict[str, Any]) -> Decision:
    """Return what rules decide about data: each matches its name, anywhere in the data."""
    text = json.dumps(data)
    found = [word for word in RULINGS if word in text]
    penalties = frozenset(penalty for word, penalty in PENALTIES.items() if f"!{word}" in text)
    if not found and not penalties:
        return ALLOWED
    matches = tuple(
        Matched(word, f"No {word}", f"app_{word}_1", CONDITION, (RULINGS[word].value,), word)
        for word in found
    )
    outcome = RULINGS[found[0]] if found else Ruling.ALLOW
    masked = None
    if outcome is Ruling.MASK:
        masked = json.loads(text.replace("masked", "***"))
    return Decision(outcome, matches, masked, f"Not {outcome.name.lower()}", penalties)
