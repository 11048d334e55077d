"""A server that answers with the path, and calls to it."""

from collections.abc import Mapping

from tests.gateways.faults import Fault
from tests.gateways.http2 import Http2Gateway

from hubbub.outbound.answer import Response
from hubbub.outbound.client import OutboundClient
from hubbub.outbound.errors import NotReached
from hubbub.outbound.http2.calls import Outcome, Post
from hubbub.outbound.http2.client import Http2Client


class Echo(Http2Gateway):
    """Answers with the path."""

    def accept(self, headers: Mapping[str, str], body: bytes) -> Fault:
        self.received.append((headers[":path"], body))
        return Fault(200, headers[":path"])


async def post(
    client: OutboundClient | Http2Client,
    url: str,
    count: int = 1,
    *,
    seconds: float = 60,
    body: bytes = b"{}",
) -> list[Outcome]:
    """Make some calls."""
    requests = [Post(b"/%d" % at, (), body) for at in range(count)]
    return await client.post_all(url, requests, ((b"a", b"b"),), owner="", seconds=seconds)


def reason_of(outcome: Outcome) -> str:
    """Return why there is no answer."""
    assert isinstance(outcome, NotReached), outcome
    return str(outcome)


def paths_of(outcomes: list[Outcome]) -> list[str]:
    """Return the paths in the answers."""
    return [each.body.decode().strip('"/') for each in outcomes if isinstance(each, Response)]
