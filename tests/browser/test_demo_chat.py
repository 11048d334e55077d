"""The demo chat in a real browser: people who talk to each other, on a phone and on a desk."""

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.browser.conftest import OURS, OpenPage
from tests.live import LiveNode

from hubbub.config import Settings

ROOT = Path(__file__).parents[2]
GARDEN = ROOT / "examples/clients/garden.png"
SOURCES = ROOT / "clients/demo"
BUILT = ROOT / "src/hubbub/http/pages/demo/static"
AXE = ROOT / "clients/node_modules/axe-core/axe.min.js"
LOST = ("Failed to load resource", "WebSocket connection to")
"""How the browser's complaints begin while the node is away."""

OpenChat = Callable[..., AbstractContextManager[Page]]
"""Opens the chat as a person, in a browser context of its own."""


@pytest.fixture
def open_chat(browser: Browser, demo: LiveNode) -> OpenChat:
    """A function that opens the chat as somebody."""

    @contextmanager
    def open_(name: str, node: LiveNode = demo, **how: Any) -> Iterator[Page]:
        may_lose = how.pop("may_lose", False)
        size = {"width": how.pop("width", 1280), "height": 900}
        context = browser.new_context(viewport=size, **how)  # type: ignore[arg-type]  # as it is
        page = context.new_page()
        seen: list[str] = []
        complaints: list[str] = []
        page.on("request", lambda request: seen.append(request.url))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda said: (
                complaints.append(said.text) if said.type in {"error", "warning"} else None
            ),
        )
        page.goto(f"{node.address}/demo")
        page.get_by_role("button", name=name).click()
        page.locator(".conversation-row").first.wait_for()
        yield page
        context.close()
        assert [text for text in complaints if not (may_lose and text.startswith(LOST))] == []
        assert [url for url in seen if not url.startswith(OURS)] == []

    return open_


def row(page: Page, name: str) -> Locator:
    """Return the row of a conversation in the list."""
    return page.locator(".conversation-row").filter(has=page.locator("strong", has_text=name))


def enter(page: Page, name: str) -> None:
    """Open a conversation from the list."""
    row(page, name).click()
    page.get_by_role("log", name="Messages").locator(".message").first.wait_for()


def write(page: Page, text: str) -> None:
    """Write a message and send it with Enter."""
    page.get_by_role("textbox", name="Message").fill(text)
    page.get_by_role("textbox", name="Message").press("Enter")


def message(page: Page, text: str) -> Locator:
    """Return the message with a text in the open conversation."""
    return page.get_by_role("log").locator(".message", has_text=text)


def use_tool(page: Page, text: str, tool: str) -> None:
    """Point at a message, and press one of the buttons that appear."""
    message(page, text).hover()
    message(page, text).get_by_role("button", name=tool).click()


def test_two_people_talk(open_chat: OpenChat) -> None:
    """A text with Markdown arrives while the other types, is delivered and read."""
    with open_chat("Ben Osei") as ben, open_chat("Chiara Conti") as chiara:
        enter(ben, "Chiara")
        enter(chiara, "Ben")
        box = chiara.get_by_role("textbox", name="Message")
        box.press_sequentially("Is the **map** ready?")
        expect(ben.get_by_text("Chiara Conti is typing")).to_be_visible()
        box.press("Enter")

        said = message(ben, "Is the map ready?")
        expect(said.locator("strong", has_text="map")).to_be_visible()
        expect(message(chiara, "Is the map").get_by_label("Read")).to_be_visible()
        expect(ben.locator(".conversation-row[aria-current] .badge")).to_have_count(0)
        expect(chiara.locator(".conversation-header")).to_contain_text("Online")


def test_unread_counts_come_and_go(open_chat: OpenChat) -> None:
    """Messages of somebody else are counted until the conversation is opened, below a line."""
    with open_chat("Grace Lindqvist") as grace, open_chat("Dai") as dai:
        grace.keyboard.press("Control+k")
        grace.get_by_role("combobox").fill("dai")
        grace.get_by_role("option", name="Dai").first.click()
        write(grace, "One")
        write(grace, "Two")
        expect(row(dai, "Grace").locator(".badge")).to_contain_text("2")
        row(dai, "Grace").click()

        expect(row(dai, "Grace").locator(".badge")).to_have_count(0)
        expect(dai.get_by_role("separator")).to_contain_text("New")


def test_a_message_is_edited_reacted_to_and_deleted(open_chat: OpenChat) -> None:
    """The other one sees each change; the arrow up edits the last message, Esc leaves it."""
    with open_chat("Anna Keller") as anna, open_chat("Hiro Tanaka") as hiro:
        enter(anna, "Hiro")
        enter(hiro, "Anna")
        write(anna, "The servers are fats")
        expect(message(hiro, "fats")).to_be_visible()
        box = anna.get_by_role("textbox", name="Message")
        expect(message(anna, "fats").get_by_label("Read")).to_be_visible()
        box.press("ArrowUp")
        expect(box).to_have_value("The servers are fats")
        box.press("Escape")
        expect(box).to_have_value("")
        box.press("ArrowUp")
        expect(box).to_have_value("The servers are fats")
        box.fill("The servers are fast")
        box.press("Enter")
        expect(message(hiro, "are fast")).to_contain_text("edited")

        use_tool(hiro, "are fast", "React")
        hiro.get_by_label("Search emoji").fill("rocket")
        hiro.keyboard.press("Enter")
        expect(message(anna, "are fast").get_by_role("button", name="🚀, 1")).to_be_visible()
        message(hiro, "are fast").get_by_role("button", name="🚀, 1, yours").click()
        expect(message(anna, "are fast").get_by_role("button", name="🚀")).to_have_count(0)

        use_tool(anna, "are fast", "Delete")
        anna.get_by_role("button", name="Delete", exact=True).last.click()
        expect(message(hiro, "This message was deleted.")).to_be_visible()


def test_a_group_has_threads_mentions_and_members(open_chat: OpenChat) -> None:
    """A mention is completed, a thread has its own panel, an admin removes and adds members."""
    with open_chat("Anna Keller") as anna, open_chat("Farah Haddad") as farah:
        enter(anna, "Trail map launch")
        enter(farah, "Trail map launch")
        box = anna.get_by_role("textbox", name="Message")
        box.press_sequentially("Is it translated, @far")
        expect(anna.get_by_role("option", name="Farah")).to_be_visible()
        box.press("Enter")
        box.press_sequentially("?")
        box.press("Enter")
        expect(message(farah, "Is it translated").locator(".mention.is-mine")).to_be_visible()

        use_tool(farah, "Is it translated", "Reply in thread")
        reply = farah.get_by_role("textbox", name="Reply in thread")
        reply.fill("Every word.")
        reply.press("Enter")
        message(anna, "Is it translated").get_by_role("button", name="1 reply").click()
        expect(anna.get_by_role("complementary", name="Thread")).to_contain_text("Every word.")

        anna.keyboard.press("Escape")
        anna.get_by_role("button", name="Members").click()
        members = anna.get_by_role("complementary", name="Members")
        members.get_by_role("button", name="Remove Hiro Tanaka").click()
        expect(message(farah, "Anna Keller removed Hiro Tanaka")).to_have_count(0)
        expect(
            farah.locator(".action-line", has_text="Anna Keller removed Hiro Tanaka")
        ).to_be_visible()
        members.get_by_label("Person to add").select_option("hiro")
        members.get_by_role("button", name="Add", exact=True).click()
        expect(members.get_by_label("Role of Hiro Tanaka")).to_be_visible()
        farah.get_by_role("button", name="Close").click()
        farah.get_by_role("button", name="Members").click()
        expect(farah.get_by_role("button", name="Remove")).to_have_count(0)


def test_files_are_sent(open_chat: OpenChat) -> None:
    """A picture is shown to both, in the space that it needs."""
    with open_chat("Ben Osei") as ben, open_chat("Dai") as dai:
        enter(ben, "Dai")
        enter(dai, "Ben")
        ben.locator("input[type=file]").set_input_files(GARDEN)
        expect(ben.get_by_role("list", name="Files to send")).to_contain_text("garden.png")
        write(ben, "Our garden")

        for page in (ben, dai):
            picture = message(page, "Our garden").get_by_role("img", name="garden.png")
            expect(picture).to_have_js_property("complete", True)
            expect(picture).not_to_have_js_property("naturalWidth", 0)


def test_a_form_is_submitted(open_chat: OpenChat) -> None:
    """A missing value is said at its field; submitted ones are shown to the sender."""
    with open_chat("Grace Lindqvist") as grace, open_chat("Anna Keller") as anna:
        enter(grace, "Trail map launch")
        form = grace.get_by_role("form", name="Launch party")
        form.scroll_into_view_if_needed()
        form.get_by_role("button", name="Send").click()
        expect(form.get_by_role("alert")).to_be_visible()
        form.get_by_label("Friday").check()
        form.get_by_label("Cake").check()
        form.get_by_label("From when on?").fill("18:30")
        form.get_by_role("button", name="Send").click()
        expect(form).to_contain_text("Thank you, see you there!")

        enter(anna, "Trail map launch")
        shown = anna.get_by_role("form", name="Launch party")
        shown.get_by_role("button", name="Show answers").click()
        expect(shown).to_contain_text("Which day?: Friday")
        expect(shown).to_contain_text("From when on?: 18:30")


def test_a_card_is_used_once(open_chat: OpenChat) -> None:
    """A button that is disabled after its use stays so after a reload."""
    with open_chat("Anna Keller") as anna:
        enter(anna, "Ben Osei")
        button = anna.get_by_role("button", name="Publish")
        button.click()
        expect(button).to_be_disabled()
        anna.reload()
        expect(anna.get_by_role("button", name="Publish")).to_be_disabled()


SCROLL_TO_THE_TOP = """
async (log) => {
  const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
  let largest = 0;
  for (let turn = 0; turn < 2000; turn++) {
    const isSeen = (each) => each.getBoundingClientRect().top > 200;
    const seen = [...log.querySelectorAll(".message")].find(isSeen);
    const [before, from] = [seen.getBoundingClientRect().bottom, log.scrollTop];
    log.scrollBy(0, -80);
    await new Promise(requestAnimationFrame);
    const moved = seen.getBoundingClientRect().bottom - before;
    largest = Math.max(largest, Math.abs(moved - (from - log.scrollTop)));
    if (log.scrollTop !== from) continue;
    if (!log.querySelector(".older .spinner")) return largest;
    await pause(50);
  }
}
"""
"""Scrolls up to the first message; returns by how much more or less than that a message moved."""


def test_history_pages_up_without_jumps(open_chat: OpenChat) -> None:
    """Older pages are loaded above, and what is seen moves as far as one scrolls."""
    with open_chat("Hiro Tanaka") as hiro:
        enter(hiro, "Trail map launch")
        jump = hiro.get_by_role("log", name="Messages").evaluate(SCROLL_TO_THE_TOP)

        assert jump is not None
        assert jump < 1
        expect(hiro.locator(".message").first).to_contain_text("Short stand-up")


def test_a_search_leads_to_the_message(open_chat: OpenChat) -> None:
    """A result far above is loaded and brought into view."""
    with open_chat("Chiara Conti") as chiara:
        enter(chiara, "Trail map launch")
        chiara.get_by_role("button", name="Search in messages").click()
        chiara.get_by_label("Words to search").fill("phone with little memory")
        results = chiara.locator(".results button")
        expect(results).to_have_count(4)
        results.last.click()

        expect(chiara.locator(".message.is-flashed", has_text="little memory")).to_be_in_viewport()


COUNT_HELD = "all => all.reduce((sum, each) => sum + each.dataset.ids.split(' ').length, 0)"
SCROLL_TO_THE_END = """
async (log) => {
  const isSeen = (each) => each.getBoundingClientRect().top < innerHeight;
  for (let turn = 0; turn < 5000 && log.scrollTop < -2; turn++) {
    if (![...log.querySelectorAll(".gap")].some(isSeen)) log.scrollBy(0, 80);
    await new Promise(requestAnimationFrame);
  }
}
"""
"""Scrolls down to the last message, and waits at gaps until they are filled."""


def test_what_is_around_a_result_is_loaded_first(open_chat: OpenChat) -> None:
    """The messages between a result and the newest ones are loaded as one scrolls down to them."""
    with open_chat("Ben Osei") as ben:
        enter(ben, "Trail map launch")
        ben.get_by_role("button", name="Search in messages").click()
        ben.get_by_label("Words to search").fill("stand-up")
        ben.locator(".results button").last.click()
        expect(ben.locator(".message.is-flashed", has_text="stand-up")).to_be_in_viewport()
        expect(message(ben, "the cache is not bounded yet")).to_be_in_viewport()
        blocks = ben.locator(".history [data-ids]")
        before = blocks.evaluate_all(COUNT_HELD)
        ben.get_by_role("log", name="Messages").evaluate(SCROLL_TO_THE_END)

        assert before < 160
        assert blocks.evaluate_all(COUNT_HELD) > 200
        expect(ben.locator(".gap")).to_have_count(0)


DATABASES = "indexedDB.databases().then(({length}) => length)"


def test_who_signs_out_leaves_nothing(open_chat: OpenChat) -> None:
    """Signed out in one tab, the person is in all; the browser has no rows of theirs."""
    with open_chat("Farah Haddad") as farah:
        other = farah.context.new_page()
        other.goto(farah.url)
        other.get_by_role("button", name="Farah Haddad").click()
        other.locator(".conversation-row").first.wait_for()
        assert farah.evaluate(DATABASES) == 1
        other.get_by_role("button", name="Settings").click()
        other.get_by_role("button", name="Choose another person").click()

        for page in (farah, other):
            expect(page.get_by_role("heading", name="Who do you want to be?")).to_be_visible()
        other.wait_for_function(f"{DATABASES}.then((count) => count === 0)")


def test_the_text_of_others_is_never_code(open_chat: OpenChat) -> None:
    """Elements and links that would run something are shown as the text that they are."""
    text = '<img src=x onerror="document.title = 1"> [here](javascript:document.title=2)'
    with open_chat("Farah Haddad") as farah, open_chat("Anna Keller") as anna:
        enter(farah, "Anna")
        enter(anna, "Farah")
        write(farah, text)

        said = message(anna, "onerror")
        expect(said).to_contain_text(text)
        expect(said.locator("img, a")).to_have_count(0)
        assert anna.title() == "Hubbub demo chat"


def test_a_refused_message_says_why(open_chat: OpenChat) -> None:
    """A text that is too long is not sent; it can be tried again, or discarded."""
    with open_chat("Hiro Tanaka") as hiro:
        enter(hiro, "Anna")
        write(hiro, "Far too long. " * 1000)
        refused = message(hiro, "Far too long.")
        expect(refused).to_contain_text(re.compile(r"Not sent: .*10,240"))
        refused.get_by_role("button", name="Try again").click()
        expect(refused).to_contain_text("Not sent")
        refused.get_by_role("button", name="Discard").click()

        expect(refused).to_have_count(0)


@pytest.fixture
def restarted(tmp_path: Path) -> Iterator[LiveNode]:
    """A node of the demo that may be stopped and started again."""
    with LiveNode(Settings(data=tmp_path / "hubbub-data"), "--demo") as node:
        yield node


def test_what_is_written_offline_is_sent_later(open_chat: OpenChat, restarted: LiveNode) -> None:
    """While the node is away the page says so and queues; afterwards everything is sent, once."""
    with open_chat("Ben Osei", restarted, may_lose=True) as ben:
        enter(ben, "Dai")
        restarted.stop()
        expect(ben.locator(".notice")).to_contain_text("not reached")
        write(ben, "Written offline")
        write(ben, "Never sent")
        expect(ben.locator(".notice")).to_contain_text("2 messages wait")
        message(ben, "Never sent").get_by_role("button", name="Discard").click()
        expect(message(ben, "Never sent")).to_have_count(0)
        restarted.start()
        ben.evaluate("dispatchEvent(new Event('online'))")

        expect(message(ben, "Written offline").get_by_label("Sent")).to_be_visible()
        expect(ben.locator(".notice")).to_be_empty()
        expect(message(ben, "Written offline")).to_have_count(1)


def test_the_page_is_used_by_keyboard(open_chat: OpenChat) -> None:
    """Ctrl+K switches, arrows go through lists and messages, Esc closes."""
    with open_chat("Anna Keller") as anna:
        anna.keyboard.press("Control+k")
        expect(anna.get_by_role("combobox")).to_be_focused()
        anna.keyboard.type("design")
        expect(anna.get_by_role("option")).to_have_count(1)
        anna.keyboard.press("Enter")
        expect(anna.get_by_role("heading", name="Design round")).to_be_visible()

        log = anna.get_by_role("log", name="Messages")
        expect(log.locator(".message").first).to_be_visible()
        log.focus()
        anna.keyboard.press("ArrowUp")
        anna.keyboard.press("ArrowUp")
        focused = anna.locator(".message:focus")
        expect(focused).to_have_count(1)
        anna.keyboard.press("Tab")
        expect(anna.get_by_role("button", name="React")).to_be_focused()

        anna.locator(".conversation-row").first.focus()
        anna.keyboard.press("End")
        expect(anna.locator(".conversation-row").last).to_be_focused()
        anna.keyboard.press("Home")
        anna.keyboard.press("Enter")
        anna.get_by_role("button", name="Search in messages").click()
        expect(anna.get_by_label("Words to search")).to_be_focused()
        anna.keyboard.press("Escape")
        expect(anna.get_by_role("complementary")).to_have_count(0)


def test_on_a_phone_one_thing_is_shown_at_a_time(open_chat: OpenChat) -> None:
    """The list leads to a conversation, that to its panel, and Back goes the same way."""
    with open_chat("Anna Keller", width=390) as anna:
        enter(anna, "Trail map launch")
        expect(anna.get_by_role("navigation", name="Conversations")).to_be_hidden()
        anna.get_by_role("button", name="Members").click()
        expect(anna.get_by_role("log", name="Messages")).to_be_hidden()
        anna.go_back()
        expect(anna.get_by_role("log", name="Messages")).to_be_visible()
        anna.get_by_role("button", name="Back to the list").click()
        expect(anna.get_by_role("navigation", name="Conversations")).to_be_visible()


GROUNDS = {"light": "rgb(244, 247, 246)", "dark": "rgb(13, 18, 20)"}


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_chat_fits_screen_scheme_and_direction(
    open_chat: OpenChat, width: int, scheme: str, direction: str
) -> None:
    """Nothing is wider than the screen; the scheme and the direction can be chosen."""
    other = "light" if scheme == "dark" else "dark"
    with open_chat("Anna Keller", width=width, color_scheme=scheme) as anna:
        anna.get_by_role("button", name="Settings").click()
        anna.get_by_label("Direction").select_option(direction)
        expect(anna.locator("body")).to_have_css("background-color", GROUNDS[scheme])
        anna.get_by_label("Colours").select_option(other)
        expect(anna.locator("body")).to_have_css("background-color", GROUNDS[other])
        anna.keyboard.press("Escape")
        for name in ("Trail map launch", "Farah", "Ben"):
            enter(anna, name)
            assert anna.evaluate("document.documentElement.scrollWidth") <= width
            overflowing = anna.locator(".bubble").evaluate_all(
                "all => all.filter(({left, right}) => left < 0 || right > innerWidth, "
                "all.map(each => each.getBoundingClientRect())).length"
            )
            assert overflowing == 0
            sidebar = anna.locator(".sidebar").bounding_box()
            if width == 390:
                anna.get_by_role("button", name="Back to the list").click()
            else:
                assert sidebar is not None
                assert (sidebar["x"] > 100) == (direction == "rtl")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_tools_of_a_message_do_not_cover_it(
    open_chat: OpenChat, width: int, scheme: str
) -> None:
    """The buttons are above or beside what a message says, and on the screen; in a thread, too."""
    with open_chat("Anna Keller", width=width, color_scheme=scheme) as anna:
        enter(anna, "Trail map launch")
        for side in ("is-mine", "is-theirs"):
            assert covered(anna.locator(f".history .message.{side}").nth(-2)) == 0
        use_tool(anna, "ten testers", "Reply in thread")
        assert covered(anna.locator(".thread-parent .message")) == 0


COVERED = """
(message) => {
  const rectOf = (name) => message.querySelector(name).getBoundingClientRect();
  const [tools, content] = [rectOf(".tools"), rectOf(".content")];
  const shared = (from, to) =>
    Math.max(0, Math.min(content[to], tools[to]) - Math.max(content[from], tools[from]));
  if (tools.left < 0 || tools.right > innerWidth || tools.top < 0) return "outside";
  return shared("left", "right") * shared("top", "bottom");
}
"""


def covered(message: Locator) -> object:
    """Point at a message; return how many pixels of what it says are below its buttons."""
    message.evaluate("each => each.scrollIntoView({block: 'center'})")
    message.hover()
    message.locator(".tools").wait_for()
    return message.evaluate(COVERED)


def test_an_answer_grows_until_it_is_stopped(open_chat: OpenChat) -> None:
    """The bot's answer is seen by all while it is written, and ends where a reader stops it."""
    with open_chat("Anna Keller") as anna, open_chat("Grace Lindqvist") as grace:
        enter(grace, "Trail map launch")
        enter(anna, "Trail map launch")
        box = anna.get_by_role("textbox", name="Message")
        box.press_sequentially("How does it work, @sag")
        expect(anna.get_by_role("option", name="Sage")).to_be_visible()
        box.press("Enter")
        box.press("Enter")
        answer = message(grace, "It works like this")
        expect(answer).to_contain_text("it appears at once")
        expect(answer).to_contain_text("Being written")
        answer.get_by_role("button", name="Stop").click()

        expect(message(anna, "It works like this")).not_to_contain_text("Being written")
        ended = message(anna, "It works like this").locator(".text").inner_text()
        expect(answer.locator(".text")).to_have_text(ended, use_inner_text=True)
        assert "reads the text so far" not in ended


def test_an_upload_shows_its_progress_and_is_cancelled(open_chat: OpenChat) -> None:
    """While a file is on its way it is shown with a bar; cancelled, it is gone."""
    with open_chat("Farah Haddad") as farah:
        enter(farah, "Anna")
        farah.route("**/v3/messages", lambda route: None)  # never answered
        farah.locator("input[type=file]").set_input_files(GARDEN)
        write(farah, "Too large for this network")
        sent = message(farah, "Too large")
        expect(sent.get_by_role("progressbar")).to_be_visible()
        expect(sent.get_by_role("img", name="garden.png")).to_be_visible()
        sent.get_by_role("button", name="Cancel").click()

        expect(sent).to_have_count(0)


IN_SECONDS = """
(ahead) => {
  const at = new Date(Date.now() + ahead * 1000 - new Date().getTimezoneOffset() * 60_000);
  return at.toISOString().slice(0, 19);
}
"""
"""Returns a time in so many seconds, as a field for a date and a time has it."""
SOON = 6


def choose_time(layer: Locator) -> None:
    """Choose a time in some seconds."""
    layer.get_by_label("Date and time").fill(layer.page.evaluate(IN_SECONDS, SOON))
    layer.get_by_role("button", name="Set").click()


def assert_inside(layer: Locator) -> None:
    """Assert that a layer is on the screen."""
    size = layer.page.viewport_size
    box = layer.bounding_box()
    assert size is not None
    assert box is not None
    assert box["x"] >= 0
    assert box["y"] >= 0
    assert box["x"] + box["width"] <= size["width"]
    assert box["y"] + box["height"] <= size["height"]


def test_a_draft_is_on_all_devices_until_it_is_sent(open_chat: OpenChat) -> None:
    """A text begun on a phone is in the list elsewhere, survives a reload, and is sent there."""
    with open_chat("Farah Haddad", width=390) as phone, open_chat("Farah Haddad") as desk:
        enter(phone, "Anna")
        on_phone = phone.get_by_role("textbox", name="Message")
        on_phone.press_sequentially("About the glossary")
        expect(row(desk, "Anna")).to_contain_text("Draft: About the glossary")
        phone.reload()
        expect(on_phone).to_have_value("About the glossary")

        enter(desk, "Anna")
        on_desk = desk.get_by_role("textbox", name="Message")
        expect(on_desk).to_have_value("About the glossary")
        on_desk.press("End")
        on_desk.press_sequentially(", again")
        expect(on_phone).to_have_value("About the glossary, again")
        on_desk.press("ArrowUp")
        on_desk.press("Enter")
        expect(message(phone, "About the glossary, again")).to_be_visible()
        expect(on_phone).to_have_value("")
        desk.reload()
        expect(message(desk, "About the glossary, again")).to_be_visible()
        expect(on_desk).to_have_value("")


def test_an_edit_leaves_the_draft_alone(open_chat: OpenChat) -> None:
    """While a message is edited its text is in the line; afterwards the draft is there again."""
    with open_chat("Hiro Tanaka") as hiro:
        enter(hiro, "Anna")
        box = hiro.get_by_role("textbox", name="Message")
        write(hiro, "Plan of the racks")
        expect(message(hiro, "Plan of the racks")).to_be_visible()
        box.fill("Not yet sent")
        use_tool(hiro, "Plan of the racks", "Edit")
        expect(box).to_have_value("Plan of the racks")
        box.press("Escape")
        expect(box).to_have_value("Not yet sent")
        box.fill("")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_message_is_sent_later_and_reminds(open_chat: OpenChat, scheme: str) -> None:
    """On a phone one message is cancelled and one comes at its time; a reminder leads to it."""
    text = f"Water the plants, {scheme}"
    with (
        open_chat("Grace Lindqvist", width=390, color_scheme=scheme) as grace,
        open_chat("Chiara Conti", width=390, color_scheme=scheme) as chiara,
    ):
        enter(grace, "Trail map launch")
        enter(chiara, "Trail map launch")
        box = grace.get_by_role("textbox", name="Message")
        later = grace.get_by_role("button", name="Send later")
        layer = grace.get_by_role("dialog", name="Send later")
        box.fill("Never mind")
        later.click()
        assert_inside(layer)
        layer.get_by_role("button", name="In an hour").press("Enter")
        waiting = layer.get_by_role("list", name="Messages that wait")
        expect(waiting).to_contain_text("Never mind")
        expect(box).to_have_value("")
        expect(layer).to_be_focused()
        waiting.get_by_role("button", name="Cancel the message").click()
        expect(waiting).to_have_count(0)
        expect(layer).to_contain_text("Write a text first")
        grace.keyboard.press("Escape")
        box.fill(text)
        later.click()
        layer.get_by_label("Date and time").fill("2020-01-01T10:00")
        expect(layer).to_contain_text("This time is over.")
        choose_time(layer)
        expect(waiting).to_contain_text(text)
        expect(message(chiara, text)).to_be_visible()
        expect(message(grace, text)).to_be_visible()

        message(chiara, text).focus()
        message(chiara, text).get_by_role("button", name="Remind me").press("Enter")
        reminder = chiara.get_by_role("dialog", name="Remind me")
        assert_inside(reminder)
        reminder.get_by_role("button", name="Tomorrow").click()
        expect(chiara.locator(".toast")).to_contain_text("You are reminded")
        message(chiara, text).get_by_role("button", name="Remind me").click()
        reminder.get_by_role("button", name="Remove").click()
        expect(chiara.locator(".toast")).to_contain_text("You are not reminded")
        message(chiara, text).get_by_role("button", name="Remind me").click()
        expect(reminder.get_by_role("button", name="Remove")).to_have_count(0)
        choose_time(reminder)
        chiara.get_by_role("button", name="Back to the list").click()
        notice = chiara.get_by_role("alert").filter(has_text="Reminder: Grace Lindqvist")
        expect(notice).to_contain_text(text)
        assert_inside(notice.locator(".reminder"))
        notice.get_by_role("button", name="Show").click()
        expect(notice).to_have_count(0)
        expect(chiara.locator(".message.is-flashed", has_text=text)).to_be_in_viewport()
        assert chiara.evaluate("document.documentElement.scrollWidth") <= 390


def test_few_messages_are_drawn_of_many(open_chat: OpenChat) -> None:
    """However far one pages up, only what is near the screen is in the page."""
    with open_chat("Ben Osei") as ben:
        enter(ben, "Trail map launch")
        ben.get_by_role("log", name="Messages").evaluate(SCROLL_TO_THE_TOP)

        assert ben.locator("[data-ids]").evaluate_all(COUNT_HELD) > 200
        assert ben.locator(".message").count() < 150


def test_a_bookmark_of_a_conversation_asks_who_one_is(open_page: OpenPage, demo: LiveNode) -> None:
    """A page that does not know who looks at it shows the people."""
    with open_page() as page:
        page.goto(f"{demo.address}/demo#/group_launch")
        expect(page.get_by_role("heading", name="Who do you want to be?")).to_be_visible()


@pytest.mark.clients
def test_the_files_are_what_the_sources_build(tmp_path: Path) -> None:
    """The committed files of the page are those that `make chat` makes."""
    subprocess.run(["node", "build.mjs", tmp_path], cwd=SOURCES, check=True, timeout=60)

    built = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert built == {path.name: path.read_bytes() for path in BUILT.iterdir()}, "run: make chat"


@pytest.mark.clients
def test_the_sources_have_no_wrong_types() -> None:
    """The compiler finds nothing in the sources of the page."""
    subprocess.run(["npx", "tsc", "--noEmit"], cwd=SOURCES, check=True, timeout=120)


@pytest.mark.clients
def test_a_text_that_grows_is_parsed_in_parts() -> None:
    """The parts make what the whole text is, and blocks that have ended are not parsed again."""
    subprocess.run(["node", "--test", "test/parse.test.mjs"], cwd=SOURCES, check=True, timeout=60)


SERIOUS = {"serious", "critical"}


@pytest.mark.clients
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing_serious(open_chat: OpenChat, width: int, scheme: str) -> None:
    """The start, the list, a conversation, its panels and its dialogs keep the rules of axe."""
    with open_chat("Chiara Conti", width=width, color_scheme=scheme) as page:
        found = {"list": axe(page)}
        enter(page, "Trail map launch")
        found["conversation"] = axe(page)
        message(page, "ten testers").focus()
        message(page, "ten testers").get_by_role("button", name="React").click()
        found["reaction"] = axe(page)
        page.keyboard.press("Escape")
        message(page, "ten testers").get_by_role("button", name="Remind me").click()
        found["reminder"] = axe(page)
        page.keyboard.press("Escape")
        page.get_by_role("textbox", name="Message").fill("Later")
        page.get_by_role("button", name="Send later").click()
        found["later"] = axe(page)
        page.keyboard.press("Escape")
        page.get_by_role("textbox", name="Message").fill("")
        message(page, "ten testers").focus()
        message(page, "ten testers").get_by_role("button", name="Reply in thread").click()
        page.locator(".panel .message").nth(1).wait_for()
        found["thread"] = axe(page)
        page.get_by_role("button", name="Close").click()
        page.get_by_role("button", name="Members").click()
        page.locator(".member").first.wait_for()
        found["members"] = axe(page)
        page.keyboard.press("Control+k")
        page.get_by_role("option").first.wait_for()
        found["switcher"] = axe(page)

    assert {place: faults for place, faults in found.items() if faults} == {}


def axe(page: Page) -> list[str]:
    """Return what axe finds on a page that is serious."""
    page.evaluate(AXE.read_text())
    result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{each['id']}: {json.dumps([node['target'] for node in each['nodes']][:3])}"
        for each in result["violations"]
        if each["impact"] in SERIOUS
    ]
