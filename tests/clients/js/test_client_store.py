"""The store of the client: it shows what a fresh client would read, whatever has happened."""

from pathlib import Path

import pytest
from tests.clients.js.package import run_tests
from tests.live import LiveNode

HISTORIES = 40
MANY_HISTORIES = 1_000


@pytest.mark.clients
def test_the_store_is_right_after_any_history(built: Path, chat: LiveNode) -> None:
    """After events, cuts, reloads, crashes and lost cursors it equals a fresh reading."""
    _run_histories(chat, HISTORIES)


@pytest.mark.clients
def test_a_store_that_fails_does_not_end_sending(built: Path) -> None:
    """A database that fails, or never opens, is left; the chat goes on in memory and says so."""
    run_tests("test/disk.test.mjs")


@pytest.mark.clients
def test_the_store_shows_what_is_imported(built: Path, chat: LiveNode) -> None:
    """An import tells of no message; the store loads its lists anew, and shows what came."""
    key = (chat.data / "demo-key.txt").read_text().strip()
    run_tests("test/imported.test.mjs", CHAT_URL=f"{chat.address}/v3", CHAT_KEY=key)


@pytest.mark.clients
def test_what_was_read_and_what_events_tell_agree(built: Path, chat: LiveNode) -> None:
    """A receipt that comes while a page is read stays; an event that is told again adds nothing."""
    key = (chat.data / "demo-key.txt").read_text().strip()
    run_tests("test/readings.test.mjs", CHAT_URL=f"{chat.address}/v3", CHAT_KEY=key)


@pytest.mark.clients
def test_a_draft_is_the_same_on_all_devices(built: Path, chat: LiveNode) -> None:
    """It is told once the person pauses, over cuts and reloads, and goes with the sent text."""
    key = (chat.data / "demo-key.txt").read_text().strip()
    run_tests("test/drafts.test.mjs", CHAT_URL=f"{chat.address}/v3", CHAT_KEY=key)


@pytest.mark.campaign
def test_the_store_is_right_after_many_histories(built: Path, chat: LiveNode) -> None:
    """The same for a thousand histories."""
    _run_histories(chat, MANY_HISTORIES)


def _run_histories(node: LiveNode, count: int) -> None:
    key = (node.data / "demo-key.txt").read_text().strip()
    url = f"{node.address}/v3"
    run_tests("test/store.test.mjs", CHAT_URL=url, CHAT_KEY=key, CHAT_HISTORIES=str(count))
