"""The files of the pages, all served by this node: script, style and icon; and the landing page."""

from dataclasses import dataclass
from importlib.resources import files

import hubbub

_FOLDER = files(__package__)


@dataclass(frozen=True, slots=True)
class File:
    """A file of the pages."""

    name: str
    content_type: str

    def read(self) -> bytes:
        """Return the content."""
        return (_FOLDER / self.name).read_bytes()


FILES = {
    "/docs/reference.js": File("reference.js", "text/javascript; charset=utf-8"),
    "/docs/pages.css": File("pages.css", "text/css; charset=utf-8"),
    "/docs/icon.svg": File("icon.svg", "image/svg+xml"),
}
"""The files by the path under which they are served."""


def landing_page() -> bytes:
    """Return the page at `/`: the version of the server, and links."""
    page = (_FOLDER / "landing.html").read_text()
    return page.replace("{version}", hubbub.__version__).encode()
