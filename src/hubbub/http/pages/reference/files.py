"""The files of the pages, all served by this node: markup, style, icon, and the viewer's script.

The viewer is Scalar's API reference, packed in `viewer/` by `make viewer`. Its path contains its
version, so browsers may keep it for good.
"""

import json
from dataclasses import dataclass
from importlib.resources import files

import hubbub

HTML = "text/html; charset=utf-8"
JAVASCRIPT = "text/javascript; charset=utf-8"
_FOLDER = files(__package__)
VIEWER_VERSION = json.loads((_FOLDER / "viewer/viewer.json").read_text())["version"]
VIEWER = f"/docs/viewer-{VIEWER_VERSION}.js"


@dataclass(frozen=True, slots=True)
class File:
    """A file of the pages; `is_viewer`: it is compressed, and never changes under its path."""

    name: str
    content_type: str
    is_viewer: bool = False

    def read(self) -> bytes:
        """Return the content, with the viewer's path filled in."""
        content = (_FOLDER / self.name).read_bytes()
        if self.content_type == HTML:
            return content.replace(b"{viewer}", VIEWER.encode())
        return content


FILES = {
    "/docs": File("reference.html", HTML),
    "/docs/reference.js": File("reference.js", JAVASCRIPT),
    "/docs/pages.css": File("pages.css", "text/css; charset=utf-8"),
    "/docs/icon.svg": File("icon.svg", "image/svg+xml"),
    VIEWER: File("viewer/viewer.js.gz", JAVASCRIPT, is_viewer=True),
}
"""The files by the path under which they are served."""


def landing_page() -> bytes:
    """Return the page at `/`: the version of the server, and links."""
    page = (_FOLDER / "landing.html").read_text()
    return page.replace("{version}", hubbub.__version__).encode()
