"""Sockets in a real browser, and the page about them: shown, on a phone, in the dark."""

import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser
from tests.browser.conftest import ELSEWHERE, OpenPage
from tests.documents.blocks import take
from tests.live import LiveNode
from tests.realtime.contract import load_realtime_contract

TALK = """
([url, token]) => new Promise((resolve) => {
  const socket = new WebSocket(url);
  const heard = [];
  const say = (frame) => socket.send(JSON.stringify(frame));
  socket.onopen = () => say({op: "connect", authToken: token});
  socket.onclose = (closed) => resolve({heard, code: closed.code, reason: closed.reason});
  socket.onmessage = (message) => {
    const frame = JSON.parse(message.data);
    heard.push(frame);
    if (frame.op === "connected") {
      const to = {receiver: "ben", receiverType: "user", category: "message", type: "text"};
      say({op: "call", ref: "1", method: "send_message", params: {...to, data: {text: "Hello"}}});
    }
    if (frame.op === "event") socket.close(1000);
  };
})
"""
"""Connects, sends a message, and ends with its event; returns what was heard."""


PROGRAM = take("docs/guides/realtime.md", "## Connect", "js")
RUN = """
([token, program]) => {
  Object.assign(window, {token, shown: [], reloads: 0, sockets: []});
  window.show = (frame) => shown.push(frame.data.message.data.text);
  window.reload = () => { window.reloads += 1; };
  window.signIn = () => shown.push("sign in");
  const Real = WebSocket;
  window.WebSocket = function (url) { return sockets[sockets.push(new Real(url)) - 1]; };
  (0, eval)(program);
}
"""
"""Runs the program of the guide, and notes what it does."""


@pytest.fixture
def said(demo: LiveNode) -> list[str]:
    """The URL of the sockets, and a token of Anna."""
    key = (demo.data / "demo-key.txt").read_text().strip()
    answer = httpx2.post(
        f"{demo.address}/v3/users/anna/auth_tokens", headers={"apikey": key}, trust_env=False
    )
    token = answer.json()["data"]["authToken"]
    return [f"{demo.address.replace('http', 'ws')}/v3/realtime", token]


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """The address of a page of another origin."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


class Page(SimpleHTTPRequestHandler):
    """An empty page, at any path."""

    def do_GET(self) -> None:
        """Answer with the page."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def test_a_page_of_the_server_talks(browser: Browser, demo: LiveNode, said: list[str]) -> None:
    """With the browser's own WebSocket a page sends a message and hears its event."""
    page = browser.new_page()
    page.goto(f"{demo.address}/docs/realtime")

    done: dict[str, Any] = page.evaluate(TALK, said)

    assert done["code"] == 1000
    assert [frame["op"] for frame in done["heard"]] == ["connected", "reply", "event"]
    assert done["heard"][2]["data"]["message"]["data"]["text"] == "Hello"
    page.close()


def test_the_program_of_the_guide_resumes(
    browser: Browser, demo: LiveNode, said: list[str]
) -> None:
    """The page shows once what was sent during a cut, and loads nothing anew."""
    page = browser.new_page()
    page.goto(f"{demo.address}/health/live")
    page.evaluate(RUN, [said[1], PROGRAM.replace("http://127.0.0.1:8080", demo.address)])
    page.wait_for_function("reloads === 1")
    send(said[1], demo, "one")
    page.wait_for_function("shown.length === 1")
    page.evaluate("sockets[0].close(4000)")
    send(said[1], demo, "two")
    page.wait_for_function("sockets.length === 2 && shown.length === 2")

    assert page.evaluate("[shown, reloads]") == [["one", "two"], 1]
    page.close()


def send(token: str, demo: LiveNode, text: str) -> None:
    """Send a message of Anna over REST."""
    message = {"receiver": "ben", "receiverType": "user", "data": {"text": text}}
    httpx2.post(
        f"{demo.address}/v3/messages", headers={"authToken": token}, json=message, trust_env=False
    ).raise_for_status()


def test_a_page_of_another_origin_is_refused(
    browser: Browser, demo: LiveNode, elsewhere: str, said: list[str]
) -> None:
    """A page of another origin is told why its socket is closed; the log says it once."""
    page = browser.new_page()
    page.goto(elsewhere.replace("127.0.0.1", ELSEWHERE))
    page.evaluate(TALK, said)
    closed = page.evaluate(TALK, said)

    assert (closed["heard"], closed["code"]) == ([], 4403)
    assert "HUBBUB_REALTIME_ORIGINS" in closed["reason"]
    assert demo.output.count("origin_refused") == 1
    page.close()


def test_a_page_of_this_machine_talks_to_the_demo(
    browser: Browser, elsewhere: str, said: list[str]
) -> None:
    """The demo accepts pages of this machine at any port, such as a development server."""
    page = browser.new_page()
    page.goto(elsewhere.replace("127.0.0.1", "localhost"))

    assert page.evaluate(TALK, said)["code"] == 1000
    page.close()


def test_the_page_has_everything(open_page: OpenPage, demo: LiveNode) -> None:
    """Each operation is under its name; the landing page and the API reference lead there."""
    with open_page() as page:
        for path in ("/docs", "/"):
            page.goto(f"{demo.address}{path}")
            page.get_by_role("link", name="realtime reference").first.click()
            page.wait_for_url("**/docs/realtime")

        shown = page.locator("h3").all_inner_texts()
        contract = load_realtime_contract()
        assert shown == [
            name
            for tag in ("Session", "Methods", "Events", "Ephemeral events")
            for name, each in contract.document["operations"].items()
            if each["tags"] == [{"name": tag}]
        ]
        assert page.locator("script").count() == 0
        page.get_by_role("link", name="mark_read", exact=True).first.click()
        assert page.url.endswith("#mark_read")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_fits_screen_and_scheme(
    open_page: OpenPage, demo: LiveNode, width: int, scheme: str
) -> None:
    """Nothing is wider than a phone's screen, and the ground has the colour of the scheme."""
    with open_page(width=width, scheme=scheme) as page:
        page.goto(f"{demo.address}/docs/realtime")

        assert page.evaluate("document.documentElement.scrollWidth") <= width
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (colour == "rgb(255, 255, 255)") == (scheme == "light")
