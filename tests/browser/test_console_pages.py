"""The console in Chromium: what axe says, keyboard, without a script, plots, what people write."""

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.conftest import OURS, OpenPage
from tests.live import HUBBUB, LiveNode, environment
from tests.world import Json

ROOT = Path(__file__).parents[2]
AXE = ROOT / "clients/node_modules/axe-core/axe.min.js"
PASSWORD = "correct horse battery"
SERIOUS = {"serious", "critical"}
EVIL = "<img src=x onerror=alert(1)>"
HOOK = {"id": "hook", "name": "Our server", "webhookURL": "https://hooks.example.com/chat"}
PAGES = {
    "overview": "",
    "apps": "/apps",
    "app": "/apps/demo",
    "people": "/apps/demo/people",
    "person": "/apps/demo/people/anna",
    "webhooks": "/apps/demo/webhooks",
    "webhook": "/apps/demo/webhooks/hook",
    "keys": "/apps/demo/keys",
    "identity": "/apps/demo/identity",
    "groups": "/apps/demo/groups",
    "group": "/apps/demo/groups/walkers",
    "conversations": "/apps/demo/conversations",
    "conversation": "/apps/demo/conversations/group_walkers",
    "messages": "/apps/demo/messages",
    "message": "/apps/demo/messages/{message}",
    "settings": "/apps/demo/settings",
    "bots": "/apps/demo/bots",
    "moderation": "/apps/demo/moderation",
    "rules": "/apps/demo/rules",
    "rule": "/apps/demo/rules/swear",
    "keywords": "/apps/demo/keywords",
    "reasons": "/apps/demo/reasons",
    "retention": "/apps/demo/retention",
    "moving": "/apps/demo/moving",
    "notifications": "/apps/demo/notifications",
    "check": "/apps/demo/notifications/check?person=ben&message={message}",
    "providers": "/apps/demo/providers",
    "channel": "/apps/demo/providers/channels/smtp",
    "system": "/system",
    "audit": "/audit",
    "account": "/account",
}
SHOTS = os.environ.get("HUBBUB_SHOTS")
"""A folder for pictures of all pages, to be looked at."""

OpenConsole = Callable[..., AbstractContextManager[Page]]


WALKERS = {"guid": "walkers", "name": EVIL, "type": "public", "description": "On Sundays"}
TWILIO = {
    "twilioAccountSID": "AC5b2c",
    "twilioAuthToken": "a-secret",
    "twilioSenderPhoneNumber": "+14155552671",
}
SWEAR = {
    "id": "swear",
    "name": EVIL,
    "enabled": True,
    "conditions": [{"entity": "message", "operand": "text", "category": "word", "value": ["damn"]}],
    "action": ["blockMessage"],
}
FILLED: Sequence[tuple[str, Json]] = (
    ("/webhooks", HOOK),
    ("/users", {"uid": "mallory", "name": EVIL}),
    ("/bots", {"uid": "helper", "name": "Helper"}),
    ("/groups", WALKERS),
    ("/groups/walkers/members", {"participants": ["anna", "ben"]}),
    ("/groups/walkers/bannedusers/mallory", {}),
    ("/notifications/sms/v1/providers/twilio", TWILIO),
    ("/notifications/push/v1/providers/webpush", {"subject": "mailto:a@example.com"}),
    ("/exports", {}),
    ("/moderation/reasons", {"id": "spam", "name": EVIL}),
    ("/moderation/rules", SWEAR),
)
"""Each path, and what is sent to it, so that the pages show something."""


@pytest.fixture(scope="module")
def node(demo: LiveNode) -> LiveNode:
    """The demo's node with an operator, people who talk, and one of each thing."""
    command = [*HUBBUB, "operator", "add", "olga", "--data", str(demo.data)]
    subprocess.run(
        command, input=f"{PASSWORD}\n", text=True, check=True, timeout=60, env=environment()
    )
    key = {"apikey": (demo.data / "demo-key.txt").read_text().strip()}
    address = f"{demo.address}/v3"
    message = {"receiver": "ben", "receiverType": "user", "data": {"text": "Hello"}}
    for path, body in FILLED:
        httpx2.post(f"{address}{path}", json=body, headers=key).raise_for_status()
    to_walkers = {"receiver": "walkers", "receiverType": "group", "data": {"text": EVIL}}
    held = {**message, "data": {"text": f"Damn {EVIL}"}}
    for each in (*[message] * 3, to_walkers, held):
        answer = httpx2.post(
            f"{address}/messages", json=each, headers={**key, "onBehalfOf": "anna"}
        )
        answer.raise_for_status()
    return demo


@pytest.fixture(scope="module")
def message(node: LiveNode) -> str:
    """The id of a message of Anna to Ben."""
    key = {"apikey": (node.data / "demo-key.txt").read_text().strip(), "onBehalfOf": "anna"}
    body = {"receiver": "ben", "receiverType": "user", "data": {"text": "Hello"}}
    answer = httpx2.post(f"{node.address}/v3/messages", json=body, headers=key)
    found: str = answer.json()["data"]["id"]
    return found


@pytest.fixture(scope="module")
def cookie(node: LiveNode) -> str:
    """The token of a session: attempts to sign in are limited."""
    answer = httpx2.post(
        f"{node.address}/console/sign-in", data={"name": "olga", "password": PASSWORD}
    )
    found = re.search(r"hubbub_console=(\w+)", answer.headers["set-cookie"])
    assert found is not None
    return found[1]


@pytest.fixture
def open_console(open_page: OpenPage, node: LiveNode, cookie: str) -> OpenConsole:
    """A function that opens the console, signed in."""

    @contextmanager
    def open_(path: str = "", *, width: int = 1280, scheme: str = "light") -> Iterator[Page]:
        with open_page(width=width, scheme=scheme) as page:
            given = {"name": "hubbub_console", "value": cookie, "url": f"{node.address}/console"}
            page.context.add_cookies([given])  # type: ignore[list-item]  # its parts are optional
            page.goto(f"{node.address}/console{path}")
            yield page

    return open_


def axe(page: Page) -> list[str]:
    """Return what axe finds on a page that is serious."""
    page.evaluate(AXE.read_text())
    result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{each['id']}: {json.dumps([node['target'] for node in each['nodes']][:3])}"
        for each in result["violations"]
        if each["impact"] in SERIOUS
    ]


def shoot(page: Page, name: str) -> None:
    """Take a picture of a page, if pictures are wanted."""
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/{name}.png", full_page=True)


@pytest.mark.clients
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing_serious_in_the_console(
    open_console: OpenConsole, node: LiveNode, message: str, width: int, scheme: str
) -> None:
    """Every page keeps the rules of axe, fits the width, and asks no other host for anything."""
    found = {}
    with open_console(width=width, scheme=scheme) as page:
        for name, path in PAGES.items():
            page.goto(f"{node.address}/console{path.format(message=message)}")
            shoot(page, f"{name}-{width}-{scheme}")
            found[name] = axe(page)
            overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert overflow <= 0, f"{name} is {overflow} pixels wider than the window"
        page.context.clear_cookies()
        page.goto(f"{node.address}/console/sign-in")
        shoot(page, f"sign-in-{width}-{scheme}")
        found["sign in"] = axe(page)

    assert {place: faults for place, faults in found.items() if faults} == {}


def test_signing_in_and_out(open_page: OpenPage, node: LiveNode) -> None:
    """By the keyboard alone an operator signs in, gets to the content, and signs out."""
    with open_page() as page:
        page.goto(f"{node.address}/console/audit")
        page.keyboard.type("olga")
        page.keyboard.press("Tab")
        page.keyboard.type(PASSWORD)
        page.keyboard.press("Enter")

        expect(page.get_by_role("heading", name="Audit log")).to_be_visible()
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("main")).to_be_focused()
        page.keyboard.press("/")
        expect(page.locator("[role=search] input").first).to_be_focused()
        page.get_by_role("button", name="Sign out").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_label("Password")).to_be_visible()


def test_plots_are_drawn_of_the_table(open_console: OpenConsole) -> None:
    """The page of an app has its plots, with a name, and the figures of its tables."""
    with open_console("/apps/demo") as page:
        expect(page.locator("figure .uplot canvas")).to_have_count(4)
        expect(page.get_by_role("img", name=re.compile("Messages in five minutes"))).to_be_visible()
        page.get_by_text("By five minutes, as a table").click()
        cells = page.locator("#traffic td:nth-child(2)").all_inner_texts()
        assert sum(int(each.replace(",", "")) for each in cells) >= 3


def test_times_are_in_the_zone_of_the_reader(open_console: OpenConsole) -> None:
    """The script shows times in the reader's zone, and keeps that of the server as a title."""
    with open_console("/apps/demo") as page:
        time = page.locator("dl time")
        expect(time).to_have_attribute("title", re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$"))
        assert "UTC" not in time.inner_text()


def test_what_cannot_be_undone_is_asked(open_console: OpenConsole) -> None:
    """A dangerous button asks before it does anything, and does nothing if that is denied."""
    with open_console("/apps/demo/people/mallory") as page:
        page.once("dialog", lambda dialog: dialog.dismiss())
        page.get_by_role("button", name="Deactivate").click()
        expect(page.get_by_role("button", name="Deactivate")).to_be_visible()
        page.once("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="Deactivate").click()
        expect(page.get_by_role("status")).to_contain_text("deactivated")
        page.get_by_role("button", name="Reactivate").click()
        expect(page.get_by_role("status")).to_contain_text("active again")


def test_evil_names_are_shown(open_console: OpenConsole) -> None:
    """Markup in a name is shown as it was written, and nothing of it runs or is loaded."""
    with open_console("/apps/demo/people?search=mallory") as page:
        expect(page.get_by_role("link", name=EVIL)).to_be_visible()
        page.get_by_role("link", name=EVIL).click()
        expect(page.get_by_role("heading", name=EVIL)).to_be_visible()


def test_a_conversation_is_followed_to_its_thread(open_console: OpenConsole) -> None:
    """From a conversation a link leads to a message, and from a search into the conversation."""
    with open_console("/apps/demo/conversations/group_walkers") as page:
        expect(page.locator(".bubble .said")).to_have_text(EVIL)
        page.get_by_role("link", name=re.compile("^Message and thread")).click()
        expect(page.get_by_text("Nobody has replied in a thread.")).to_be_visible()
        page.get_by_role("link", name="Messages", exact=True).click()
        page.get_by_label("Sender").fill("anna")
        page.keyboard.press("Enter")
        page.get_by_role("link", name="in group_walkers").first.click()
        expect(page.locator(".bubble:target .said")).to_have_text(EVIL)


def test_an_open_page_follows_an_import(open_console: OpenConsole, node: LiveNode) -> None:
    """The page of imports shows one that was asked for meanwhile, and how it ends."""
    with open_console("/apps/demo/moving") as page:
        expect(page.get_by_text("There was no import yet.")).to_be_visible()
        key = {"apikey": (node.data / "demo-key.txt").read_text().strip()}
        source = {"url": "https://192.0.2.1/export.zip"}
        httpx2.post(f"{node.address}/v3/imports", json=source, headers=key).raise_for_status()

        row = page.get_by_role("row", name=re.compile("export.zip"))
        expect(row).to_be_visible()
        expect(row.get_by_text("failed")).to_be_visible()


def test_the_console_from_right_to_left(open_console: OpenConsole, node: LiveNode) -> None:
    """Where text runs from right to left, the menu is on the right, and nothing overflows."""
    for width in (390, 1280):
        with open_console("/apps/demo/people", width=width) as page:
            page.evaluate("document.documentElement.dir = 'rtl'")
            shoot(page, f"people-rtl-{width}")
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
            menu = page.get_by_role("navigation", name="Console").bounding_box()
            assert menu is not None
            if width == 1280:
                assert menu["x"] > page.get_by_role("main").bounding_box()["x"]  # type: ignore[index]


def test_the_first_page_renews_itself(
    open_console: OpenConsole, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An open first page asks for what is wrong, and shows the answer in its place."""
    with open_console() as page:
        page.route(
            "**/console/troubles", lambda route: route.fulfill(body="<p>It was renewed.</p>")
        )
        with page.expect_response("**/console/troubles", timeout=60_000):
            pass
        expect(page.get_by_text("It was renewed.")).to_be_visible()


def test_the_console_without_a_script(browser: Browser, node: LiveNode, cookie: str) -> None:
    """Without a script, everything is there, and forms do what they do."""
    page = browser.new_page(java_script_enabled=False)
    given = {"name": "hubbub_console", "value": cookie, "url": f"{node.address}/console"}
    page.context.add_cookies([given])  # type: ignore[list-item]  # its parts are optional
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{node.address}/console/apps/demo/keys")
    page.get_by_label("Name").fill("Of no script")
    page.get_by_role("button", name="Create").click()

    expect(page.get_by_role("status")).to_contain_text("Of no script")
    page.goto(f"{node.address}/console/apps/demo")
    page.get_by_text("By day, as a table").click()
    expect(page.locator("#days")).to_be_visible()
    assert [url for url in asked if not url.startswith(OURS)] == []
    page.close()
