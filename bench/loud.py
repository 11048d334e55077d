"""The ways in which an app does its worst: requests without a pause, whatever the answers are."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import cycle
from urllib.parse import quote

import msgspec
from tests.files.uploads import BOUNDARY, File, form, picture

from bench.load import sends
from bench.load.phrases import text
from bench.load.requests import HOST, SERIAL_PLACE, encode_request
from bench.load.scene import SENT_AT, Scene

MESSAGES, PEOPLE, DEACTIVATED = 20_000, 100, 1_000
COMMON = "see then home thursday"
"""Words that many messages have, and none one after the other."""
ESCAPES = 500_000
"""Not many more are allowed."""
WIDE = 4_000
"""A picture of so many pixels in each direction takes most of a second to be looked at."""

Requests = Sequence[bytes]
_encode = msgspec.json.Encoder().encode


@dataclass(slots=True)
class Loud:
    """The app that asks for much: what it has stored, and what it asks for."""

    scene: Scene

    def fill(self) -> None:
        """Store people, many messages, and a group with a password."""
        uids = self.scene.make_users("loud", PEOPLE)
        self.scene.make_users("many", DEACTIVATED)
        chance = random.Random(2)
        pairs = [(chance.choice(uids), chance.choice(uids[:5])) for _ in range(MESSAGES)]
        rows = {
            f"loud-{number}": {
                "muid": f"loud-{number}",
                "sender": sender,
                "receiver": receiver if receiver != sender else uids[5],
                "receiverType": "user",
                "category": "message",
                "type": "text",
                "data": {"text": text(chance)},
                "sentAt": SENT_AT + number,
            }
            for number, (sender, receiver) in enumerate(pairs)
        }
        self.scene.client.import_rows("messages", rows)
        group = {"guid": "locked", "name": "Locked", "type": "password", "password": "open sesame"}
        self.scene.client.post("/groups", group)

    def ask(
        self, method: str, target: str, body: object = None, *, as_: str | None = None
    ) -> bytes:
        """Return a request of the app."""
        headers = {"apikey": self.scene.key, **({"onBehalfOf": as_} if as_ else {})}
        content = b"" if body is None else _encode(body)
        return encode_request(f"/v3{target}", headers, content, method)


def _searches(loud: Loud) -> Requests:
    query = f"/messages?limit=1000&affix=prepend&searchKey={quote(COMMON)}"
    return [loud.ask("GET", query)]


def _counts(loud: Loud) -> Requests:
    return [loud.ask("GET", f"/messages?count=true&hasLinks=true&searchKey={quote(COMMON)}")]


def _pictures(loud: Loud) -> Requests:
    content = form(
        {"receiver": "loud-001", "receiverType": "user", "type": "image"},
        File("a.png", picture(WIDE, WIDE), type="image/png"),
    )
    headers = {"apikey": loud.scene.key, "onBehalfOf": "loud-000"}
    kind = f"multipart/form-data; boundary={BOUNDARY}"
    request = encode_request("/v3/messages", headers, content)
    return [request.replace(b"Content-Type: application/json", f"Content-Type: {kind}".encode())]


def _passwords(loud: Loud) -> Requests:
    body = {"password": "a guess"}
    return [
        loud.ask("POST", "/groups/locked/members", body, as_=f"loud-{number:03d}")
        for number in range(PEOPLE)
    ]


def _deactivations(loud: Loud) -> Requests:
    uids = [f"many-{number:03d}" for number in range(DEACTIVATED)]
    requests = []
    for first in range(0, DEACTIVATED, 10):
        some = uids[first : first + 10]
        requests.append(loud.ask("DELETE", "/users", {"uidsToDeactivate": some}))
        requests.append(loud.ask("PUT", "/users", {"uidsToActivate": some}))
    return requests


def _imports(loud: Loud) -> Requests:
    return sends.imports(loud.scene).requests


def _lists(loud: Loud) -> Requests:
    return [loud.ask("GET", "/messages?limit=1000&affix=prepend")]


def _bodies(loud: Loud) -> Requests:
    return [loud.ask("POST", "/data_import/users", {"users": {}, "other": "\n" * ESCAPES})]


@dataclass(frozen=True, slots=True)
class Way:
    """A way to be loud: the requests, and on how many connections they are repeated."""

    name: str
    about: str
    make: Callable[[Loud], Requests]
    connections: int


WAYS = (
    Way("searches", "20 searches for common words at a time", _searches, 20),
    Way("counts", "20 counts of matches at a time", _counts, 20),
    Way("lists", "8 pages of 1,000 messages at a time", _lists, 8),
    Way("pictures", "8 pictures of 16 megapixels at a time", _pictures, 8),
    Way("passwords", "50 guesses at a group's password at a time", _passwords, 50),
    Way(
        "deactivations", "1,000 users deactivated and back, 32 calls at a time", _deactivations, 32
    ),
    Way("imports", "8 imports of 50 messages at a time", _imports, 8),
    Way("bodies", "4 bodies of 1 MiB with nothing but escapes at a time", _bodies, 4),
)


async def _repeat(port: int, requests: Iterator[bytes], answers: dict[int, int]) -> None:
    """Send requests on a connection, each when the one before is answered."""
    while True:
        reader, writer = await asyncio.open_connection(HOST, port)
        try:
            while True:
                serial = b"%012d" % random.getrandbits(39)
                writer.write(next(requests).replace(SERIAL_PLACE, serial))
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                status = int(head[9:12])
                answers[status] = answers.get(status, 0) + 1
                length = head.partition(b"content-length: ")[2].partition(b"\r")[0]
                await reader.readexactly(int(length or 0))
        except (OSError, asyncio.IncompleteReadError):
            await asyncio.sleep(0.01)
        finally:
            writer.close()


@asynccontextmanager
async def being_loud(
    port: int, requests: Requests, connections: int
) -> AsyncIterator[dict[int, int]]:
    """Send requests during the block; yield the numbers of answers by status."""
    answers: dict[int, int] = {}
    endless = cycle(requests)
    tasks = [asyncio.create_task(_repeat(port, endless, answers)) for _ in range(connections)]
    try:
        yield answers
    finally:
        for task in tasks:
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks, return_exceptions=True)


def statuses(answers: Mapping[int, int]) -> str:
    """Return the numbers of answers in words."""
    return ", ".join(f"{count} × {status}" for status, count in sorted(answers.items()))
