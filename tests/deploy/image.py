"""An image of the Dockerfile, built and run in a chroot by `buildah`, without an engine.

The base image is Debian bookworm with its Python, in place of `python:3.11-slim-bookworm`.
"""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from tests.deploy.debian import trusted_certificates
from tests.deploy.release import ROOT, run

BASE = "localhost/hubbub-test-base"
IMAGE = "localhost/hubbub-test"


@dataclass(frozen=True, slots=True)
class Images:
    """Images in a store of their own, in a folder."""

    folder: Path

    @classmethod
    @contextmanager
    def build(cls, debian: Path) -> "Iterator[Images]":
        """Build an image of this checkout on a system; delete it at the end of the block."""
        # Not in pytest's folders: sockets and mounts in it need a short path.
        images = cls(Path(tempfile.mkdtemp(prefix="hubbub-image-")))
        try:
            images.make_base(debian)
            images.make_image()
            yield images
        finally:
            images.buildah("rm", "--all")
            images.buildah("rmi", "--all", "--force")
            shutil.rmtree(images.folder, ignore_errors=True)

    def buildah(self, *arguments: str | Path) -> str:
        """Run `buildah` on the images; return its output."""
        return run(*self.command(*arguments)).strip()

    def command(self, *arguments: str | Path) -> tuple[str | Path, ...]:
        """Return a command of `buildah` on these images."""
        places = ("--root", self.folder / "images", "--runroot", self.folder / "run")
        return ("buildah", "--log-level=error", *places, *arguments)

    def make_base(self, debian: Path) -> None:
        """Make the base image."""
        container = self.buildah("from", "scratch")
        self.buildah("copy", "--quiet", container, debian, "/")
        self.buildah("commit", "--quiet", container, BASE)

    def make_image(self) -> None:
        """Build the Dockerfile; pip trusts the certificates that this machine trusts."""
        settings = self.folder / "pip.conf"
        settings.write_text("[global]\ncert = /mnt/trusted.pem\n")
        self.buildah(
            *("build", "--isolation", "chroot", "--network", "host", "--format", "docker"),
            *("--volume", f"{settings}:/etc/pip.conf:ro"),
            *("--volume", f"{trusted_certificates()}:/mnt/trusted.pem:ro"),
            *("--build-arg", f"PYTHON_IMAGE={BASE}", "--tag", IMAGE, ROOT),
        )

    def config(self) -> dict[str, Any]:
        """Return what the image says about how to run it."""
        described = json.loads(self.buildah("inspect", "--type", "image", IMAGE))
        found: dict[str, Any] = described["Docker"]["config"]
        return found

    def container(self) -> "Container":
        """Return a new container of the image."""
        return Container(self, self.buildah("from", IMAGE))


@dataclass(frozen=True, slots=True)
class Container:
    """A container: the files of the image; its programs run in a chroot, as the image's user."""

    images: Images
    name: str

    def command(self, settings: Mapping[str, str], *arguments: str) -> tuple[str | Path, ...]:
        """Return the command that runs a program without capabilities."""
        given = [part for pair in settings.items() for part in ("--env", "=".join(pair))]
        how = ("--isolation", "chroot", "--network", "host", "--cap-drop", "all", *given)
        return self.images.command("run", *how, self.name, "--", *arguments)

    def run(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """Run a program to its end."""
        return subprocess.run(
            self.command(settings, *arguments),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


def find_python(process: subprocess.Popen[bytes]) -> psutil.Process:
    """Return the process of Python below another."""
    below = psutil.Process(process.pid).children(recursive=True)
    (found,) = (each for each in below if "/python" in "".join(each.cmdline()[:1]))
    return found
