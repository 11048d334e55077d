"""What the clients need: Node.js, Java, the generators, and a node with the demo app."""

from collections.abc import Iterator

import pytest
from tests.clients.guide import BEFORE, blocks_of, run
from tests.clients.needs import need
from tests.live import LiveNode

from hubbub.config import Settings


@pytest.fixture(scope="session")
def tools() -> None:
    """Install the generators. Without Node.js and Java tests are skipped; in CI they fail."""
    need("java", "node", "npm")
    _, install = blocks_of(BEFORE)
    run(install)
    run("cd examples/clients/openapi-typescript; npm ci --no-audit --no-fund")


@pytest.fixture(scope="session")
def demo(tools: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveNode]:
    """A node as `make demo` starts it."""
    with LiveNode(Settings(data=tmp_path_factory.mktemp("demo") / "data"), "--demo") as node:
        yield node
