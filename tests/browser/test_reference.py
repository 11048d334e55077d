"""The API reference in a real browser: shown at once, searched, tried, on a phone, in the dark."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.browser.conftest import OpenPage
from tests.contract import load_contract
from tests.live import LiveNode

SEARCH = "input[type=search]"
GARDEN = Path(__file__).parents[2] / "examples/clients/garden.png"


def open_reference(page: Page, demo: LiveNode) -> None:
    """Open the reference."""
    page.goto(f"{demo.address}/docs")


def search(page: Page, word: str) -> Locator:
    """Search for a word; return the results."""
    page.keyboard.press("Control+k")
    page.fill(SEARCH, word)
    results = page.get_by_role("option")
    results.first.wait_for()
    return results


def operation(page: Page, name: str) -> Locator:
    """Return the section of an operation."""
    return page.locator(f"section#{name}")


def test_the_text_is_there_without_a_script(browser: Browser, demo: LiveNode) -> None:
    """The server sends the text of the page: it is shown before the script has run, or without."""
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        open_reference(page, demo)

        expect(page.get_by_role("heading", name="First message")).to_be_visible()
        expect(
            page.get_by_role("heading", name="Send a message to a user or a group")
        ).to_be_attached()


def test_the_reference_shows_guides_and_areas(open_page: OpenPage, demo: LiveNode) -> None:
    """The contents have every area, and the page begins with the guides."""
    with open_page() as page:
        open_reference(page, demo)

        contents = page.locator("nav").inner_text().splitlines()
        assert {tag["name"] for tag in load_contract().document["tags"]} <= set(contents)
        assert contents.index("Authentication") < contents.index("Messages")
        headings = page.get_by_role("heading").all_inner_texts()
        assert headings.index("Authentication") < headings.index("Upload files")


FINDS = {
    "upload": ["Upload files", "/messages"],
    "muid": ["/messages"],
    "onBehalfOf": ["Authentication", "/messages"],
    "ERR_UID_NOT_FOUND": ["ERR_UID_NOT_FOUND"],
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
    "delete user": "Delete a user",
    "GDPR": "Delete a user",
    "rate limit": "Rate limits",
    "image": "Upload files",
    "send": "Send a message",
    "token": "Create an auth token",
    "reply": "Reply in the thread",
    "CORS": "Pages of other origins",
    "scale": "Scale",
    "unread": "conversations",
    "ERR_UID_NOT_FOUND": "ERR_UID_NOT_FOUND",
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
    """Ctrl K, a word, the arrow and Enter open the operation that was chosen."""
    with open_page() as page:
        open_reference(page, demo)
        expect(search(page, "submissions").first).to_contain_text("submissions of a form")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")

        page.wait_for_url("**/docs#list_message_submissions")
        expect(
            page.get_by_role("heading", name="List the submissions of a form")
        ).to_be_in_viewport()


def test_a_reader_tries_an_operation_with_their_key(open_page: OpenPage, demo: LiveNode) -> None:
    """The request goes to this server with the key that was entered; its answer is shown."""
    key = (demo.data / "demo-key.txt").read_text().strip()
    with open_page() as page:
        open_reference(page, demo)
        page.get_by_label("apikey").fill(key)
        search(page, "list_users").first.click()
        section = operation(page, "list_users")
        section.get_by_role("button", name="Try it").click()
        with page.expect_response(lambda answer: "/v3/users" in answer.url) as waited:
            section.get_by_role("button", name="Send").click()
        expect(section.locator("output")).to_contain_text("200 in")
        expect(section.locator("output")).to_contain_text("Anna Keller")

        answer = waited.value
        assert answer.url == f"{demo.address}/v3/users"
        assert {"anna", "ben"} <= {user["uid"] for user in json.loads(answer.text())["data"]}
        assert answer.request.headers["apikey"] == key


def test_a_reader_uploads_a_file(open_page: OpenPage, demo: LiveNode) -> None:
    """With a file the request is a form; its answer has the file as an attachment."""
    with open_page() as page:
        open_reference(page, demo)
        page.get_by_label("apikey").fill((demo.data / "demo-key.txt").read_text().strip())
        section = operation(page, "send_message")
        section.get_by_role("button", name="Try it").click()
        section.get_by_label("body").fill(
            '{"receiver": "ben", "receiverType": "user", "type": "image", "tags": ["garden"]}'
        )
        section.get_by_label("files").set_input_files(GARDEN)
        with page.expect_response(lambda answer: "/v3/messages" in answer.url):
            section.get_by_role("button", name="Send").click()

        expect(section.locator("output")).to_contain_text('"name": "garden.png"')


def test_samples_are_for_this_server(open_page: OpenPage, demo: LiveNode) -> None:
    """The samples of all languages name the address of the server, and run as they are shown."""
    with open_page() as page:
        open_reference(page, demo)
        section = operation(page, "create_user")
        for language, begins in (("curl", "curl"), ("Python", "import"), ("JavaScript", "const")):
            section.get_by_role("button", name=language).click()
            sample = section.locator(".sample").inner_text()

            assert sample.startswith(begins)
            assert f"{demo.address}/v3/users" in sample
        assert ":8080" not in page.locator("main").inner_text()


@pytest.mark.parametrize("width", [390, 1280])
def test_names_in_tables_are_not_broken(open_page: OpenPage, demo: LiveNode, width: int) -> None:
    """The names of headers in the introduction stand on one line each."""
    with open_page(width=width) as page:
        open_reference(page, demo)
        names = page.locator("td:first-of-type code").filter(has_text="onBehalfOf")
        lines = names.evaluate_all("found => found.map(each => each.getClientRects().length)")

    assert lines
    assert set(lines) <= {0, 1}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_pages_fit_screen_and_scheme(
    open_page: OpenPage, demo: LiveNode, width: int, scheme: str
) -> None:
    """Nothing is wider than a phone's screen, and a dark scheme gives a dark page."""
    with open_page(width=width, scheme=scheme) as page:
        open_reference(page, demo)

        assert page.evaluate("document.documentElement.scrollWidth") <= width
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (colour == "rgb(255, 255, 255)") == (scheme == "light")
        if width == 390:
            page.get_by_text("Contents", exact=True).click()
            page.locator("nav").get_by_role("link", name="Rate limits").click()
            expect(page.locator("nav")).to_be_hidden()
        page.goto(demo.address)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
