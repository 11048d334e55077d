"""Lists of words, patterns and sentences: how they are given, shown, changed and refused."""

from typing import Any

import pytest
from tests.clock import ManualClock
from tests.files.uploads import TYPE, File, form, stored_files
from tests.world import Json, Node, World

RULES = "/moderation/rules"
LISTS = "/moderation/keywords"
MEBIBYTE = 2**20


async def terms_of(world: World, body: Any, **how: Any) -> list[str]:
    """Make a list, and return its terms as they are read later."""
    made = await world.post(LISTS, body, **how)
    shown: Json = await world.get(f"{LISTS}/{made['id']}")
    assert shown == made
    terms: list[str] = shown["searchTerms"]
    return terms


async def test_a_list_is_shown_as_it_was_made(world: World) -> None:
    """The answer has all that was given, the terms once each, and the first revision."""
    made = await world.post(
        LISTS,
        {
            "id": "ads",
            "name": "Ads",
            "description": "What sellers say.",
            "category": "word",
            "searchTerms": ["buy now", "Sale", "buy now", " cheap "],
        },
    )

    assert made == {
        "id": "ads",
        "name": "Ads",
        "description": "What sellers say.",
        "category": "word",
        "isCSV": False,
        "searchTerms": ["buy now", "Sale", "cheap"],
        "createdAt": made["createdAt"],
        "updatedAt": made["createdAt"],
        "revisionId": f"{world.app_id}_ads_1",
        "active": True,
    }
    assert await world.get(f"{LISTS}/ads") == made


async def test_terms_are_given_as_text(world: World) -> None:
    """Words are separated by commas and lines, patterns and sentences by lines alone."""
    word = {"category": "word", "searchTerms": "buy now, sale\ncheap,,"}
    pattern = {"category": "pattern", "searchTerms": "a{1,2}\r\n\nb+"}
    sentence = {
        "category": "sentence-similarity",
        "disallowedSentences": ["You, there, are bad.", "Go away!"],
    }

    assert await terms_of(world, word) == ["buy now", "sale", "cheap"]
    assert await terms_of(world, pattern) == ["a{1,2}", "b+"]
    assert await terms_of(world, sentence) == ["You, there, are bad.", "Go away!"]


async def test_terms_are_given_in_a_form(world: World) -> None:
    """A form has the same fields as a body in JSON."""
    fields = {"id": "ads", "category": "word", "searchTerms": "buy,sale"}

    assert await terms_of(world, form(fields), headers=TYPE) == ["buy", "sale"]


async def test_terms_come_as_csv(node: Node, world: World) -> None:
    """The first column of a file is read, by RFC 4180; the file is not kept."""
    content = '\ufeff"buy, now",ad\r\n"say ""hi"""\r\n\r\nsale\r\nsale,again\r\n'.encode()
    body = form({"id": "ads", "category": "word"}, File("ads.csv", content))
    before = stored_files(node)

    assert await terms_of(world, body, headers=TYPE) == ["buy, now", 'say "hi"', "sale"]
    assert (await world.get(f"{LISTS}/ads"))["isCSV"] is True
    assert stored_files(node) == before


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a\n\xff\n", "The file is not UTF-8: the byte at position 2 is invalid."),
        (b'"a', "The file is not CSV: unexpected end of data."),
        (b"", "The list is empty."),
        (b"\n,b\n", "The list is empty."),
        (b"x" * (MEBIBYTE + 1), "Send one file of at most 1,048,576 bytes."),
        (b"\n".join(b"%d" % n for n in range(10_001)), "A list may have at most 10,000 terms."),
    ],
    ids=["no UTF-8", "no CSV", "nothing", "no first column", "too large", "too many"],
)
async def test_files_that_are_no_lists(world: World, content: bytes, sentence: str) -> None:
    """A file that can't be a list is refused with the reason, and nothing is made."""
    body = form({"category": "word"}, File("ads.csv", content))
    details = await world.refused(
        "POST", LISTS, body, status=400, code="ERR_BAD_REQUEST", headers=TYPE
    )

    assert details == {"file": [sentence]}
    assert [row["id"] for row in await world.get(LISTS)] == ["profanity"]


async def test_a_list_of_the_largest_size(world: World) -> None:
    """Ten thousand terms of a hundred characters are taken, as JSON."""
    terms = [f"{number:0100}" for number in range(10_000)]

    made = await world.post(LISTS, {"category": "word", "searchTerms": terms})
    assert made["searchTerms"] == terms


async def test_all_lists_have_a_limit_together(world: World) -> None:
    """The characters in all lists of an app are limited; a list that goes beyond is refused."""
    terms = [f"{number:0100}" for number in range(10_000)]
    for list_id in ("one", "two"):
        await world.post(LISTS, {"id": list_id, "category": "word", "searchTerms": terms})
    body = {"id": "three", "category": "word", "searchTerms": terms[:2_000]}
    await world.refused("POST", LISTS, body, status=400, code="ERR_LIMIT_EXCEEDED")

    assert [row["id"] for row in await world.get(LISTS)] == ["one", "two", "profanity"]
    await world.put(f"{LISTS}/two", {"searchTerms": terms[:10]})
    await world.post(LISTS, body)


async def test_each_change_of_a_list_is_a_revision(world: World, clock: ManualClock) -> None:
    """A change keeps what it does not name; given terms replace all of them."""
    made = await world.post(LISTS, {"id": "ads", "category": "word", "searchTerms": ["buy"]})
    clock.advance(5)
    named = await world.put(f"{LISTS}/ads", {"name": "Ads"})
    changed = await world.put(f"{LISTS}/ads", {"searchTerms": "sale"})

    assert named == {
        **made,
        "name": "Ads",
        "updatedAt": made["createdAt"] + 5,
        "revisionId": f"{world.app_id}_ads_2",
    }
    assert changed == {**named, "searchTerms": ["sale"], "revisionId": f"{world.app_id}_ads_3"}
    assert await world.get(f"{LISTS}/ads") == changed


async def test_the_built_in_list_is_changed_and_not_deleted(world: World) -> None:
    """Every app has a list of swear words, which it can change for itself."""
    before = await world.get(f"{LISTS}/profanity")
    assert before["default"]
    assert "fuck" in before["searchTerms"]

    changed = await world.put(f"{LISTS}/profanity", {"searchTerms": ["heck"]})

    assert changed["default"]
    assert changed["searchTerms"] == ["heck"]
    assert await world.get(LISTS) == [changed]
    await world.refused(
        "DELETE", f"{LISTS}/profanity", status=403, code="ERR_KEYWORD_DELETE_DENIED"
    )
    await world.refused(
        "POST",
        LISTS,
        {"id": "profanity", "category": "word", "searchTerms": ["a"]},
        status=409,
        code="ERR_KEYWORD_ALREADY_EXISTS",
    )


async def test_a_list_in_use_stays(world: World) -> None:
    """A list that a rule refers to is neither deleted nor given another category."""
    await world.post(LISTS, {"id": "ads", "category": "word", "searchTerms": ["buy"]})
    condition = {"value": ["ads"], "isKeywordsReferencePresent": True}
    await world.post(RULES, {"id": "no-ads", "enabled": False, "conditions": [condition]})
    path = f"{LISTS}/ads"

    details = await world.refused("DELETE", path, status=409, code="ERR_KEYWORD_IN_USE")
    assert details == {"keywordId": ["The rule no-ads refers to it."]}
    body = {"category": "pattern"}
    await world.refused("PUT", path, body, status=409, code="ERR_KEYWORD_IN_USE")
    assert (await world.get(path))["revisionId"] == f"{world.app_id}_ads_1"

    await world.delete(f"{RULES}/no-ads")
    deleted = await world.delete(path)
    assert deleted == {
        "success": True,
        "message": "Keyword with id ads has been deleted successfully.",
    }
    await world.refused("GET", path, status=404, code="ERR_KEYWORD_NOT_FOUND")


async def test_another_category_checks_the_terms_again(world: World) -> None:
    """A list of words becomes one of patterns if all of them are valid patterns."""
    await world.post(LISTS, {"id": "mixed", "category": "word", "searchTerms": ["a", "(b"]})
    details = await world.refused(
        "PUT", f"{LISTS}/mixed", {"category": "pattern"}, status=400, code="ERR_BAD_REQUEST"
    )

    assert list(details) == ["category.1"]
    assert (await world.get(f"{LISTS}/mixed"))["category"] == "word"


async def test_an_app_has_25_lists(world: World) -> None:
    """A 26th list is refused, and an id is given once."""
    for number in range(25):
        body = {"id": f"list-{number}", "category": "word", "searchTerms": ["a"]}
        await world.post(LISTS, body)
    await world.refused("POST", LISTS, body, status=409, code="ERR_KEYWORD_ALREADY_EXISTS")

    details = await world.refused(
        "POST", LISTS, {**body, "id": "one-more"}, status=400, code="ERR_LIMIT_EXCEEDED"
    )
    assert details == {"id": ["The limit is 25 per app, without the built-in ones."]}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"searchTerms": ["a"]}, "category"),
        ({"category": "word"}, "searchTerms"),
        ({"category": "poem", "searchTerms": ["a"]}, "category"),
        ({"category": "word", "searchTerms": []}, "searchTerms"),
        ({"category": "word", "searchTerms": " , "}, "searchTerms"),
        ({"category": "word", "searchTerms": ["a", "x" * 101]}, "searchTerms.1"),
        ({"category": "word", "searchTerms": ["a", "\u200b"]}, "searchTerms.1"),
        ({"category": "pattern", "searchTerms": ["a", "b)"]}, "searchTerms.1"),
        ({"category": "word", "searchTerms": ["a"] * 10_001}, "searchTerms"),
        ({"category": "word", "searchTerms": ["a"], "id": "a/b"}, "id"),
        ({"category": "word", "searchTerms": ["a"], "name": "x" * 101}, "name"),
        ({"category": "word", "searchTerms": ["a"], "description": "x" * 256}, "description"),
    ],
    ids=lambda value: str(value)[:60],
)
async def test_lists_that_are_not_valid(world: World, given: Json, field: str) -> None:
    """A list that is not valid is refused with the field, and not made."""
    details = await world.refused("POST", LISTS, given, status=400, code="ERR_BAD_REQUEST")

    assert list(details) == [field]
    assert [row["id"] for row in await world.get(LISTS)] == ["profanity"]
