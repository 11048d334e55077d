"""The files that the pages load, all from this server: a stylesheet, a script, an icon."""

from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files


@dataclass(frozen=True)
class Asset:
    """A file of this folder and its content type."""

    name: str
    content_type: str

    @cached_property
    def content(self) -> bytes:
        return (files(__package__) / self.name).read_bytes()


STYLESHEET = "/docs/reference.css"
SCRIPT = "/docs/reference.js"
ICON = "/docs/icon.svg"

ASSETS = {
    STYLESHEET: Asset("reference.css", "text/css; charset=utf-8"),
    SCRIPT: Asset("reference.js", "text/javascript; charset=utf-8"),
    ICON: Asset("icon.svg", "image/svg+xml"),
}
"""The assets by the path under which they are served."""
