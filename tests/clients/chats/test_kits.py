"""The example chats in a browser: two people write to each other, each with another kit."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import OpenPage
from tests.clients.chats.conftest import Serve
from tests.clients.chats.kits import KITS, Kit
from tests.clients.chats.people import People, Person
from tests.clients.guide import run
from tests.documents.blocks import ROOT, take

pytestmark = pytest.mark.clients

COMPILE = {take(f"examples/{name}/README.md", "## Try it", beginning="cd clients") for name in KITS}
BUILDS = {
    name: take(f"examples/{name}/README.md", "## Try it", beginning="cd examples") for name in KITS
}
PICTURE = ROOT / "examples/clients/garden.png"
UNSAFE = "<img src=x onerror=\"document.title='hurt'\"> & <b>bold</b>"


@pytest.fixture(scope="module")
def built(client: Path) -> None:
    """Build the pages as the READMEs say."""
    for commands in BUILDS.values():
        *building, _serving = commands.strip().splitlines()
        run("\n".join(building))


@pytest.fixture(params=KITS)
def kit(built: None, request: pytest.FixtureRequest) -> Kit:
    """The kit of Anna's page."""
    return KITS[request.param]


@pytest.fixture
def other_kit(kit: Kit) -> Kit:
    """The kit of Ben's page."""
    return next(each for each in KITS.values() if each != kit)


@pytest.fixture
def anna(people: People) -> Person:
    """Somebody new."""
    return people.create("Anna")


@pytest.fixture
def ben(people: People) -> Person:
    """Somebody else."""
    return people.create("Ben")


@pytest.fixture
def address(kit: Kit, serve: Serve, anna: Person) -> str:
    """The address of Anna's page."""
    return f"{serve(kit.folder)}?uid={anna.uid}"


@pytest.fixture
def page(open_page: OpenPage, address: str) -> Iterator[Page]:
    """Anna's page, before it is opened."""
    with open_page() as page:
        yield page


def test_the_commands_are_the_same() -> None:
    """Both READMEs compile the client in the same way, and serve what was built."""
    assert len(COMPILE) == 1
    assert all("serve_chat.py . --key" in commands for commands in BUILDS.values())


@pytest.mark.parametrize("name", KITS)
def test_the_lock_names_no_registry(name: str) -> None:
    """The lock has hashes and no addresses, and the versions are the exact ones."""
    folder = KITS[name].folder
    lock = (folder / "package-lock.json").read_text()
    described = json.loads((folder / "package.json").read_text())
    versions = {**described["dependencies"], **described["devDependencies"]}

    assert '"resolved": "http' not in lock
    assert versions.pop("@hubbub/client") == "file:../../clients/js"
    assert [each for each in versions.values() if not re.fullmatch(r"[\d.]+", each)] == []


def test_two_people_write_to_each_other(
    people: People,
    anna: Person,
    ben: Person,
    page: Page,
    address: str,
    kit: Kit,
    other_kit: Kit,
    serve: Serve,
) -> None:
    """Texts go both ways as they were written; who types, and what was read, is seen."""
    people.write("Good morning", by=ben, to=anna)
    page.goto(address)
    kit.open(page, "Ben")
    expect(kit.messages(page)).to_have_text(["Good morning"])

    bens = page.context.browser.new_page()  # type: ignore[union-attr]  # it has one
    bens.goto(f"{serve(other_kit.folder)}?uid={ben.uid}")
    other_kit.open(bens, "Anna")
    expect(other_kit.messages(bens)).to_have_text(["Good morning"])
    expect(other_kit.read(bens, "Good morning")).to_be_visible()

    kit.type(page, "Wha")
    expect(other_kit.typing(bens)).to_be_visible()
    kit.write(page, UNSAFE)
    expect(other_kit.messages(bens).nth(1)).to_have_text(UNSAFE)
    expect(other_kit.typing(bens)).to_have_count(0)
    other_kit.write(bens, UNSAFE)
    expect(kit.messages(page)).to_have_text(["Good morning", UNSAFE, UNSAFE])
    expect(kit.read(page, UNSAFE).first).to_be_visible()

    assert people.texts(anna, ben) == ["Good morning", UNSAFE, UNSAFE]
    assert [page.title(), bens.title()] == ["Chat", "Chat"]
    bens.close()


def test_pages_are_loaded_upwards(
    people: People, anna: Person, ben: Person, page: Page, address: str, kit: Kit
) -> None:
    """At the top the messages before are loaded, until the first one, and each is there once."""
    texts = [f"Number {number}." for number in range(120)]
    for text in texts:
        people.write(text, by=ben, to=anna)
    page.goto(address)
    kit.open(page, "Ben")
    expect(kit.messages(page)).to_have_count(50)

    for count in (100, 120):
        expect(kit.messages(page).last).to_be_in_viewport()
        kit.scroll_up(page)
        expect(kit.messages(page)).to_have_count(count)
        expect(kit.messages(page).nth(count - 1)).to_have_text("Number 119.")
        kit.messages(page).last.scroll_into_view_if_needed()

    assert [text.strip() for text in kit.messages(page).all_inner_texts()] == texts


def test_changes_of_messages_are_seen(
    people: People, anna: Person, ben: Person, page: Page, address: str, kit: Kit
) -> None:
    """Edits, deletions and reactions are seen, and those of the page reach the server."""
    theirs = people.write("Tomatoes?", by=ben, to=anna)
    page.goto(address)
    kit.open(page, "Ben")
    expect(kit.messages(page)).to_have_text(["Tomatoes?"])
    kit.write(page, "Oh yes")
    kit.write(page, "Or no")
    expect(kit.messages(page)).to_have_count(3)

    people.call("PUT", f"/messages/{theirs}", {"data": {"text": "Potatoes?"}}, by=ben)
    expect(kit.messages(page).first).to_have_text("Potatoes?")
    people.call("POST", f"/messages/{theirs}/reactions/%F0%9F%8E%89", by=ben)
    expect(kit.reaction(page, "Potatoes?").first).to_contain_text("1")
    kit.reaction(page, "Potatoes?").first.click()
    expect(kit.reaction(page, "Potatoes?").first).to_contain_text("2")
    kit.edit(page, "Oh yes", "Of course")
    expect(kit.messages(page).nth(1)).to_have_text("Of course")
    kit.delete(page, "Or no")
    expect(page.get_by_text("This message was deleted").first).to_be_visible()

    (reaction,) = people.call("GET", f"/messages/{theirs}", by=anna)["data"]["reactions"]
    assert (reaction["reaction"], reaction["count"]) == ("🎉", 2)
    assert people.texts(ben, anna)[:2] == ["Potatoes?", "Of course"]


def test_unread_messages_are_counted(
    people: People, anna: Person, ben: Person, page: Page, address: str, kit: Kit
) -> None:
    """Messages of a conversation that is not open are counted, and read when it is opened."""
    people.write("I am here", by=ben, to=anna)
    page.goto(address)
    kit.open(page, "Ben")
    expect(kit.messages(page)).to_have_text(["I am here"])
    cora = people.create("Cora")
    for text in ("One", "Two", "Three"):
        people.write(text, by=cora, to=anna)

    expect(kit.unread(page, "Cora")).to_have_text("3")
    expect(kit.unread(page, "Ben")).to_have_count(0)
    kit.open(page, "Cora")
    expect(kit.messages(page)).to_have_text(["One", "Two", "Three"])
    expect(kit.unread(page, "Cora")).to_have_count(0)
    conversation = people.call("GET", f"/users/{cora.uid}/conversation", by=anna)
    assert conversation["unreadMessageCount"] == "0"


def test_files_are_sent(
    people: People, anna: Person, ben: Person, page: Page, address: str, kit: Kit
) -> None:
    """A picture is sent as one, and shown."""
    people.write("Show me", by=ben, to=anna)
    page.goto(address)
    kit.open(page, "Ben")
    expect(kit.messages(page)).to_have_text(["Show me"])

    page.locator("input[type=file]").set_input_files(PICTURE)
    kit.send_files(page)

    expect(kit.picture(page)).to_be_visible()
    sent = people.call("GET", f"/users/{anna.uid}/messages?affix=prepend&limit=1", by=ben)[0]
    assert sent["type"] == "image"
    assert sent["data"]["attachments"][0]["name"] == "garden.png"


def test_a_refused_message_says_so(
    people: People, anna: Person, ben: Person, page: Page, address: str, kit: Kit
) -> None:
    """A message that the server refuses is marked, and can be sent again."""
    people.write("Hello", by=ben, to=anna)
    page.goto(address)
    kit.open(page, "Ben")
    expect(kit.messages(page)).to_have_text(["Hello"])
    people.call("POST", f"/users/{ben.uid}/blockedusers", {"blockedUids": [anna.uid]})

    kit.write(page, "Are you there?")
    kit.failed(page, "Are you there?").click(trial=True)
    people.call("DELETE", f"/users/{ben.uid}/blockedusers", {"blockedUids": [anna.uid]})
    kit.failed(page, "Are you there?").click()

    expect(kit.failed(page, "Are you there?")).to_have_count(0)
    assert people.texts(ben, anna) == ["Hello", "Are you there?"]
