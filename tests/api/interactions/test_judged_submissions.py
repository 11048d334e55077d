"""Submissions of forms are judged by the rules of the app, as texts are."""

from typing import Any

import pytest
from tests.api.interactions.forms import form, send, submit
from tests.api.interactions.submitting import count
from tests.api.moderation.ruling import make_rules
from tests.world import Node, World

BLOCKED: Any = {"as_": "ben", "status": 403, "code": "ERR_BLOCKED_BY_EXTENSION"}


@pytest.fixture
async def judged(two: World) -> str:
    """The path of a form with a text and a choice, in an app with a rule for each ruling."""
    option = {"value": "masked", "label": "Masked"}
    fields = [
        {"elementType": "textInput", "elementId": "name", "optional": True, "label": "Name"},
        {
            "elementType": "dropdown",
            "elementId": "choice",
            "optional": True,
            "label": "Choice",
            "options": [option],
        },
    ]
    path = await send(two, form(fields=fields))
    await make_rules(two)
    return path


@pytest.mark.parametrize("word", ["dropped", "bounced", "blocked"])
async def test_what_rules_keep_back_is_refused(
    node: Node, two: World, judged: str, word: str
) -> None:
    """Values that rules would keep back are refused, as nothing can be held; nothing is stored."""
    body = {"formData": {"name": f"It is {word}"}}

    await two.refused("POST", f"{judged}/submissions", body, **BLOCKED)

    assert await count(node, two) == 0
    assert (await submit(two, judged, {"name": "Fine"}))["formData"] == {"name": "Fine"}


async def test_values_are_masked(two: World, judged: str) -> None:
    """Masked values are stored and shown with stars, also to the sender of the form."""
    submission = await submit(two, judged, {"name": "It is masked"})

    assert submission["formData"] == {"name": "It is ***"}
    assert await two.get(f"{judged}/submissions", as_="anna") == [submission]


async def test_a_choice_is_not_masked(node: Node, two: World, judged: str) -> None:
    """Values that would be none of the options with stars are refused."""
    body = {"formData": {"choice": "masked"}}

    await two.refused("POST", f"{judged}/submissions", body, **BLOCKED)

    assert await count(node, two) == 0


async def test_a_submission_flags_nothing(two: World, judged: str) -> None:
    """Where rules only flag, the values are stored, and nothing is listed as flagged."""
    assert (await submit(two, judged, {"name": "flagged"}))["formData"] == {"name": "flagged"}

    assert await two.get("/moderation/flagged-messages") == []
