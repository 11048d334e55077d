"""A page with the store and no look, and what is asked of it."""

import json
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Error, Page, Route
from tests.clients.chats.people import People, Person
from tests.clients.guide import run

SOURCE = Path(__file__).with_name("lab.mjs")
_PAGE = '<!doctype html><link rel="icon" href="data:,"><script type="module" src="lab.js"></script>'


def build(folder: Path) -> None:
    """Bundle the page into a folder."""
    options = f"--bundle --format=esm --outfile={folder}/lab.js"
    run(f"clients/node_modules/.bin/esbuild {SOURCE} {options}")
    (folder / "index.html").write_text(_PAGE)


class Tab:
    """A tab with the page, of somebody who talks with somebody."""

    def __init__(self, page: Page, address: str, to: dict[str, str]) -> None:
        self.page = page
        self.sockets: list[str] = []
        self.complaints: list[str] = []
        self._address = address
        self._to = json.dumps(to)
        page.on("websocket", lambda socket: self.sockets.append(socket.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self) -> None:
        """Open the page, and wait until it has the store."""
        self.page.goto(self._address)
        self._begin()

    def reload(self) -> None:
        """Reload the page."""
        self.page.reload()
        self._begin()

    def _begin(self) -> None:
        self.page.wait_for_function("window.lab")
        self.page.evaluate(f"void lab.watch({self._to})")

    def wait_for(self, condition: str) -> None:
        """Wait until an expression is true."""
        self.page.wait_for_function(condition)

    def wait_until_connected(self) -> None:
        """Wait until the connection is told to be there."""
        self.wait_for("lab.status().connection.name === 'connected'")

    def send(self, text: str) -> None:
        """Send a text."""
        self.page.evaluate(f"void lab.chat.send({self._to}, {{text: {json.dumps(text)}}})")

    def wait_for_stored(self, *texts: str) -> None:
        """Wait until these messages, which the server has, are shown, and no others."""
        try:
            self.wait_for(f"JSON.stringify(lab.texts({self._to})) === {_text(texts)}")
            self.wait_for(f"JSON.stringify(lab.stored({self._to})) === {_text(texts)}")
        except Error as error:
            shown = self.page.evaluate(f"[lab.texts({self._to}), lab.status()]")
            raise AssertionError(shown) from error

    def wait_for_count(self, count: int) -> None:
        """Wait until so many messages are shown that the server has."""
        self.wait_for(f"lab.stored({self._to}).length === {count}")

    def wait_for_waiting(self, *texts: str) -> None:
        """Wait until these messages are shown last, and wait to be sent."""
        last = f"lab.messages({self._to}).filter(({{local}}) => local?.state === 'sending')"
        self.wait_for(f"JSON.stringify({last}.map(({{data}}) => data.text)) === {_text(texts)}")

    @property
    def status(self) -> dict[str, Any]:
        """Return what the store says of itself."""
        said: dict[str, Any] = self.page.evaluate("lab.status()")
        said["storageError"] = self.page.evaluate("String(lab.status().storageError ?? '')")
        return said


def _text(texts: tuple[str, ...]) -> str:
    return json.dumps(json.dumps(list(texts), separators=(",", ":"), ensure_ascii=False))


class Browser:
    """A person's browser, with several tabs."""

    def __init__(self, context: BrowserContext, address: str, people: People, me: Person) -> None:
        self.context = context
        self._address = f"{address}?uid={me.uid}&url={people.url}"
        self.tabs: list[Tab] = []

    def serve_from(self, folder: Path, address: str) -> None:
        """Answer with the files of the page also while the browser is offline."""

        def answer(route: Route) -> None:
            name = route.request.url.removeprefix(address).partition("?")[0] or "index.html"
            route.fulfill(path=folder / name)

        self.context.route(re.compile(rf"{re.escape(address)}(\?.*|lab\.js)"), answer)

    def open_tab(self, to: dict[str, str]) -> Tab:
        """Open a further tab."""
        tab = Tab(self.context.new_page(), self._address, to)
        tab.open()
        self.tabs.append(tab)
        return tab

    @property
    def sockets(self) -> int:
        """The number of sockets that were opened to the server, by all tabs."""
        return sum(url.endswith("/v3/realtime") for tab in self.tabs for url in tab.sockets)

    @property
    def leaders(self) -> list[Tab]:
        """The tabs that say that they hold the socket."""
        return [
            tab for tab in self.tabs if not tab.page.is_closed() and tab.status["isLeader"] is True
        ]
