"""A node with apps whose ids are known, and gateways and a receiver for all that it sends."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from tests.api.http.test_examples import CountedIds
from tests.certificate import Certificate
from tests.clock import ManualClock
from tests.conftest import NewSettings
from tests.gateways.smtp import SmtpGateway
from tests.golden.recording import Sent
from tests.notifications.engine.office import Gateways, Office, gateways_of
from tests.wire import InProcess
from tests.world import Node, World

from hubbub.bootstrap import open_runtime
from hubbub.domain.apps.manage import create_app
from hubbub.http.app import make_app
from hubbub.rest.operations import OPERATIONS

BY_HTTP = ("fcm", "apns", "custom", "sendgrid", "twilio")


@dataclass(slots=True)
class Stage:
    """A node, and the gateways that it may call."""

    node: Node
    gateways: Gateways
    smtp: SmtpGateway
    rsa_key: RSAPrivateKey

    async def office(self, app_id: str) -> Office:
        """Create an app with Anna, Ben and Cora, and return what a test does with it."""
        runtime = self.node.runtime
        app, (key, auth_key) = await create_app(runtime, name="Chat", region="us", app_id=app_id)
        world = World(self.node.sender, app.id, key.api_key, auth_key.api_key)
        avatar = "https://example.com/anna.png"
        await world.user("anna", avatar=avatar, link="https://example.com", tags=["guides"])
        await world.user("ben", metadata={"team": "north"})
        await world.user("cora", statusMessage="Out hiking")
        return Office(
            runtime, self.node.clock, world, self.node.sender, self.gateways, self.rsa_key
        )

    def take_sent(self) -> list[Sent]:
        """Return what the gateways have accepted since the last time."""
        sent = [
            Sent.of(name, call)
            for name in BY_HTTP
            for call in _take(getattr(self.gateways, name).accepted)
        ]
        browsers = self.gateways.webpush.browsers
        for call in _take(self.gateways.webpush.accepted):
            plain = browsers[call.path.removeprefix("/push/")].decrypt(call.body)
            sent.append(Sent.of("webpush", call, plain))
        for mail in _take(self.smtp.received):
            # the gateway refuses mail with other ends of lines than CRLF
            content = mail.content.replace(b"\r\n", b"\n")
            sent.append(Sent("smtp", f"{mail.sender} {mail.to}", {}, content))
        return sent


def _take(calls: list[Any]) -> list[Any]:
    taken, calls[:] = list(calls), []
    return taken


@asynccontextmanager
async def open_stage(new_settings: NewSettings, certificate: Certificate) -> AsyncIterator[Stage]:
    """Run a node on an empty store, with a clock that stands still, and its gateways."""
    clock, rsa_key = ManualClock(), generate_private_key(65537, 2048)
    smtp = SmtpGateway("tls", "chat", "secret")
    async with gateways_of(clock, certificate, rsa_key) as gateways:
        await smtp.start(certificate)
        settings = new_settings(
            log_requests=False,
            public_url="https://chat.example.com",
            outbound_allow="127.0.0.0/8",
            outbound_ca=str(certificate.cert),
            **gateways.settings(),
        )
        async with open_runtime(settings, clock, CountedIds()) as runtime:
            node = Node(runtime, clock, InProcess(make_app(runtime, OPERATIONS)), {})
            yield Stage(node, gateways, smtp, rsa_key)
        await smtp.stop()
