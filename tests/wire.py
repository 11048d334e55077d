"""Requests and answers, independent of what transports them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol
from urllib.parse import quote, unquote

import falcon.asgi

Headers = Mapping[str, str]
LOOPBACK = "127.0.0.1"
IN_TARGET = "%/?&=[],:;+@!*'()~$-._"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request; header names are sent as written."""

    method: str
    target: str
    headers: Headers = field(default_factory=dict)
    body: bytes = b""
    client: str = LOOPBACK
    scheme: str = "http"

    def __str__(self) -> str:
        return f"{self.method} {self.target} {self.body[:500].decode('utf-8', 'replace')}".strip()


@dataclass(frozen=True)
class Answer:
    """An answer; its header names are in lower case."""

    status: int
    headers: Headers
    body: bytes

    @cached_property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def data(self) -> Any:
        return self.json["data"]

    @property
    def meta(self) -> Any:
        return self.json["meta"]

    @property
    def error(self) -> Any:
        return self.json["error"]

    def __str__(self) -> str:
        return f"{self.status} {self.body[:2000].decode('utf-8', 'replace')}"


class Sender(Protocol):
    """An object that sends requests to a server and returns the answers."""

    async def send(self, asked: Asked) -> Answer:
        """Send a request."""
        ...


class InProcess:
    """A sender that calls an ASGI application directly."""

    def __init__(self, app: "falcon.asgi.App[Any, Any]") -> None:
        self._app: Any = app

    async def send(self, asked: Asked) -> Answer:
        """Send a request."""
        sent: list[dict[str, Any]] = []
        incoming = [{"type": "http.request", "body": asked.body, "more_body": False}]

        async def receive() -> dict[str, Any]:
            return incoming.pop() if incoming else {"type": "http.disconnect"}

        async def send(event: dict[str, Any]) -> None:
            sent.append(event)

        await self._app(scope_of(asked), receive, send)
        start = next(event for event in sent if event["type"] == "http.response.start")
        body = b"".join(event.get("body", b"") for event in sent)
        return Answer(start["status"], headers_of(start["headers"]), body)


def scope_of(asked: Asked) -> dict[str, Any]:
    """Return the ASGI scope of a request, as a server would make it."""
    target = quote(asked.target, safe=IN_TARGET)
    raw_path, _, query = target.partition("?")
    given = {"host": "localhost", **{name.lower(): text for name, text in asked.headers.items()}}
    if asked.body:
        given.setdefault("content-type", "application/json")
        given.setdefault("content-length", str(len(asked.body)))
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": asked.method,
        "scheme": asked.scheme,
        "path": unquote(raw_path),
        "raw_path": raw_path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.encode(), text.encode("latin-1")) for name, text in given.items()],
        "client": (asked.client, 50_000),
        "server": ("localhost", 8080),
    }


def headers_of(raw: list[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return headers by lower-case name; repeated headers are joined."""
    headers: dict[str, str] = {}
    for name, text in raw:
        key = name.decode().lower()
        joined = [headers[key]] if key in headers else []
        headers[key] = ", ".join([*joined, text.decode("latin-1")])
    return headers
