"""Rules of moderation: how they are made, shown, changed and refused."""

from typing import Any

import pytest
from tests.clock import ManualClock
from tests.world import Json, World

RULES = "/moderation/rules"
LISTS = "/moderation/keywords"
BUILT_IN = [
    "text-profanity-filter",
    "custom-profanity-filter",
    "image-moderation",
    "video-moderation",
    "contact_details_filter",
    "email_filter",
]


def words(*values: str, **further: Any) -> Json:
    """Return a condition: these words."""
    return {"operand": "text", "category": "word", "value": list(values), **further}


def sender(operand: str, value: str, operator: str = "equals", **further: Any) -> Json:
    """Return a filter about the sender."""
    about = {"type": "sender", "entity": "user", "operand": operand, "operator": operator}
    return {**about, "value": value, **further}


async def ids(world: World, path: str) -> list[str]:
    """Return the ids of a list."""
    return [row["id"] for row in await world.get(path)]


async def test_a_rule_is_shown_as_it_was_made(world: World) -> None:
    """The answer has all that was given, the defaults, and the first revision."""
    made = await world.post(
        RULES,
        {
            "id": "Ads_1",
            "name": "No ads",
            "description": "Please don't advertise.",
            "filters": [sender("role", "staff", exempt=True)],
            "conditions": [words("buy", message="It sells."), {"value": ["a.c"], "id": 7}],
            "action": ["flagMessage"],
        },
    )

    assert made == {
        "id": "Ads_1",
        "name": "No ads",
        "description": "Please don't advertise.",
        "enabled": True,
        "filters": [sender("role", "staff", exempt=True)],
        "conditions": [
            {
                "id": 1,
                "isKeywordsReferencePresent": False,
                "isMediaPresent": False,
                "entity": "message",
                "operand": "text",
                "category": "word",
                "value": ["buy"],
                "message": ["It sells."],
            },
            {
                "id": 7,
                "isKeywordsReferencePresent": False,
                "isMediaPresent": False,
                "entity": "message",
                "operand": "text",
                "category": "word",
                "value": ["a.c"],
            },
        ],
        "action": ["flagMessage"],
        "active": True,
        "createdAt": made["createdAt"],
        "updatedAt": made["createdAt"],
        "revisionId": f"{world.app_id}_Ads_1_1",
    }
    assert await world.get(f"{RULES}/Ads_1") == made


async def test_nothing_of_a_rule_is_required(world: World) -> None:
    """A rule without fields has an id, is named by it, blocks, and matches nothing."""
    made = await world.post(RULES, {})

    assert made["name"] == made["id"]
    assert (made["action"], made["conditions"], made["filters"]) == (["blockMessage"], [], [])


async def test_lists_have_own_rules_first(world: World, clock: ManualClock) -> None:
    """Own rules come first, newest first; built-in ones follow, all disabled."""
    for name in ("one", "two"):
        await world.post(RULES, {"id": name})
        clock.advance(1)

    rows = await world.get(RULES)
    assert [row["id"] for row in rows] == ["two", "one", *BUILT_IN]
    assert [row["id"] for row in rows if row.get("default")] == BUILT_IN
    assert not any(row["enabled"] for row in rows if row.get("default"))
    assert world.answer.meta["current"] == {"limit": 50, "count": 8}

    assert await ids(world, f"{RULES}?limit=1&page=2") == ["one"]
    assert world.answer.meta["current"] == {"limit": 1, "count": 1}
    assert world.answer.meta["pagination"]["total"] == 8


async def test_each_change_is_a_revision(world: World, clock: ManualClock) -> None:
    """A change keeps what it does not name; the former revisions stay as they were."""
    made = await world.post(RULES, {"id": "ads", "conditions": [words("buy")]})
    clock.advance(5)
    changed = await world.put(f"{RULES}/ads", {"enabled": False, "name": "Ads"})

    assert changed == {
        **made,
        "name": "Ads",
        "enabled": False,
        "updatedAt": made["createdAt"] + 5,
        "revisionId": f"{world.app_id}_ads_2",
    }
    revisions = await world.get(f"{RULES}/ads/revisions")
    assert revisions == [changed, {**made, "active": False}]
    assert world.answer.meta["current"] == {"limit": 50, "count": 2}


async def test_the_newest_hundred_revisions_are_kept(world: World) -> None:
    """Older revisions are deleted; the numbers go on."""
    await world.post(RULES, {"id": "ads"})
    for turn in range(100):
        await world.put(f"{RULES}/ads", {"name": f"Turn {turn}"})

    revisions = await world.get(f"{RULES}/ads/revisions?limit=1000")
    numbers = [row["revisionId"].rpartition("_")[2] for row in revisions]
    assert numbers == [str(number) for number in range(101, 1, -1)]


async def test_built_in_rules_are_changed_and_not_deleted(world: World) -> None:
    """A built-in rule is enabled by a change, which is its second revision; it can't be deleted."""
    path = f"{RULES}/email_filter"
    before = await world.get(path)
    assert await world.get(f"{path}/revisions") == [before]

    changed = await world.put(path, {"enabled": True})

    assert changed["enabled"]
    assert changed["default"]
    assert changed["revisionId"] == f"{world.app_id}_email_filter_2"
    assert await world.get(f"{path}/revisions") == [changed, {**before, "active": False}]
    assert await ids(world, RULES) == BUILT_IN
    await world.refused("DELETE", path, status=403, code="ERR_RULE_DELETE_DENIED")
    await world.refused(
        "POST", RULES, {"id": "email_filter"}, status=409, code="ERR_RULE_ALREADY_EXISTS"
    )


async def test_a_deleted_rule_is_gone(world: World) -> None:
    """It is not found any more, nor its revisions; another one may have its id."""
    await world.post(RULES, {"id": "ads"})
    deleted = await world.delete(f"{RULES}/ads")

    assert deleted == {
        "success": True,
        "message": "Rule with id ads has been deleted successfully.",
    }
    for path in (f"{RULES}/ads", f"{RULES}/ads/revisions"):
        await world.refused("GET", path, status=404, code="ERR_RULE_NOT_FOUND")
    await world.post(RULES, {"id": "ads"})
    assert len(await world.get(f"{RULES}/ads/revisions")) == 1


async def test_an_id_is_given_once(world: World) -> None:
    """A second rule of an id is refused, and the first one stays."""
    await world.post(RULES, {"id": "ads", "name": "First"})
    await world.refused(
        "POST", RULES, {"id": "ads", "name": "Second"}, status=409, code="ERR_RULE_ALREADY_EXISTS"
    )

    assert (await world.get(f"{RULES}/ads"))["name"] == "First"


async def test_an_app_has_25_rules(world: World) -> None:
    """A 26th rule is refused; changed built-in ones are not counted."""
    await world.put(f"{RULES}/email_filter", {"enabled": True})
    for number in range(25):
        await world.post(RULES, {"id": f"rule-{number}"})

    details = await world.refused(
        "POST", RULES, {"id": "one-more"}, status=400, code="ERR_LIMIT_EXCEEDED"
    )
    assert details == {"id": ["The limit is 25 per app, without the built-in ones."]}
    await world.refused("GET", f"{RULES}/one-more", status=404, code="ERR_RULE_NOT_FOUND")


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"id": "a b"}, "id"),
        ({"id": "x" * 101}, "id"),
        ({"name": ""}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"description": "x" * 256}, "description"),
        ({"conditions": [words("a")] * 11}, "conditions"),
        ({"filters": [sender("uid", "anna")] * 11}, "filters"),
        ({"action": ["explode"]}, "action.0"),
        ({"conditions": [words("a", operand="smell")]}, "conditions.0.operand"),
        ({"conditions": [words("a", category="poem")]}, "conditions.0.category"),
        ({"conditions": [words("a", operator="like")]}, "conditions.0.operator"),
        ({"conditions": [words()]}, "conditions.0.value"),
        ({"conditions": [words(*map(str, range(101)))]}, "conditions.0.value"),
        ({"conditions": [words("a", "x" * 101)]}, "conditions.0.value.1"),
        ({"conditions": [words("a", "\u200b \u0301")]}, "conditions.0.value.1"),
        ({"conditions": [{"category": "pattern", "value": ["a", "(b"]}]}, "conditions.0.value.1"),
        ({"conditions": [{"category": "pattern", "value": "(?=a)"}]}, "conditions.0.value.0"),
        ({"conditions": [{"category": "pattern", "value": r"(a)\1"}]}, "conditions.0.value.0"),
        ({"conditions": [{"category": "pattern", "value": r"é\C"}]}, "conditions.0.value.0"),
        ({"conditions": [{"category": "contact", "value": "pigeon"}]}, "conditions.0.value.0"),
        ({"conditions": [{"category": "contact", "value": "phone:XX"}]}, "conditions.0.value.0"),
        ({"conditions": [{"operand": "rate", "value": "10"}]}, "conditions.0.value.0"),
        ({"conditions": [{"operand": "rate", "value": "0/10"}]}, "conditions.0.value.0"),
        ({"conditions": [{"operand": "rate", "value": "201/10"}]}, "conditions.0.value.0"),
        ({"conditions": [{"operand": "rate", "value": "10/3601"}]}, "conditions.0.value.0"),
        ({"conditions": [{"operand": "mentions", "value": "many"}]}, "conditions.0.value.0"),
        ({"conditions": [{"operand": "newAccount", "value": "-1"}]}, "conditions.0.value.0"),
        (
            {"conditions": [{"operand": "image", "isMediaPresent": True, "value": ["violence"]}]},
            "conditions.0.value.0",
        ),
        (
            {"conditions": [words("profanity", operand="rate", isListReferencePresent=True)]},
            "conditions.0.operand",
        ),
        (
            {"conditions": [words("profanity", operand="mentions", isListReferencePresent=True)]},
            "conditions.0.operand",
        ),
        (
            {"conditions": [words("A_greaterThan_1", operand="newAccount", isMediaPresent=True)]},
            "conditions.0.operand",
        ),
        ({"filters": [sender("guid", "hikers")]}, "filters.0.operand"),
        ({"filters": [sender("uid", "anna", "lessThan")]}, "filters.0.operator"),
        ({"filters": [sender("createdAt", "yesterday", "lessThan")]}, "filters.0.value"),
        ({"filters": [sender("guid", "hikers") | {"entity": "group"}]}, "filters.0.type"),
    ],
    ids=str,
)
async def test_what_is_not_valid_is_named(world: World, given: Json, field: str) -> None:
    """A rule that is not valid is refused with the field, and neither made nor changed."""
    made = await world.post(RULES, {"id": "kept"})
    for method, path in (("POST", RULES), ("PUT", f"{RULES}/kept")):
        if method == "PUT" and field == "id":
            continue
        details = await world.refused(method, path, given, status=400, code="ERR_BAD_REQUEST")
        assert list(details) == [field]

    assert await ids(world, RULES) == ["kept", *BUILT_IN]
    assert await world.get(f"{RULES}/kept") == made


async def test_a_pattern_is_refused_in_the_words_of_re2(world: World) -> None:
    """The details of a pattern that is not valid say why."""
    details = await world.refused(
        "POST",
        RULES,
        {"conditions": [{"category": "pattern", "value": ["[z-a]"]}]},
        status=400,
        code="ERR_BAD_REQUEST",
    )

    assert details == {
        "conditions.0.value.0": [
            "RE2 does not take the pattern: invalid character class range: z-a"
        ]
    }


async def test_patterns_that_need_too_much_memory_are_refused(world: World) -> None:
    """Patterns that are valid one by one may be too large together."""
    many = [f"({letter}.{{900}}){{0,1}}[{letter}-z]{{900}}" for letter in "abcdefghijklm"] * 7
    distinct = [f"{pattern}{number}" for number, pattern in enumerate(many)]
    details = await world.refused(
        "POST",
        RULES,
        {"conditions": [{"category": "pattern", "value": distinct}]},
        status=400,
        code="ERR_BAD_REQUEST",
    )

    assert next(iter(details)).startswith("conditions.0.value")


async def test_rules_refer_to_lists_of_their_category(world: World) -> None:
    """A condition that names an unknown list, or one of another category, is refused."""
    await world.post(LISTS, {"id": "shapes", "category": "pattern", "searchTerms": ["a+"]})
    reference = {"isKeywordsReferencePresent": True, "category": "word"}
    await world.refused(
        "POST",
        RULES,
        {"conditions": [{**reference, "value": ["none"]}]},
        status=404,
        code="ERR_KEYWORD_NOT_FOUND",
    )
    details = await world.refused(
        "POST",
        RULES,
        {"conditions": [{**reference, "value": ["profanity", "shapes"]}]},
        status=400,
        code="ERR_BAD_REQUEST",
    )

    assert details == {
        "conditions.0.value": ["The list shapes has the category pattern, not word."]
    }
    assert await ids(world, RULES) == BUILT_IN


@pytest.mark.parametrize(
    "spelling",
    ["isKeywordsReferencePresent", "isKeywordReferencePresent", "isListReferencePresent"],
)
async def test_references_have_three_spellings(world: World, spelling: str) -> None:
    """A condition says in any of the interface's ways that its values are ids of lists."""
    made = await world.post(RULES, {"conditions": [{"value": "profanity", spelling: True}]})

    [condition] = made["conditions"]
    assert condition["isKeywordsReferencePresent"]
    assert condition["value"] == ["profanity"]


async def test_apps_do_not_share_rules(node: Any) -> None:
    """The rules of an app are not found by another."""
    one, two = await node.world(), await node.world()
    await one.post(RULES, {"id": "ads"})

    await two.refused("GET", f"{RULES}/ads", status=404, code="ERR_RULE_NOT_FOUND")
    assert await ids(two, RULES) == BUILT_IN
