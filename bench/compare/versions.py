"""Versions of the code as the sides of a comparison."""

import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from tests.live import LiveNode

from bench.compare.rounds import Opened
from bench.load.client import Client, create_app
from bench.load.scene import Scene
from bench.stores import Stores, Variant

ROOT = Path(__file__).parents[2]
HERE = "this checkout"


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the code: the folder that its package is imported from."""

    name: str
    source: Path
    may_lack: bool

    @contextmanager
    def open(self, stores: Stores, variant: Variant) -> Iterator[Opened]:
        """Yield nodes on an empty store."""
        store = stores.create(variant.engine)
        try:
            with stores.nodes(variant, store, PYTHONPATH=str(self.source)) as nodes:
                yield nodes, open_scene(nodes[0])
        finally:
            stores.remove(store)


def open_scene(node: LiveNode) -> Scene:
    """Create an app, and return a scene in it."""
    app_id, key = create_app(node)
    return Scene(Client(node.port, {"apikey": key}), app_id, key)


def this_checkout() -> Version:
    """Return the version at hand."""
    return Version(HERE, ROOT / "src", may_lack=False)


def extract(commit: str, folder: Path) -> Version:
    """Put the package of a commit into a folder of its own."""
    command = ["git", "archive", "--format=tar", commit, "src"]
    archive = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    target = folder / f"version-{commit}"
    with tarfile.open(fileobj=BytesIO(archive)) as packed:
        packed.extractall(target, filter="data")
    return Version(commit, target / "src", may_lack=True)
