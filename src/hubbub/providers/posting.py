"""Many pushes as calls of a gateway over HTTP/2, with a token that may have to be renewed."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from hubbub.outbound.answer import Response
from hubbub.outbound.errors import NotReached
from hubbub.outbound.http2.calls import Outcome as Reply
from hubbub.outbound.http2.calls import Post
from hubbub.outbound.http2.headers import Fields
from hubbub.providers.calls import ProviderCaller, not_reached
from hubbub.providers.interface import Push, Result
from hubbub.providers.tokens import NoToken, TokenCache

AT_ONCE = 50
"""So many pushes are written in a row; then others run on the event loop."""


class WrittenPush(msgspec.Struct, frozen=True):
    """A push as a gateway takes it."""

    payload: Mapping[str, Any]
    """As `PushProvider.render` returns it."""
    request: Post | Result
    """The request, or why there can't be one."""


Write = Callable[[Push], WrittenPush]


@dataclass(frozen=True, slots=True)
class PushEndpoint:
    """A push gateway, and how it is called."""

    caller: ProviderCaller
    url: str
    owner: str
    """Connections are shared only by those with the same account at the gateway."""
    tokens: TokenCache
    fields: Fields
    """The header fields of all requests, besides the token."""
    scheme: str
    """Of the authorization."""
    read: Callable[[Response], Result]
    is_stale: Callable[[Response], bool]
    """Returns whether an answer says that the token has ended."""

    async def send(self, pushes: Sequence[Push], write: Write) -> list[Result]:
        """Send pushes and return their results, with what was sent, in order."""
        written = await _write_all(pushes, write)
        requests = [each.request for each in written if isinstance(each.request, Post)]
        results = iter(await self._post_all(requests))
        return [
            (next(results) if isinstance(each.request, Post) else each.request).of(each.payload)
            for each in written
        ]

    async def _post_all(self, requests: Sequence[Post]) -> list[Result]:
        try:
            token = await self.tokens.get() if requests else ""
        except NoToken as failure:
            return [failure.result] * len(requests)
        replies = await self._post(requests, token)
        results = [self._judge(reply) for reply in replies]
        stale = [at for at, reply in enumerate(replies) if self._is_stale(reply)]
        if stale:
            again = await self._post_again([requests[at] for at in stale], token)
            for at, result in zip(stale, again, strict=True):
                results[at] = result
        return results

    async def _post_again(self, requests: Sequence[Post], refused: str) -> list[Result]:
        """Make requests once more, with another token than the one that was refused."""
        try:
            token = await self.tokens.renew(refused)
        except NoToken as failure:
            return [failure.result] * len(requests)
        return [self._judge(reply) for reply in await self._post(requests, token)]

    async def _post(self, requests: Sequence[Post], token: str) -> Sequence[Reply]:
        try:
            return await self._call(requests, token)
        except NotReached as failure:
            return [failure] * len(requests)

    async def _call(self, requests: Sequence[Post], token: str) -> Sequence[Reply]:
        authorization = (b"authorization", f"{self.scheme} {token}".encode())
        return await self.caller.outbound.post_all(
            self.url,
            requests,
            (*self.fields, authorization),
            owner=self.owner,
            seconds=self.caller.timeout_seconds,
        )

    def _judge(self, reply: Reply) -> Result:
        if isinstance(reply, Response):
            return self.read(reply)
        return not_reached(reply)

    def _is_stale(self, reply: Reply) -> bool:
        return isinstance(reply, Response) and self.is_stale(reply)


async def _write_all(pushes: Sequence[Push], write: Write) -> list[WrittenPush]:
    written: list[WrittenPush] = []
    for begin in range(0, len(pushes), AT_ONCE):
        if begin:
            await asyncio.sleep(0)
        written += map(write, pushes[begin : begin + AT_ONCE])
    return written
