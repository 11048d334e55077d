"""What the rules of an app decide about drafts: filters, conditions and actions."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from tests.api.moderation.test_moderation_rules import LISTS, RULES, sender, words
from tests.clock import ManualClock
from tests.world import Json, Node, World

from hubbub.domain.access.actor import APP, Actor
from hubbub.domain.messages.compose import MessageInput, compose
from hubbub.domain.moderation.decision import Decision, Occasion, Penalty, Ruling
from hubbub.domain.moderation.engine import announce_failed
from hubbub.domain.moderation.judge import judge
from hubbub.records.moderation.rules import store
from hubbub.storage.interface import Transaction

ANNA = "anna"


class Judge:
    """Asks what the rules of an app decide."""

    def __init__(self, node: Node, world: World) -> None:
        self._node, self._world = node, world

    async def ask(
        self,
        text: str = "",
        *,
        uid: str | None = ANNA,
        to: str = "ben",
        occasion: Occasion = Occasion.SEND,
        **message: Any,
    ) -> Decision | None:
        """Return the decision on a message of a user, or of the app if `uid` is None."""
        given = {
            "receiver": to,
            "receiver_type": "group" if to == "hikers" else "user",
            "category": "message",
            "type": "text",
            "data": {"text": text},
            **message,
        }
        draft = compose(Actor(uid) if uid else APP, MessageInput(**given))
        runtime, app_id = self._node.runtime, self._world.app_id
        decision = await judge(runtime, app_id, draft, occasion)
        await announce_failed(runtime, app_id, decision)
        return decision

    async def decide(self, text: str = "", **how: Any) -> Decision:
        """Return the decision on a message that is moderated."""
        decision = await self.ask(text, **how)
        assert decision is not None
        return decision

    async def matches(self, text: str = "", **how: Any) -> list[str]:
        """Return the ids of the rules that match a message."""
        return [each.rule_id for each in (await self.decide(text, **how)).matches]


@pytest.fixture
async def judging(node: Node, world: World) -> Judge:
    """Anna and Ben, and a group of both."""
    await world.users("anna", "ben")
    await world.post("/groups", {"guid": "hikers", "name": "Hikers", "type": "public"})
    return Judge(node, world)


async def rule(world: World, rule_id: str, *conditions: Json, **further: Any) -> None:
    """Make a rule."""
    await world.post(RULES, {"id": rule_id, "conditions": list(conditions), **further})


async def test_an_app_without_rules_judges_nothing(judging: Judge, world: World) -> None:
    """Without an enabled rule nothing is decided."""
    assert await judging.ask("ass") is None
    await rule(world, "off", words("ass"), enabled=False)
    assert await judging.ask("ass") is None


async def test_what_the_app_sends_is_not_judged(judging: Judge, world: World) -> None:
    """Messages of the app itself are not moderated."""
    await rule(world, "no-ass", words("ass"))

    assert await judging.ask("ass", uid=None) is None
    assert (await judging.decide("ass")).outcome is Ruling.BLOCK


async def test_a_decision_names_what_matched(judging: Judge, world: World) -> None:
    """It has the rule, its revision, the condition as it is shown, and the term."""
    await rule(world, "no-ass", words("no"), words("Ass"), name="Polite", description="Be nice.")
    decision = await judging.decide("you ass")

    shown = (await world.get(f"{RULES}/no-ass"))["conditions"][1]
    [matched] = decision.matches
    assert (matched.rule_id, matched.rule_name) == ("no-ass", "Polite")
    assert matched.revision_id == f"{world.app_id}_no-ass_1"
    assert (matched.condition, matched.term) == (shown, "Ass")
    assert matched.action == ("blockMessage",)
    assert decision.reason == "Be nice."


async def test_changes_take_effect_at_once(judging: Judge, world: World) -> None:
    """On the node that makes them, changes of rules and of lists are followed by the next send."""
    await world.post(LISTS, {"id": "bad", "category": "word", "searchTerms": ["one"]})
    reference = {"value": ["bad"], "isKeywordsReferencePresent": True}
    await rule(world, "no-bad", reference)
    assert await judging.matches("one two") == ["no-bad"]

    await world.put(f"{LISTS}/bad", {"searchTerms": ["two"]})
    assert await judging.matches("one") == []
    assert await judging.matches("two") == ["no-bad"]

    await world.put(f"{RULES}/no-bad", {"conditions": [words("three")]})
    assert await judging.matches("two") == []
    await world.delete(f"{RULES}/no-bad")
    assert await judging.ask("three") is None

    await rule(world, "no-bad", words("four"))
    assert await judging.matches("four") == ["no-bad"]


async def test_other_nodes_follow_after_seconds(
    judging: Judge, world: World, node: Node, clock: ManualClock
) -> None:
    """Changes of another node hold here once what is remembered has expired."""
    await rule(world, "no-ass", words("ass"))
    assert await judging.matches("ass") == ["no-ass"]

    async def disable(tx: Transaction) -> None:  # as another node does, which drops its own cache
        stored = await store.find_rule(tx, "no-ass")
        assert stored is not None
        changed = msgspec.structs.replace(stored, is_enabled=False, revision=2, number=10_000)
        await store.store_rule(tx, changed)

    await node.runtime.database.write(world.app_id, disable)
    assert await judging.matches("ass") == ["no-ass"]
    clock.advance(6)
    assert await judging.ask("ass") is None


ACTIONS = ["flagMessage", "mask", "blockMessage", "bounce", "dropMessage"]
RULINGS = [Ruling.FLAG, Ruling.MASK, Ruling.BLOCK, Ruling.BOUNCE, Ruling.DROP]


async def test_the_strictest_rule_wins(judging: Judge, world: World) -> None:
    """Of several rules that match, the strictest action decides, and its rule is first."""
    for action, ruling in zip(ACTIONS, RULINGS, strict=True):
        await rule(world, action, words("ass"), action=[action], description=action)
        decision = await judging.decide("ass")

        assert decision.outcome is ruling
        assert decision.reason == action
        assert decision.matches[0].rule_id == action
    assert len(decision.matches) == len(ACTIONS)


async def test_actions_on_the_sender_let_the_message_pass(judging: Judge, world: World) -> None:
    """Penalties of all rules that match are together, beside what becomes of the message."""
    await rule(world, "out", words("ass"), action=["kick", "ban"])
    decision = await judging.decide("ass")
    assert decision.outcome is Ruling.ALLOW
    assert decision.penalties == {Penalty.KICK, Penalty.BAN}

    await rule(world, "block", words("ass"), action=["block", "flagMessage", "deactivate"])
    decision = await judging.decide("ass")
    assert decision.outcome is Ruling.FLAG
    assert decision.penalties == set(Penalty)


async def test_what_masks_gives_other_data(judging: Judge, world: World) -> None:
    """All that the masking rules look for is replaced; what other rules look for is not."""
    await rule(world, "mask", words("ass"), words("cow"), action=["mask"])
    await rule(world, "flag", words("you"), action=["flagMessage"])
    data = {"text": "you Cow and ÁSS", "metadata": {"a": "ass"}}
    decision = await judging.decide(data=data)

    assert decision.outcome is Ruling.MASK
    assert decision.data == {"text": "you *** and ***", "metadata": {"a": "ass"}}


async def test_what_can_not_be_masked_in_part_is_masked_as_a_whole(
    judging: Judge, world: World
) -> None:
    """Where a masking rule is about no words, all of the text is replaced."""
    await rule(world, "new", {"operand": "newAccount", "value": "60"}, action=["mask"])

    assert (await judging.decide("Hello you")).data == {"text": "***"}


@pytest.mark.parametrize(
    ("message", "texts"),
    [
        (
            {"category": "custom", "type": "poll", "data": {"customData": {"a": ["ass"]}}},
            {"customData": {"a": ["***"]}},
        ),
        (
            {
                "type": "file",
                "data": {
                    "attachments": [
                        {
                            "url": "https://example.org/a.pdf",
                            "name": "ass.pdf",
                            "mimeType": "application/pdf",
                            "extension": "pdf",
                            "size": 1,
                        }
                    ]
                },
            },
            None,
        ),
    ],
    ids=["custom data", "file name"],
)
async def test_other_texts_are_judged(
    judging: Judge, world: World, message: Json, texts: Json | None
) -> None:
    """Strings of custom data and names of files are looked at, too."""
    await rule(world, "mask", words("ass"), action=["mask"])
    decision = await judging.decide(**message)

    assert decision.outcome is Ruling.MASK
    assert decision.data is not None
    assert texts is None or decision.data == texts
    assert "ass" not in str(decision.data)


FILTERS: Sequence[tuple[Json, bool]] = [
    (sender("uid", "anna"), True),
    (sender("uid", "ben"), False),
    (sender("uid", "ben, anna", "in"), True),
    (sender("uid", "ben, anna", "not in"), False),
    (sender("uid", "ben", "not equals"), True),
    (sender("name", "An", "startsWith"), True),
    (sender("name", "na", "endsWith"), True),
    (sender("role", "default"), True),
    (sender("tags", "loud"), True),
    (sender("tags", "quiet", "notEquals"), True),
    (sender("tags", "loud", "notEquals"), False),
    (sender("createdAt", "0", "greaterThan"), True),
    (sender("createdAt", "-60", "greaterThan"), True),
    (sender("createdAt", "-60", "lessThan"), False),
    (sender("uid", "anna", exempt=True), False),
    (sender("uid", "ben", exempt=True), True),
    (sender("uid", "ben") | {"type": "receiver"}, True),
    (sender("guid", "hikers") | {"type": "receiver", "entity": "group"}, False),
    (sender("guid", "hikers", exempt=True) | {"type": "receiver", "entity": "group"}, True),
]


@pytest.mark.parametrize(("given", "applies"), FILTERS, ids=lambda value: str(value)[:90])
async def test_filters(judging: Judge, world: World, given: Json, *, applies: bool) -> None:
    """A rule is about messages that its filter matches, or, with `exempt`, about the others."""
    await world.put("/users/anna", {"tags": ["loud"]})
    await rule(world, "no-ass", words("ass"), filters=[given])

    assert bool(await judging.matches("ass")) is applies


async def test_all_filters_must_match(judging: Judge, world: World) -> None:
    """A rule with several filters is about messages that all of them match."""
    about = {"type": "receiver", "entity": "group", "operand": "type", "operator": "equals"}
    await rule(
        world,
        "no-ass",
        words("ass"),
        filters=[sender("uid", "anna"), {**about, "value": "public"}],
    )

    assert await judging.matches("ass", to="hikers") == ["no-ass"]
    assert await judging.matches("ass", to="ben") == []
    assert await judging.matches("ass", uid="ben", to="hikers") == []


async def test_floods_match(judging: Judge, world: World, clock: ManualClock) -> None:
    """A rate n/t matches from the n+1st message in t seconds on, for each sender by themselves."""
    await rule(world, "flood", {"operand": "rate", "value": "2/60"})
    found = [await judging.matches("Hello") for _ in range(4)]
    assert found == [[], [], ["flood"], ["flood"]]
    assert await judging.matches("Hello", uid="ben", to="anna") == []
    for occasion in (Occasion.EDIT, Occasion.TRANSIENT, Occasion.GROWN):
        assert await judging.matches("Hello", occasion=occasion) == []

    clock.advance(61)
    assert await judging.matches("Hello") == []


async def test_many_mentions_match(judging: Judge, world: World) -> None:
    """A message that mentions more people than a condition says matches it."""
    await rule(world, "crowd", {"operand": "mentions", "value": "1"})

    assert await judging.matches("<@uid:anna> and <@uid:ben>") == ["crowd"]
    assert await judging.matches("<@uid:anna>, you") == []


async def test_new_accounts_match(judging: Judge, world: World, clock: ManualClock) -> None:
    """Messages of accounts that are younger than so many seconds match."""
    await rule(world, "new", {"operand": "newAccount", "value": "60"})
    assert await judging.matches("Hello") == ["new"]

    clock.advance(60)
    assert await judging.matches("Hello") == []


async def test_long_texts_are_judged(judging: Judge, world: World) -> None:
    """A text that is too long for the event loop is judged like a short one."""
    await rule(world, "mask", words("ass"), action=["mask"])
    decision = await judging.decide("x " * 4_000 + "ass")

    assert decision.data == {"text": "x " * 4_000 + "***"}
