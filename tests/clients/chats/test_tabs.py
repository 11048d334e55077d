"""Tabs of a browser share one socket, and hand it over; what waits survives them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser as Chromium
from tests.clients.chats.conftest import Serve
from tests.clients.chats.lab import Browser, Tab
from tests.clients.chats.people import People, Person

pytestmark = pytest.mark.clients

NEVER_OPENS = "indexedDB.open = () => { throw new Error('no storage here'); };"
FAILS_TO_OPEN = """
indexedDB.open = () => {
  const request = {error: new DOMException("no storage here", "InvalidStateError")};
  setTimeout(() => request.onerror());
  return request;
};
"""
NEVER_ANSWERS = "indexedDB.open = () => ({});"
BREAKS = """
window.isFull = false;
const put = IDBObjectStore.prototype.put;
IDBObjectStore.prototype.put = function (...given) {
  if (window.isFull) throw new DOMException("no storage here", "QuotaExceededError");
  return put.apply(this, given);
};
"""

STORED = "indexedDB.databases().then(({length}) => length)"
"""An expression: how many databases the browser has of the page."""

NewBrowser = Callable[..., Browser]


@pytest.fixture
def anna(people: People) -> Person:
    """Somebody with several tabs."""
    return people.create("Anna")


@pytest.fixture
def ben(people: People) -> Person:
    """Somebody whom she writes to."""
    return people.create("Ben")


@pytest.fixture
def new_browser(
    browser: Chromium, lab: Path, serve: Serve, people: People, anna: Person
) -> Iterator[NewBrowser]:
    """A function that starts Anna's browser, with a script that its pages begin with."""
    contexts = []

    def start(script: str = "") -> Browser:
        context = browser.new_context()
        context.set_default_timeout(60_000)
        context.grant_permissions(["local-network-access"])  # its pages come from no network
        contexts.append(context)
        if script:
            context.add_init_script(script)
        address = serve(lab)
        started = Browser(context, address, people, anna)
        started.serve_from(lab, address)
        return started

    yield start
    for context in contexts:
        context.close()


def three_tabs(browser: Browser, ben: Person) -> tuple[Tab, Tab, Tab]:
    """Return three tabs; the first one holds the socket."""
    first, second, third = (browser.open_tab({"uid": ben.uid}) for _ in range(3))
    for tab in (first, second, third):
        tab.wait_until_connected()
    assert browser.leaders == [first]
    return first, second, third


def test_tabs_share_one_socket(
    new_browser: NewBrowser, people: People, anna: Person, ben: Person
) -> None:
    """Three tabs have one socket; what is sent in any is sent once, and shown in all."""
    browser = new_browser()
    tabs = three_tabs(browser, ben)

    for number, tab in enumerate(tabs):
        tab.send(f"From tab {number}")
        tab.wait_for_stored(*(f"From tab {before}" for before in range(number + 1)))
    people.write("Hello", by=ben, to=anna)

    for tab in tabs:
        tab.wait_for_stored("From tab 0", "From tab 1", "From tab 2", "Hello")
        assert tab.status["storage"] == "indexeddb"
    assert browser.sockets == 1
    assert people.texts(ben, anna) == ["From tab 0", "From tab 1", "From tab 2", "Hello"]
    assert [tab.complaints for tab in tabs] == [[], [], []]


def test_the_socket_is_handed_over(
    new_browser: NewBrowser, people: People, anna: Person, ben: Person
) -> None:
    """When the tab with the socket is closed, another one goes on, and nothing is lost."""
    browser = new_browser()
    first, second, third = three_tabs(browser, ben)

    second.send("Just before")
    first.page.close()
    third.send("Just after")
    people.write("Meanwhile", by=ben, to=anna)
    for tab in (second, third):
        tab.wait_for_count(3)
        tab.wait_until_connected()

    (leader,) = browser.leaders
    follower = third if leader is second else second
    assert leader is not first
    assert browser.sockets == 2
    texts = people.texts(ben, anna)
    assert sorted(texts) == ["Just after", "Just before", "Meanwhile"]
    leader.page.close()
    follower.wait_until_connected()
    follower.send("Alone")
    follower.wait_for_stored(*texts, "Alone")
    assert browser.sockets == 3


def test_a_tab_that_opens_meanwhile_has_everything(
    new_browser: NewBrowser, people: People, anna: Person, ben: Person
) -> None:
    """A tab that is opened while the socket is handed over shows what the others do."""
    browser = new_browser()
    people.write("Before", by=ben, to=anna)
    first, second, third = three_tabs(browser, ben)
    dora = people.create("Dora")
    people.write("From Dora", by=dora, to=anna)

    first.page.evaluate("void lab.chat.close()")
    third.page.evaluate(f"void lab.watch({{uid: '{dora.uid}'}})")
    second.wait_until_connected()

    third.wait_for(f"lab.texts({{uid: '{dora.uid}'}}).join() === 'From Dora'")
    third.wait_for_stored("Before")


def test_reloads_keep_rows_and_queue(
    new_browser: NewBrowser, people: People, anna: Person, ben: Person
) -> None:
    """Messages that a follower queues offline survive all reloads, and are sent once."""
    browser = new_browser()
    people.write("Before", by=ben, to=anna)
    tabs = three_tabs(browser, ben)
    for tab in tabs:
        tab.wait_for_stored("Before")

    browser.context.set_offline(offline=True)
    tabs[0].wait_for("lab.status().connection.name !== 'connected'")
    tabs[1].send("One")
    tabs[1].send("Two")
    for tab in tabs:
        tab.wait_for_waiting("One", "Two")
    for tab in (tabs[1], *tabs):
        tab.reload()
    for tab in tabs:
        tab.wait_for_waiting("One", "Two")
        assert tab.page.evaluate(f"lab.texts({{uid: '{ben.uid}'}})") == ["Before", "One", "Two"]
        assert tab.status["queued"] == 2
    assert people.texts(ben, anna) == ["Before"]
    browser.context.set_offline(offline=False)

    for tab in tabs:
        tab.wait_for_stored("Before", "One", "Two")
    assert people.texts(ben, anna) == ["Before", "One", "Two"]
    assert tabs[0].status["queued"] == 0


def test_every_tab_hears_of_events(
    new_browser: NewBrowser, people: People, anna: Person, ben: Person
) -> None:
    """A tab without the socket is told of the same events, after its rows have changed."""
    browser = new_browser()
    people.write("Before", by=ben, to=anna)
    tabs = three_tabs(browser, ben)
    for tab in tabs:
        tab.wait_for_stored("Before")
        tab.page.evaluate(f"lab.hear({{uid: '{ben.uid}'}})")

    people.write("One", by=ben, to=anna)
    for tab in tabs:
        tab.wait_for("lab.heard.length === 1")
    tabs[0].page.close()
    for tab in tabs[1:]:
        tab.wait_until_connected()
    people.write("Two", by=ben, to=anna)

    for tab in tabs[1:]:
        tab.wait_for("lab.heard.length > 1")
        assert tab.page.evaluate("lab.heard") == [
            {"named": "One", "of_all": "One", "was_shown": True},
            {"named": "Two", "of_all": "Two", "was_shown": True},
        ]


@pytest.mark.parametrize("tab_number", [0, 2])
def test_what_is_stored_is_erased(
    new_browser: NewBrowser, people: People, anna: Person, ben: Person, tab_number: int
) -> None:
    """Erased in any tab, all of them end and show nothing; what is read next is read anew."""
    browser = new_browser()
    people.write("Before", by=ben, to=anna)
    tabs = three_tabs(browser, ben)
    for tab in tabs:
        tab.wait_for_stored("Before")
    assert tabs[0].page.evaluate(STORED) == 1

    browser.context.set_offline(offline=True)
    tabs[1].send("Never sent")
    for tab in tabs:
        tab.wait_for_waiting("Never sent")
    tabs[tab_number].page.evaluate("lab.chat.erase()")
    browser.context.set_offline(offline=False)

    for tab in tabs:
        tab.wait_for("lab.status().connection.name === 'ended'")
        assert tab.page.evaluate("[lab.chat.conversations().get(), lab.status().queued]") == [[], 0]
        assert tab.page.evaluate(f"lab.texts({{uid: '{ben.uid}'}})") == []
        assert tab.page.evaluate(STORED) == 0
        assert tab.complaints == []
    tabs[1].reload()
    tabs[1].wait_for_stored("Before")
    assert people.texts(ben, anna) == ["Before"]


def test_a_storage_that_does_not_open_is_not_erased(new_browser: NewBrowser, ben: Person) -> None:
    """Whoever erases is told, as something may still be stored; the chat has ended nevertheless."""
    browser = new_browser(FAILS_TO_OPEN)
    tab = browser.open_tab({"uid": ben.uid})

    said = tab.page.evaluate("lab.chat.erase().catch(({message}) => message)")

    assert "no storage here" in said
    assert tab.status["connection"]["name"] == "ended"


@pytest.mark.parametrize("script", [NEVER_OPENS, FAILS_TO_OPEN, NEVER_ANSWERS])
def test_a_browser_without_storage(
    new_browser: NewBrowser, people: People, anna: Person, ben: Person, script: str
) -> None:
    """Where IndexedDB can't be opened, rows are in memory; tabs say so, and share a socket."""
    browser = new_browser(script)
    first, second = (browser.open_tab({"uid": ben.uid}) for _ in range(2))
    first.send("One")
    second.send("Two")

    for tab in (first, second):
        tab.wait_for_count(2)
        assert tab.status["storage"] == "memory"
        assert tab.status["storageError"]
    assert sorted(people.texts(ben, anna)) == ["One", "Two"]
    assert browser.sockets == 1


def test_a_storage_that_fails(
    new_browser: NewBrowser, people: People, anna: Person, ben: Person
) -> None:
    """A write that fails ends no sending; a reload then loses and doubles nothing."""
    browser = new_browser(BREAKS)
    first, second = (browser.open_tab({"uid": ben.uid}) for _ in range(2))
    first.send("One")
    first.wait_for_stored("One")
    assert first.status["storage"] == "indexeddb"

    first.page.evaluate("isFull = true")
    second.send("Two")
    first.send("Three")
    for tab in (first, second):
        tab.wait_for("lab.status().storage === 'memory'")
        tab.wait_for_count(3)
        assert "no storage here" in tab.status["storageError"]
    texts = people.texts(ben, anna)
    assert sorted(texts) == ["One", "Three", "Two"]
    for tab in (first, second):
        tab.reload()

    for tab in (first, second):
        tab.wait_for_stored(*texts)
    assert people.texts(ben, anna) == texts
