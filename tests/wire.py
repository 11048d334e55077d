"""Requests and answers, independent of what transports them."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol
from urllib.parse import quote

from hubbub.http.answer import WITHOUT_BODY
from hubbub.http.answer import Answer as HttpAnswer
from hubbub.http.app import HttpApplication
from hubbub.http.request import Request
from hubbub.http.server.protocol import LARGEST_SMALL_BODY

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
    def paging(self) -> Any:
        """Return what `meta` says of the list: all but the cursor of events."""
        meta = self.json.get("meta", {})
        return {name: value for name, value in meta.items() if name != "eventCursor"}

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
    """A sender that hands requests to the dispatcher, as the server does."""

    def __init__(self, app: HttpApplication) -> None:
        self.app = app

    async def send(self, asked: Asked) -> Answer:
        """Send a request."""
        answer = await self.answer(asked)
        head = answer.encode_head(is_last=False)
        body = await answer.whole_body()
        assert asked.method == "HEAD" or answer.status in WITHOUT_BODY or len(body) == answer.length
        headers = headers_of(head)
        del headers["date"]  # by the system's clock: two answers would differ by chance
        return Answer(answer.status, headers, b"" if asked.method == "HEAD" else body)

    async def answer(self, asked: Asked) -> HttpAnswer:
        """Return the answer to a request as the server gets it."""
        return await self.app.answer(request_of(asked))


def request_of(asked: Asked) -> Request:
    """Return a request, as the server would make it."""
    target = quote(asked.target, safe=IN_TARGET)
    path, _, query = target.partition("?")
    given = {"host": "localhost", **{name.lower(): text for name, text in asked.headers.items()}}
    if asked.body:
        given.setdefault("content-type", "application/json")
        given.setdefault("content-length", str(len(asked.body)))
    headers = {name.encode(): text.encode("latin-1") for name, text in given.items()}
    is_small = len(asked.body) <= LARGEST_SMALL_BODY and headers.get(b"content-length") != b""
    return Request(
        asked.method,
        path.encode(),
        query.encode(),
        headers,
        header_bytes=sum(len(name) + len(text) for name, text in headers.items()),
        client=asked.client,
        is_secure=asked.scheme == "https",
        body=asked.body if is_small else pieces_of(asked.body),
    )


async def pieces_of(body: bytes) -> AsyncIterator[bytes]:
    """Yield a body as a socket would."""
    for start in range(0, len(body), LARGEST_SMALL_BODY):
        yield body[start : start + LARGEST_SMALL_BODY]
        await asyncio.sleep(0)


def headers_of(head: bytes) -> dict[str, str]:
    """Return the headers in the head of an answer, by lower-case name."""
    lines = head.decode("latin-1").split("\r\n")[1:]
    pairs = (line.partition(": ") for line in lines if line)
    return {name.lower(): text for name, _, text in pairs}
