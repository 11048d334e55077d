"""What the tests of chats in a browser need: the compiled client, a node, people, pages."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import pytest
from tests.browser.conftest import browser, open_page
from tests.clients.chats.lab import build
from tests.clients.chats.people import People
from tests.clients.guide import run
from tests.clients.needs import need
from tests.documents.blocks import ROOT
from tests.live import LiveNode

from hubbub.config import Settings

__all__ = ["browser", "open_page"]

CLIENTS = ROOT / "clients"
Serve = Callable[[Path], str]
"""Serves a folder with a page; returns its address, to which `?uid=…` is added."""


@pytest.fixture(scope="session")
def client() -> Path:
    """Compile the client; return its folder. Without Node.js tests are skipped; in CI they fail."""
    need("node", "npm")
    if not (CLIENTS / "node_modules/.package-lock.json").exists():
        run("cd clients; npm ci --no-audit --no-fund")
    run("cd clients/js; npx tsc --project tsconfig.build.json")
    return CLIENTS / "js"


@pytest.fixture(scope="session")
def chat_node(client: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveNode]:
    """A node whose sockets take pages of this machine, as `make demo` starts it."""
    with LiveNode(Settings(data=tmp_path_factory.mktemp("chats") / "data"), "--demo") as node:
        yield node


@pytest.fixture
def people(chat_node: LiveNode) -> People:
    """New people who talk on that node."""
    return People(chat_node.address, (chat_node.data / "demo-key.txt").read_text().strip())


@contextmanager
def serving(folder: Path, url: str, key: str) -> Iterator[str]:
    """Serve a folder with a page by the server of the examples; yield its address."""
    program = str(ROOT / "examples/serve_chat.py")
    command = [sys.executable, program, str(folder), "--key", key, "--url", url, "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield server.stdout.readline().removeprefix("Open ").partition("?")[0]
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


@pytest.fixture
def serve(people: People) -> Iterator[Serve]:
    """A function that serves pages until the test ends."""
    with ExitStack() as stack:

        def serve_(folder: Path) -> str:
            served: AbstractContextManager[str] = serving(folder, people.url, people.key)
            return stack.enter_context(served)

        yield serve_


@pytest.fixture(scope="session")
def lab(client: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with a page that has the store and no look."""
    folder = tmp_path_factory.mktemp("lab")
    build(folder)
    return folder
