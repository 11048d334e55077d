"""The site of the documents in a real browser: built without a warning, searched, on a phone."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Page
from tests.browser.conftest import OpenPage

from hubbub.http.contract.errors import list_error_codes
from hubbub.rest.operations import OPERATIONS

ROOT = Path(__file__).parents[2]

FIRST_FOUND = {
    "upload": "guides/media.html",
    "muid": "concepts.html",
    "onBehalfOf": "concepts.html",
    "ERR_UID_NOT_FOUND": "reference/errors.html",
    "unread": "guides/unread.html",
    "form": "guides/forms.html",
    "thread": "guides/threads.html",
    "backup": "operating.html",
    "import slack": "guides/moving-in/slack.html",
    "token": "reference/api/auth-tokens.html",
    "image": "guides/media.html",
    "delete user": "guides/accounts.html",
    "GDPR": "guides/accounts.html",
    "send": "getting-started.html",
    "reply": "guides/threads.html",
    "CORS": "guides/realtime.html",
    "scale": "scaling.html",
    "sign in": "guides/accounts.html",
    "login": "guides/accounts.html",
    "sign out": "guides/accounts.html",
    "logout": "guides/accounts.html",
    "delete account": "guides/accounts.html",
    "rate limit": "operating.html",
    "websocket": "guides/realtime.html",
    "start_typing": "reference/realtime.html",
}
"""The page that a newcomer wants who types such words."""


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the site; that it is built shows that no link of it is broken."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")},
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return folder


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that logs nothing."""

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture(scope="session")
def site(built: Path) -> Iterator[str]:
    """The address of the site, served as the static folder that it is."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(built)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def first_result(page: Page, words: str) -> str:
    """Search the site as a reader does; return where the first result leads."""
    page.fill(".md-search__input", "")
    page.keyboard.press("Backspace")
    page.wait_for_function("!document.querySelector('.md-search-result__item')")
    page.fill(".md-search__input", words)
    page.keyboard.press("End")  # the search listens to keys
    link = page.locator(".md-search-result__link").first
    link.wait_for()
    return str(link.get_attribute("href"))


def test_the_search_finds_the_right_page_first(open_page: OpenPage, site: str) -> None:
    """Words that a newcomer would type lead to the page that answers them."""
    with open_page() as page:
        page.goto(f"{site}/index.html")
        page.click(".md-search__input")
        found = {words: first_result(page, words) for words in FIRST_FOUND}

    assert {
        words: link
        for words, link in found.items()
        if link.partition("?")[0] != f"{site}/{FIRST_FOUND[words]}"
    } == {}


def test_every_operation_and_code_has_its_place(built: Path) -> None:
    """The reference of the site has each operation and each error code under its anchor."""
    areas = "".join(path.read_text() for path in (built / "reference/api").glob("*.html"))
    errors = (built / "reference/errors.html").read_text()

    assert [entry.name for entry in OPERATIONS if f'id="{entry.name}"' not in areas] == []
    codes = [each.code for each in list_error_codes()]
    assert [code for code in codes if f'id="{code.lower()}"' not in errors] == []


def test_text_is_escaped_once(built: Path) -> None:
    """A mention, which is in angle brackets, is shown as it is written."""
    messages = (built / "reference/api/messages.html").read_text()

    assert "<code>&lt;@uid:anna&gt;</code>" in messages
    pages = (built / "reference").rglob("*.html")
    assert [path for path in pages if "&amp;lt;" in path.read_text()] == []


@pytest.mark.parametrize(
    "page_of_tables", ["operating", "reference/api/messages", "reference/glossary"]
)
def test_tables_are_readable_on_a_phone(
    open_page: OpenPage, site: str, page_of_tables: str
) -> None:
    """Long texts in tables have room: they are not set with one word a line."""
    with open_page(width=390) as page:
        page.goto(f"{site}/{page_of_tables}.html")
        widths = page.locator("td").evaluate_all(
            "all => all.filter(each => each.innerText.length > 60).map(each => each.offsetWidth)"
        )

    assert widths
    assert min(widths) > 120


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_site_fits_screen_and_scheme(
    open_page: OpenPage, site: str, width: int, scheme: str
) -> None:
    """No page is wider than the screen or loads anything from elsewhere."""
    with open_page(width=width, scheme=scheme) as page:
        for path in (
            "index",
            "concepts",
            "guides/forms",
            "operating",
            "reference/api/messages",
            "reference/realtime",
        ):
            page.goto(f"{site}/{path}.html")

            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            shown = page.evaluate("document.body.getAttribute('data-md-color-scheme')")
            assert shown == {"light": "default", "dark": "slate"}[scheme]
