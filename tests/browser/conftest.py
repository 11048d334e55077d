"""A real browser: Debian's Chromium, driven by playwright, which may reach this machine only."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from tests.live import LiveNode

from hubbub.config import Settings

OPTIONS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run"
    " --disable-background-networking --disable-component-update --disable-sync"
)
ELSEWHERE = "chat.elsewhere.example"
"""A host name that the browser finds on this machine."""
OURS = ("http://127.0.0.1:", "file:///", "data:", "blob:")

PATIENCE_MS = 30_000
"""What a page must show may take so long on a busy machine; playwright awaits all else as long."""

OpenPage = Callable[..., AbstractContextManager[Page]]
"""Opens a page of a width and colour scheme; fails if it complains or calls another host."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A running browser; its loop runs meanwhile, so it ends before other tests begin."""
    chromium = shutil.which("chromium")
    if chromium is None:
        assert os.environ.get("CI") != "true", "the pages are tested in Chromium"
        pytest.skip("the pages are tested in Chromium: apt install chromium")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        options = [*OPTIONS.split(), f"--host-resolver-rules=MAP {ELSEWHERE} 127.0.0.1"]
        started = playwright.chromium.launch(executable_path=chromium, args=options)
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Browser) -> OpenPage:
    """A function that opens a page."""

    @contextmanager
    def open_(*, width: int = 1280, scheme: str = "light") -> Iterator[Page]:
        seen: list[str] = []
        page = browser.new_page(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,  # type: ignore[arg-type]  # one of two words
        )
        page.on("request", lambda request: seen.append(request.url))
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda said: (
                complaints.append(said.text) if said.type in {"error", "warning"} else None
            ),
        )
        yield page
        page.close()
        assert complaints == []
        assert seen, "nothing was loaded"
        assert [url for url in seen if not url.startswith(OURS)] == []

    return open_


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveNode]:
    """A running node with the demo app."""
    data: Path = tmp_path_factory.mktemp("browser") / "hubbub-data"
    with LiveNode(Settings(data=data), "--demo") as node:
        yield node
