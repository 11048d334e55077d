"""The server entry of the client, tried by programs of Node.js."""

import json
from pathlib import Path

import pytest
from tests.clients.js.package import run_tests
from tests.clients.js.webhook_calls import calls
from tests.live import LiveNode

pytestmark = pytest.mark.clients


def test_a_server_calls_a_node(built: Path, chat: LiveNode) -> None:
    """Operations, lists, files, errors and keys work against a node."""
    key = (chat.data / "demo-key.txt").read_text().strip()

    run_tests("test/server.test.mjs", CHAT_URL=f"{chat.address}/v3", CHAT_KEY=key)


def test_calls_are_tried_again_where_that_is_safe(built: Path) -> None:
    """Requests are what they should be; failures are tried again, or told."""
    run_tests("test/server_calls.test.mjs")


def test_webhooks_are_verified(built: Path, tmp_path: Path) -> None:
    """Calls that Hubbub has signed are accepted, in all forms, and no others."""
    path = tmp_path / "calls.json"
    path.write_text(json.dumps(calls()))

    run_tests("test/webhooks.test.mjs", WEBHOOK_CALLS=str(path))
