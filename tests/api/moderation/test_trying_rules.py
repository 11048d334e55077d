"""Rules are tried on the last messages before they are enabled."""

import pytest
from tests.api.messages.talk import to_group, to_user
from tests.api.moderation.test_moderation_rules import RULES, sender, words
from tests.clock import ManualClock
from tests.world import Json, World

TRY = f"{RULES}/no-ass/try"


@pytest.fixture
async def talk(world: World, clock: ManualClock) -> World:
    """Anna, Ben and a group, which they joined by the first two messages; all have talked."""
    await world.users("anna", "ben")
    await world.post("/groups", {"guid": "hikers", "name": "Hikers", "type": "public"})
    for uid in ("anna", "ben"):
        await world.post("/groups/hikers/members", {"participants": [uid]})
    said: list[tuple[str | None, Json]] = [
        ("anna", to_user("ben", "You ass")),
        ("anna", to_user("ben", "Classic")),
        ("ben", to_group("hikers", "An ASS!")),
        (None, to_user("ben", "The app's ass")),
        ("ben", to_user("anna", "<@uid:anna>!")),
    ]
    for by, message in said:
        await world.post("/messages", message, as_=by)
        clock.advance(10)
    return world


async def matches(world: World, **body: int) -> list[tuple[str, str]]:
    """Return the ids of the messages that the rule matches, with the terms."""
    tried: Json = await world.post(TRY, body)
    return [(each["messageId"], each["term"]) for each in tried["matched"]]


async def test_a_rule_is_tried_on_the_last_messages(talk: World) -> None:
    """The answer names what would have matched, newest first; the app's are not judged."""
    await talk.post(RULES, {"id": "no-ass", "enabled": False, "conditions": [words("Ass")]})
    before = await talk.get("/messages?limit=10")
    tried = await talk.post(TRY)

    shown = (await talk.get(f"{RULES}/no-ass"))["conditions"][0]
    assert tried == {
        "looked": 4,
        "matched": [
            {"messageId": "5", "condition": shown, "term": "Ass"},
            {"messageId": "3", "condition": shown, "term": "Ass"},
        ],
    }
    assert await talk.get("/messages?limit=10") == before
    assert (await talk.get(f"{RULES}/no-ass"))["enabled"] is False


async def test_only_so_many_messages_are_looked_at(talk: World) -> None:
    """The limit counts from the newest message on."""
    await talk.post(RULES, {"id": "no-ass", "enabled": False, "conditions": [words("ass")]})

    assert await matches(talk, limit=3) == [("5", "ass")]
    assert (await talk.post(TRY, {"limit": 3}))["looked"] == 2
    assert await matches(talk, limit=2) == []


async def test_filters_are_tried(talk: World) -> None:
    """Only messages that the filters match, or do not exempt, are matched."""
    await talk.post(
        RULES,
        {
            "id": "no-ass",
            "enabled": False,
            "conditions": [words("ass")],
            "filters": [sender("uid", "ben")],
        },
    )
    assert await matches(talk) == [("5", "ass")]

    about = {"type": "receiver", "entity": "group", "operand": "guid", "operator": "equals"}
    await talk.put(f"{RULES}/no-ass", {"filters": [{**about, "value": "hikers", "exempt": True}]})
    assert await matches(talk) == [("3", "ass")]


async def test_mentions_and_ages_are_tried_and_rates_are_not(talk: World) -> None:
    """Conditions hold as they did when a message was sent; rates are left out."""
    await talk.post(
        RULES,
        {
            "id": "no-ass",
            "enabled": False,
            "conditions": [
                {"operand": "mentions", "value": "0"},
                {"operand": "newAccount", "value": "5"},
                {"operand": "rate", "value": "1/3600"},
            ],
        },
    )

    assert await matches(talk) == [("7", "0"), ("3", "5")]


async def test_many_messages_are_tried_page_by_page(talk: World) -> None:
    """More messages than are read at once are all looked at, each once."""
    await talk.post(RULES, {"id": "no-ass", "enabled": False, "conditions": [words("number")]})
    for _ in range(225):
        await talk.post("/messages", to_user("ben", "number"), as_="anna")

    found = await matches(talk)
    assert [int(id_) for id_, _ in found] == list(range(232, 7, -1))


async def test_what_can_not_be_tried(talk: World) -> None:
    """An unknown rule is not found, and the limit has bounds."""
    await talk.refused("POST", TRY, {}, status=404, code="ERR_RULE_NOT_FOUND")
    await talk.post(RULES, {"id": "no-ass"})
    for limit in (0, 5_001):
        details = await talk.refused(
            "POST", TRY, {"limit": limit}, status=400, code="ERR_BAD_REQUEST"
        )
        assert list(details) == ["limit"]
