"""An app with providers, and the background work of its node that a test asks for."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from tests.api.presence.sessions import connect
from tests.certificate import Certificate
from tests.clock import ManualClock
from tests.gateways.apns import ApnsGateway
from tests.gateways.custom import CustomGateway
from tests.gateways.fcm import FcmGateway
from tests.gateways.google_token import GoogleTokenGateway
from tests.gateways.sendgrid import SendGridGateway
from tests.gateways.twilio import TwilioGateway
from tests.gateways.webpush import WebPushGateway
from tests.providers.push.accounts import BUNDLE, KEY_ID, PROJECT, SENDER, TEAM
from tests.wire import LOOPBACK, Asked, Sender
from tests.world import World

from hubbub.domain.notifications.planning.plan import notification_consumer
from hubbub.domain.notifications.sending.send import LEASE_SECONDS, WIDTH_BESIDE, notification_runs
from hubbub.domain.scheduled.due import scheduled_runs
from hubbub.outbox.work.queue import due_bounds
from hubbub.records.notifications.sending.store import list_due_queues
from hubbub.rest.messages.wire.unsent import render_unsent
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

FCM = "/notifications/push/v1/providers/fcm"
APNS = "/notifications/push/v1/providers/apns"
CUSTOM = "/notifications/{}/v1/providers/custom"
SENDGRID = "/notifications/email/v1/providers/sendgrid"
TWILIO = "/notifications/sms/v1/providers/twilio"
TOKENS = "/notifications/push/v1/tokens"
APPLE_KEY_ID = "4F2A4F2A4F"
SID, NUMBER = "AC" + "0" * 32, "+14155550100"
MOST_ROUNDS = 200
AT_ONCE = 50
"""The rows that one import takes."""

_EC_KEY = generate_private_key(SECP256R1())


@dataclass(slots=True)
class Gateways:
    """Local gateways that speak the protocols of the real ones."""

    google: GoogleTokenGateway
    fcm: FcmGateway
    apns: ApnsGateway
    webpush: WebPushGateway
    custom: CustomGateway
    sendgrid: SendGridGateway
    twilio: TwilioGateway

    def settings(self) -> dict[str, str]:
        """Return the settings by which a node calls them."""
        return {
            "fcm_url": self.fcm.url,
            "google_token_url": self.google.token_url,
            "apns_url": self.apns.url,
            "apns_sandbox_url": self.apns.url,
            "sendgrid_url": self.sendgrid.url,
            "twilio_url": self.twilio.url,
        }


@asynccontextmanager
async def gateways_of(
    clock: ManualClock, certificate: Certificate, rsa_key: RSAPrivateKey
) -> AsyncIterator[Gateways]:
    """Run all gateways inside the block."""
    google = GoogleTokenGateway(clock)
    google.keys[SENDER] = KEY_ID, rsa_key.public_key()
    apns = ApnsGateway(TEAM, BUNDLE, clock)
    apns.keys[APPLE_KEY_ID] = _EC_KEY.public_key()
    gateways = Gateways(
        google,
        FcmGateway(PROJECT, google),
        apns,
        WebPushGateway(clock.now),
        CustomGateway(),
        SendGridGateway("SG.key"),
        TwilioGateway(SID, "secret", NUMBER),
    )
    every = [getattr(gateways, name) for name in gateways.__slots__]
    for gateway in every:
        await gateway.start(certificate)
    try:
        yield gateways
    finally:
        for gateway in every:
            await gateway.stop()


@dataclass(slots=True)
class Office:
    """A node with an app, and what it does for notifications when the test says so."""

    runtime: Runtime
    clock: ManualClock
    world: World
    sender: Sender
    gateways: Gateways
    rsa_key: RSAPrivateKey
    width_beside: int = WIDTH_BESIDE

    async def work(self, *, after: float = 0) -> None:
        """Wait, then plan and send all that is due."""
        self.clock.advance(after)
        await notification_consumer(self.runtime).consume_all()
        runs = notification_runs(self.runtime, width_beside=self.width_beside)
        for _ in range(MOST_ROUNDS):
            if not await self._is_due():
                return
            await runs.start_due()
            await runs.wait()
        raise AssertionError("Something stays due, and nothing is done about it.")

    async def do_scheduled(self, *, after: float = 0) -> None:
        """Wait, then do what is scheduled by then, such as reminders."""
        self.clock.advance(after)
        runs = scheduled_runs(self.runtime, render_unsent)
        await runs.start_due()
        await runs.wait()

    async def _is_due(self) -> bool:
        bounds = due_bounds(self.clock.milliseconds(), round(1000 * LEASE_SECONDS), limit=1)
        return bool(
            await self.runtime.database.read(
                INSTALLATION, lambda snapshot: list_due_queues(snapshot, bounds)
            )
        )

    async def add_fcm(self, **fields: Any) -> None:
        """Add FCM to the app."""
        pem = self.rsa_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        account = {
            "project_id": PROJECT,
            "client_email": SENDER,
            "private_key": pem.decode(),
            "private_key_id": KEY_ID,
        }
        await self.world.post(
            FCM, {"providerId": "fcm-1", "serviceAccountCreds": account, **fields}
        )

    async def add_apns(self) -> None:
        """Add APNs to the app."""
        pem = _EC_KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
        setup = {"keyId": APPLE_KEY_ID, "teamId": TEAM, "bundleId": BUNDLE, "p8Key": pem}
        await self.world.post(APNS, {"providerId": "apns-1", "productionMode": True, **setup})

    async def add_webpush(self) -> str:
        """Add Web Push to the app, and return the key that browsers subscribe to."""
        setup = {"providerId": "web-1", "subject": "mailto:chat@example.com"}
        made = await self.world.post("/notifications/push/v1/providers/webpush", setup)
        return str(made["publicKey"])

    async def add_custom(self, channel: str, **fields: Any) -> None:
        """Add the custom provider of a channel to the app."""
        setup = {
            "isEnabled": True,
            "webhookURL": f"{self.gateways.custom.url}/{channel}",
            "useBasicAuth": False,
            "basicAuthUsername": "",
            "basicAuthPassword": "",
        }
        await self.world.post(CUSTOM.format(channel), {**setup, **fields})

    async def add_sendgrid(self, **fields: Any) -> str:
        """Add SendGrid to the app, and return the URL of its webhook for replies."""
        setup = {
            "sendGridApiKey": self.gateways.sendgrid.api_key,
            "sendGridTemplateID": "d-0123456789abcdef0123456789abcdef",
            "sendGridUnsubscribeGroupID": "7",
            "senderName": "Chat",
            "senderEmail": "chat@example.com",
            "allowEmailReplies": False,
            "isEnabled": True,
            **fields,
        }
        return str((await self.world.post(SENDGRID, setup))["repliesWebhook"])

    async def add_twilio(self) -> None:
        """Add Twilio to the app."""
        setup = {
            "twilioAccountSID": SID,
            "twilioAuthToken": "secret",
            "twilioSenderPhoneNumber": NUMBER,
            "isEnabled": True,
        }
        await self.world.post(TWILIO, setup)

    async def register(self, uid: str, token: str = "", platform: str = "fcm_android") -> str:
        """Register a device of a user, and return its auth token."""
        name = "fcmToken" if platform.startswith("fcm") else "deviceToken"
        return await self._register(uid, platform, {name: token or f"device-of-{uid}"})

    async def subscribe(self, uid: str, server_key: str) -> str:
        """Register a browser of a user, and return its id at the push service."""
        browser = self.gateways.webpush.subscribe(server_key)
        await self._register(uid, "web_push", {"subscription": json.loads(browser.token)})
        return browser.id

    async def _register(self, uid: str, platform: str, token: dict[str, Any]) -> str:
        auth_token = await self.world.token(uid)
        await self.world.post(TOKENS, {"authToken": auth_token, "platform": platform, **token})
        return auth_token

    async def group(self, guid: str, owner: str, *uids: str) -> None:
        """Create a public group with members."""
        group = {"guid": guid, "name": guid.capitalize(), "type": "public"}
        await self.world.post("/groups", group, as_=owner)
        if uids:
            await self.world.post(f"/groups/{guid}/members", {"participants": list(uids)})

    async def crowd(self, guid: str, owner: str, *uids: str) -> None:
        """Import many users, and a public group of them."""
        await self.group(guid, owner)
        await self.fill(guid, *uids)

    async def fill(self, guid: str, *uids: str) -> None:
        """Import many users as members of a group."""
        now = self.clock.now()
        for start in range(0, len(uids), AT_ONCE):
            some = uids[start : start + AT_ONCE]
            users = {uid: {"uid": uid, "name": uid, "createdAt": now} for uid in some}
            await self.world.post("/data_import/users", {"users": users})
            keys = {uid: f"{guid}_member_{uid}" for uid in some}
            members = {
                key: {"memberId": key, "guid": guid, "uid": uid, "joinedAt": now}
                for uid, key in keys.items()
            }
            await self.world.post("/data_import/members", {"members": members})

    async def go_online(self, uid: str) -> None:
        """Have a user connect."""
        await connect(self.runtime, self.world, uid, f"session-of-{uid}")

    async def say(self, text: str, to: str = "ben", *, by: str = "anna", **fields: Any) -> int:
        """Send a text to a user, or to a group if its name begins with `#`; return its id."""
        kind = "group" if to.startswith("#") else "user"
        body = {
            "receiver": to.lstrip("#"),
            "receiverType": kind,
            "category": "message",
            "type": "text",
            "data": {"text": text},
            **fields,
        }
        return int((await self.world.post("/messages", body, as_=by))["id"])

    async def logs(self, **filters: Any) -> list[dict[str, Any]]:
        """Return the log of notifications, newest last."""
        query = "&".join(f"{name}={value}" for name, value in filters.items())
        found: list[dict[str, Any]] = await self.world.get(f"/notifications/v1/logs?{query}")
        return found

    async def page(self, method: str, path: str, status: int = 200) -> str:
        """Return a page of the node."""
        answer = await self.sender.send(Asked(method, path, {}, b"", LOOPBACK, "http"))
        assert answer.status == status
        return answer.body.decode()

    @property
    def pushed(self) -> list[Mapping[str, Any]]:
        """Return the messages that FCM has accepted."""
        return self.gateways.fcm.received
