"""The README of the client: its programs run in a project that has the package, as it says."""

import re
from pathlib import Path

import pytest
from tests.clients.js.package import CLIENTS, run
from tests.documents.blocks import take
from tests.documents.shell import run as run_lines
from tests.documents.shell import serving
from tests.live import LiveNode
from tests.postgres import free_port
from tests.soon import until
from tests.world import Caller

pytestmark = pytest.mark.clients

README = "clients/js/README.md"
TOKENS = "## Your server gives tokens"
PERSON = "## A person's client"
STORE = "## A chat with a store"
CALLS = "## What else your server can call"
HOOKS = "## Webhooks"
INSTALL = take(README, "## Install")
SERVER = take(README, TOKENS, "js")
START, ASK = take(README, TOKENS, "sh", "CHAT_KEY"), take(README, TOKENS, "sh", "curl")
CLIENT, RUN_CLIENT = take(README, PERSON, "js"), take(README, PERSON)
CHAT, RUN_CHAT = take(README, STORE, "js"), take(README, STORE)
PROGRAM = take(README, CALLS, "js")
RECEIVER = take(README, HOOKS, "js", "import { createServer }")
REGISTER = take(README, HOOKS, "js", "import { Server }")
REGISTER_AND_START = take(README, HOOKS)


WS = (CLIENTS / "node_modules/ws/wrapper.mjs").as_uri()
WITH_WEBSOCKET = f'import WebSocket from "{WS}"; globalThis.WebSocket ??= WebSocket;'
"""What Node.js 20 lacks, which the text tells how to give it."""


class Reader:
    """Somebody who does what the README says, with other ports than it has."""

    def __init__(self, folder: Path, node: LiveNode) -> None:
        self.folder = folder
        self.node = node
        self.ports = {"8080": node.port, "3000": free_port(), "9000": free_port()}

    def placed(self, text: str) -> str:
        """Return a text with the ports and the folder of the node of this test."""
        text = text.replace("hubbub-data", str(self.node.data))
        return re.sub(r"\b(8080|3000|9000)\b", lambda found: f"{self.ports[found[1]]}", text)

    def write(self, name: str, program: str) -> None:
        """Write a program into the project."""
        (self.folder / name).write_text(self.placed(program))

    def run(self, lines: str) -> str:
        """Return what lines print."""
        return run_lines(self.placed(lines), self.folder)

    @property
    def printed(self) -> str:
        """Return what the program that was started has printed."""
        return (self.folder / "printed").read_text()


@pytest.fixture
def reader(project: Path, chat: LiveNode) -> Reader:
    """Somebody who has a project with the package, and a node."""
    return Reader(project, chat)


def test_it_is_installed_as_the_readme_says(tarball: Path, tmp_path: Path) -> None:
    """The line for the installation works; here it takes the packed file."""
    line = INSTALL.replace("@hubbub/client", f"--offline {tarball}")
    assert line != INSTALL

    run("bash", "-eu", "-c", line, folder=tmp_path)

    assert (tmp_path / "node_modules/@hubbub/client/README.md").exists()


def test_the_server_gives_tokens(reader: Reader) -> None:
    """The program answers with a token of the user who has signed in."""
    reader.write("server.mjs", SERVER)

    with serving(reader.placed(START), reader.folder, begun="Tokens are at"):
        assert reader.run(ASK).startswith("anna_")
        nobody = reader.placed("curl -o /dev/null -w '%{http_code}' http://127.0.0.1:3000/?user=x")
        assert reader.run(nobody) == "404"


async def test_a_person_sends_and_is_sent_messages(reader: Reader) -> None:
    """The person's client prints what it has sent, and what it is sent."""
    reader.write("server.mjs", SERVER)
    person = Reader(reader.folder / "person", reader.node)
    person.folder.mkdir()
    person.ports = reader.ports
    person.write("person.mjs", CLIENT)
    person.write("websocket.mjs", WITH_WEBSOCKET)
    settings = {"NODE_OPTIONS": f"--import={(person.folder / 'websocket.mjs').as_uri()}"}

    with (
        serving(reader.placed(START), reader.folder, begun="Tokens are at"),
        serving(RUN_CLIENT, person.folder, settings, begun="anna: Hello, Ben!"),
    ):
        await send_text(reader.node, "Hello, Anna!", sender="ben", receiver="anna")
        await until(lambda: "ben: Hello, Anna!" in person.printed)


async def test_a_chat_shows_what_the_store_has(reader: Reader) -> None:
    """The chat prints its message when it waits and when it is stored, and what it is sent."""
    reader.write("server.mjs", SERVER)
    person = Reader(reader.folder / "chat", reader.node)
    person.folder.mkdir()
    person.ports = reader.ports
    person.write("chat.mjs", CHAT)
    person.write("websocket.mjs", WITH_WEBSOCKET)
    settings = {"NODE_OPTIONS": f"--import={(person.folder / 'websocket.mjs').as_uri()}"}

    with (
        serving(reader.placed(START), reader.folder, begun="Tokens are at"),
        serving(RUN_CHAT, person.folder, settings, begun="Hello from the store stored"),
    ):
        assert "Hello from the store sending" in person.printed
        await send_text(reader.node, "A new one", sender="ben", receiver="anna")
        await until(lambda: "ben A new one stored" in person.printed)


def test_the_server_calls_operations(reader: Reader) -> None:
    """The program creates, sends, uploads and lists, and is told why a call failed."""
    reader.write("server.mjs", SERVER)
    reader.write("calls.mjs", PROGRAM)

    printed = reader.run("CHAT_KEY=$(cat hubbub-data/demo-key.txt) node calls.mjs")

    *names, refused = printed.splitlines()
    assert "Olga Winter" in names
    assert refused.startswith("404 ERR_UID_NOT_FOUND ")


async def test_the_receiver_verifies_webhooks(reader: Reader) -> None:
    """The receiver that was registered prints what was sent, and refuses what nobody has signed."""
    reader.write("webhooks.mjs", RECEIVER)
    reader.write("register.mjs", REGISTER)

    begun = "Waiting for webhooks"
    with serving(reader.placed(REGISTER_AND_START), reader.folder, begun=begun):
        await send_text(reader.node, "Hello from Anna")
        await until(lambda: "Sent: Hello from Anna" in reader.printed)
        forged = reader.placed("curl -o /dev/null -w '%{http_code}' http://127.0.0.1:9000 -d '{}'")
        assert reader.run(forged) == "401"


async def send_text(
    node: LiveNode, text: str, *, sender: str = "anna", receiver: str = "ben"
) -> None:
    """Send a text from one user to another."""
    key = (node.data / "demo-key.txt").read_text().strip()
    body = {"receiver": receiver, "receiverType": "user", "data": {"text": text}}
    await Caller(node, {"apikey": key}).post("/messages", body, as_=sender)
