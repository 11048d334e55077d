"""The client for HTTP/2: a pool of connections for each server and owner."""

import ssl
from collections.abc import Sequence
from functools import partial

from hubbub.outbound.dial import Dialer
from hubbub.outbound.errors import NotReached
from hubbub.outbound.http2.calls import Outcome, Post
from hubbub.outbound.http2.connect import Connector, Origin
from hubbub.outbound.http2.headers import Fields
from hubbub.outbound.http2.pool import Pool

_Key = tuple[str, str, float]


class Http2Client:
    """Makes calls over HTTP/2; connections are kept open for the next ones."""

    def __init__(self, dialer: Dialer, tls: ssl.SSLContext) -> None:
        self._connector = Connector(dialer, tls)
        self._pools: dict[_Key, Pool] = {}
        self._is_closed = False

    async def post_all(
        self, url: str, requests: Sequence[Post], fields: Fields, *, owner: str, seconds: float
    ) -> list[Outcome]:
        """Make requests to the server of a URL, whose spelling has been checked.

        Calls of different owners share no connection and no queue.

        Raises:
            NotReached: the client is closed.
        """
        if self._is_closed:
            raise NotReached("The node is ending.")
        origin = Origin.of(url)
        pool = self._pool((url, owner, seconds), origin)
        return await pool.post_all(requests, _common(origin) + fields)

    async def close(self) -> None:
        """Close the connections; no call can be made any more."""
        self._is_closed = True
        for pool in list(self._pools.values()):
            await pool.close()
        self._pools.clear()

    def _pool(self, key: _Key, origin: Origin) -> Pool:
        pool = self._pools.get(key)
        if pool is None:
            seconds = key[2]
            connect = partial(self._connector.connect, origin, seconds)
            drop = partial(self._pools.pop, key, None)
            pool = self._pools[key] = Pool(connect, seconds=seconds, when_empty=drop)
        return pool


def _common(origin: Origin) -> Fields:
    """Return the header fields of every call to a server."""
    return (
        (b":method", b"POST"),
        (b":scheme", origin.scheme.encode()),
        (b":authority", origin.authority),
        (b"user-agent", b"Hubbub"),
    )
