"""A plain client of a node's REST interface, to prepare what is measured, on any version."""

import http.client
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from tests.live import LiveNode

from bench.load.requests import HOST

ROWS = 50
"""The rows in a request of an import."""
IDLE_SECONDS = 10.0
"""A connection that was idle for longer may have been closed by the node."""


class Refused(Exception):
    """The node answered with an error, such as a version that lacks the operation."""


class Client:
    """Calls on one keep-alive connection."""

    def __init__(self, port: int, headers: Mapping[str, str]) -> None:
        self._connection = http.client.HTTPConnection(HOST, port)
        self._headers = {"Content-Type": "application/json", **headers}
        self._used_at = time.monotonic()

    def call(self, method: str, path: str, body: object = None, *, as_: str | None = None) -> Any:
        """Return the whole answer to a call; `as_` is the acting user.

        Raises:
            Refused: it is an error.
        """
        headers = {**self._headers, **({"onBehalfOf": as_} if as_ else {})}
        content = None if body is None else msgspec.json.encode(body)
        if time.monotonic() - self._used_at > IDLE_SECONDS:
            self._connection.close()  # the next request opens it again
        self._connection.request(method, path, content, headers)
        answer = self._connection.getresponse()
        content = answer.read()
        self._used_at = time.monotonic()
        if answer.status != http.client.OK:
            raise Refused(f"{method} {path}: {answer.status} {content[:200].decode()}")
        return msgspec.json.decode(content)

    def post(self, path: str, body: object = None, *, as_: str | None = None) -> Any:
        """Return the `data` of the answer to a POST."""
        return self.call("POST", f"/v3{path}", body, as_=as_)["data"]

    def import_rows(self, kind: str, rows: Mapping[str, object]) -> None:
        """Import rows by key, in order, except those that exist.

        Raises:
            Refused: one of them is refused.
        """
        keys = list(rows)
        for first in range(0, len(keys), ROWS):
            some = {key: rows[key] for key in keys[first : first + ROWS]}
            outcomes = self.post(f"/data_import/{kind}?onConflict=skip", {kind: some})
            for key in some:
                if not outcomes[key]["success"]:
                    raise Refused(f"{kind} {key}: {outcomes[key]}")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def create_app(node: LiveNode) -> tuple[str, str]:
    """Create an app; return its id and its API key."""
    manager = Client(node.port, node.management)
    app = manager.post("/apps", {"name": "Measured"})
    manager.close()
    keys: Sequence[Mapping[str, str]] = list(app["apiKeys"].values())
    return app["id"], next(key["apiKey"] for key in keys if key["scope"] == "fullAccess")
