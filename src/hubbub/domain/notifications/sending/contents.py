"""What is sent of a bundle, as parts that a provider answers one by one."""

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from hubbub.domain.notifications.sending.digests import read_digest
from hubbub.domain.notifications.sending.gateways import Gateway
from hubbub.domain.notifications.sending.pushes import PushGateway, decide_pushes, read_scene
from hubbub.providers.interface import Result
from hubbub.records.notifications.logs import NotificationEntry
from hubbub.records.notifications.sending.model import Bundle, DigestContent, PushContent
from hubbub.runtime import Runtime

decode_push = msgspec.json.Decoder(PushContent).decode
_decode_digest = msgspec.json.Decoder(DigestContent).decode


class Part(Protocol):
    """What is sent to one device, address or number."""

    def entry(self, result: Result, began_ms: int, now_ms: int) -> NotificationEntry:
        """Return the log's entry of an answer."""
        ...

    @property
    def log_id(self) -> str:
        """Return the id of the log's entry that says that it waits; empty if there is none."""
        ...

    def waiting(self, log_id: str) -> Any:
        """Return the part with the id of the log's entry that says that it waits."""
        ...


class Content(Protocol):
    """The content of a bundle, with a verdict on each of its parts."""

    @property
    def parts(self) -> Sequence[Part]:
        """Return the parts that are to be sent."""
        ...

    @property
    def dropped(self) -> Sequence[NotificationEntry]:
        """Return the log's entries of the others."""
        ...

    @property
    def log_ids(self) -> set[str]:
        """Return the ids of the log's entries that say that some of it waits."""
        ...

    def narrow(self, parts: Sequence[Any]) -> msgspec.Struct:
        """Return what is stored of some of its parts."""
        ...

    async def send(self) -> Sequence[Result]:
        """Have the provider send the parts, and return its answers in the same order."""
        ...


async def open_bundle(runtime: Runtime, app_id: str, bundle: Bundle, gateway: Gateway) -> Content:
    """Return what is to be sent of a bundle, decided and rendered as things are now."""
    if not isinstance(gateway, PushGateway):
        return await read_digest(runtime, app_id, _decode_digest(bundle.content), gateway)
    content = decode_push(bundle.content)
    return decide_pushes(content, gateway, await read_scene(runtime, app_id, content))
