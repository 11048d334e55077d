"""The API reference in a real browser: shown, searched, tried, on a phone, in the dark."""

import json

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.conftest import OpenPage
from tests.contract import load_contract
from tests.live import LiveNode

SEARCH = "input[type=search]"


def open_reference(page: Page, demo: LiveNode) -> None:
    """Open the reference, and wait until it is shown."""
    page.goto(f"{demo.address}/docs")
    page.get_by_role("heading", name="First message").wait_for()


def search(page: Page, word: str) -> Locator:
    """Search for a word; return the results."""
    page.keyboard.press("Control+k")
    page.fill(SEARCH, word)
    results = page.get_by_role("option")
    results.first.wait_for()
    return results


def test_the_reference_shows_guides_and_areas(open_page: OpenPage, demo: LiveNode) -> None:
    """The contents have every area, and the page begins with the guides."""
    with open_page() as page:
        open_reference(page, demo)

        contents = page.locator("aside, nav").first.inner_text().splitlines()
        assert {tag["name"] for tag in load_contract().document["tags"]} <= set(contents)
        assert contents.index("Introduction") < contents.index("Messages")
        headings = page.get_by_role("heading").all_inner_texts()
        assert headings.index("Authentication") < headings.index("Upload files")


FINDS = {
    "upload": ["Upload files", "/messages"],
    "muid": ["/messages"],
    "onBehalfOf": ["/messages"],
    "ERR_UID_NOT_FOUND": ["ERR_UID_NOT_FOUND", "/messages"],
    "ERR_WRONG_GROUP_PASS": ["ERR_WRONG_GROUP_PASS", "/groups/{guid}/members"],
    "unread": ["/conversations"],
    "auth token": ["/users/{uid}/auth_tokens"],
    "form": ["/messages/{id}/submissions"],
    "mark_interacted": ["/messages/{id}/interacted"],
}
"""What the search must find for a word: guides by their heading, operations by their path."""


def test_the_search_finds_words_of_operations(open_page: OpenPage, demo: LiveNode) -> None:
    """Names of parameters, fields, headers and error codes find their operations."""
    with open_page() as page:
        open_reference(page, demo)
        for word, expected in FINDS.items():
            results = search(page, word)

            for text in expected:
                expect(results.filter(has_text=text).first, f"{word}: {text}").to_be_attached()
            page.keyboard.press("Escape")


FINDS_FIRST = {
    "sign in": "Sign users in and out",
    "login": "Create an auth token",
    "logout": "Revoke an auth token",
    "delete account": "Delete a user",
    "rate limit": "Rate limits",
}


def test_the_search_knows_words_of_newcomers(open_page: OpenPage, demo: LiveNode) -> None:
    """The operations and guides that newcomers look for come first, under their words."""
    with open_page() as page:
        open_reference(page, demo)
        for word, expected in FINDS_FIRST.items():
            expect(search(page, word).first, word).to_contain_text(expected)
            page.keyboard.press("Escape")


def test_the_keyboard_leads_from_the_search_to_an_operation(
    open_page: OpenPage, demo: LiveNode
) -> None:
    """Ctrl K, a word, the arrow and Enter open the first operation that was found."""
    with open_page() as page:
        open_reference(page, demo)
        expect(search(page, "submissions").first).to_contain_text("submissions of a form")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")

        page.wait_for_url("**/docs#tag/messages/**submissions")
        expect(page.get_by_role("heading", name="List the submissions of a form")).to_be_visible()


def test_a_reader_tries_an_operation_with_their_key(open_page: OpenPage, demo: LiveNode) -> None:
    """The request goes to this server with the key that was entered; its answer is shown."""
    key = (demo.data / "demo-key.txt").read_text().strip()
    with open_page() as page:
        open_reference(page, demo)
        search(page, "list_users").filter(has_text="List users").first.click()
        heading = page.get_by_role("heading", name="List users", exact=True)
        section = page.locator("section").filter(has=heading).last
        section.get_by_role("button", name="Test Request").first.click()
        dialog = page.get_by_role("dialog").locator("visible=true").first
        dialog.get_by_label("Value").first.fill(key)
        with page.expect_response(lambda answer: "/v3/users" in answer.url) as waited:
            page.get_by_role("button", name="Send").locator("visible=true").first.click()

        answer = waited.value
        assert answer.status == 200
        assert answer.url == f"{demo.address}/v3/users"
        assert {"anna", "ben"} <= {user["uid"] for user in json.loads(answer.text())["data"]}
        assert answer.request.headers["apikey"] == key


@pytest.mark.parametrize("width", [390, 1280])
def test_names_in_tables_are_not_broken(open_page: OpenPage, demo: LiveNode, width: int) -> None:
    """The names of headers in the introduction stand on one line each."""
    with open_page(width=width) as page:
        open_reference(page, demo)
        names = page.locator("td:first-of-type code").filter(has_text="onBehalfOf")
        lines = names.evaluate_all("found => found.map(each => each.getClientRects().length)")

    assert lines
    assert set(lines) == {1}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_pages_fit_screen_and_scheme(
    open_page: OpenPage, demo: LiveNode, width: int, scheme: str
) -> None:
    """Nothing is wider than a phone's screen, and a dark scheme gives a dark page."""
    with open_page(width=width, scheme=scheme) as page:
        open_reference(page, demo)

        assert page.evaluate("document.documentElement.scrollWidth") <= width
        is_dark = page.evaluate("document.body.classList.contains('dark-mode')")
        assert is_dark == (scheme == "dark")
        page.goto(demo.address)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
