"""What the tests of the package need: its tools, its build, its tarball, and a node to talk to."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.clients.js.package import PACKAGE, make, run
from tests.clients.needs import need
from tests.live import LiveNode

from hubbub.config import Settings


@pytest.fixture(scope="session")
def packages() -> None:
    """Install the tools. Without Node.js tests are skipped; in CI they fail."""
    need("make", "node", "npm")
    make("clients/node_modules/.package-lock.json")


@pytest.fixture(scope="session")
def built(packages: None) -> Path:
    """Compile the package; return the folder with what is published."""
    run("npm", "run", "build")
    return PACKAGE / "dist"


@pytest.fixture(scope="session")
def tarball(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pack the package as `npm publish` does."""
    folder = tmp_path_factory.mktemp("packed")
    name = run("npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", str(folder))
    return folder / name.strip()


@pytest.fixture(scope="session")
def chat(packages: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveNode]:
    """A node as `make demo` starts it, which may call receivers on this machine."""
    settings = Settings(data=tmp_path_factory.mktemp("chat") / "data")
    with LiveNode(settings, "--demo", HUBBUB_OUTBOUND_ALLOW="127.0.0.1/32") as node:
        yield node


@pytest.fixture(scope="session")
def project(tarball: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty project in which the package was installed, and nothing else."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    run("npm", "install", "--no-audit", "--no-fund", "--offline", str(tarball), folder=folder)
    return folder
