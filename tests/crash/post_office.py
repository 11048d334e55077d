"""Local gateways for pushes, e-mails and webhooks that often fail, and when they were called."""

import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from tests.certificate import Certificate, make_certificate
from tests.crash.facts import Lives, Moment
from tests.gateways.fcm import FcmGateway
from tests.gateways.google_token import PATH, GoogleTokenGateway
from tests.gateways.smtp import ReceivedMail, SmtpGateway
from tests.postgres import HOST, free_port
from tests.providers.push.accounts import KEY_ID, PROJECT, SENDER
from tests.receiver import Received, Receiver, receiving

from hubbub.kernel.clock import SystemClock

SHARE = 0.1
"""The part of all calls that are refused, and accepted later. A call that is accepted is answered:
so it is repeated only by a server that was killed before it had stored the answer."""
PUSH_FAULTS = "INTERNAL", "INTERNAL", "html"
MAIL_FAULTS = (
    "AUTH 454 4.7.0 Temporary authentication failure",
    "RCPT 450 4.2.0 Greylisted, try again",
    "DATA 451 4.3.0 Aborted",
)
USERNAME, PASSWORD = "chat", "secret"
NOTE = re.compile(r"note-(\d+)-(\d+)\b")


@dataclass(frozen=True, slots=True)
class Place:
    """Where the push gateways listen, and by which certificate all are known."""

    certificate: Certificate
    fcm_port: int
    google_port: int

    @classmethod
    def choose(cls, folder: Path) -> "Place":
        """Return free ports, which a node is told before anybody listens."""
        return cls(make_certificate(folder), free_port(), free_port())

    def environment(self) -> Mapping[str, str]:
        """Return the environment of a node that calls the gateways, and tries again at once."""
        return {
            "HUBBUB_OUTBOUND_ALLOW": "127.0.0.0/8",
            "HUBBUB_OUTBOUND_CA": str(self.certificate.cert),
            "HUBBUB_FCM_URL": f"https://{HOST}:{self.fcm_port}",
            "HUBBUB_GOOGLE_TOKEN_URL": f"https://{HOST}:{self.google_port}{PATH}",
            "HUBBUB_NOTIFICATION_RETRY_SECONDS": "0.05,0.1,0.2",
            "HUBBUB_NOTIFICATION_MIN_INTERVAL_SECONDS": "0",
            "HUBBUB_WEBHOOK_TIMEOUT_SECONDS": "10",
            "HUBBUB_WEBHOOK_RETRY_SECONDS": ",".join(["0.05"] * 60),
            "HUBBUB_LOG_REQUESTS": "false",
        }


@dataclass(frozen=True, slots=True)
class Note:
    """The number of a message, and of its edit, as they stand in its text."""

    message: int
    edit: int


def text_of(note: Note) -> str:
    """Return the text of a message."""
    return f"note-{note.message}-{note.edit}"


def notes_in(text: str) -> list[Note]:
    """Return the messages that a text is about."""
    return [Note(int(message), int(edit)) for message, edit in NOTE.findall(text)]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A call that was accepted."""

    moment: Moment
    to: str
    """The token of a phone, an e-mail address or the path of a webhook."""
    id: str
    """What all calls for the same notification have in common."""
    text: str
    """What it says; of webhooks the id of the message."""

    @property
    def notes(self) -> list[Note]:
        """Return the messages that it is about."""
        return notes_in(self.text)


class Arrivals(list[Any]):
    """What a gateway keeps, noted with the moment at which it came."""

    def __init__(self, lives: Lives, read: Callable[[Moment, Any], Arrival]) -> None:
        super().__init__()
        self._lives = lives
        self._read = read
        self.noted: list[Arrival] = []

    def append(self, accepted: Any) -> None:
        self.noted.append(self._read(self._lives.now(), accepted))


def read_push(moment: Moment, push: Mapping[str, Any]) -> Arrival:
    """Return what a push is about."""
    data = push["data"]
    id_ = f"{push['android']['collapse_key']} {data['body'].split('note-')[0]}"
    return Arrival(moment, push["token"], id_, data["body"])


def read_mail(moment: Moment, mail: ReceivedMail) -> Arrival:
    """Return what an e-mail is about."""
    return Arrival(moment, mail.to, mail.message["Message-ID"], mail.body("plain"))


def read_call(moment: Moment, call: Received) -> Arrival:
    """Return what a webhook is told."""
    message: str = call.content["data"]["message"]["id"]  # it has no text if it was deleted
    return Arrival(moment, call.path, call.headers["webhook-id"], message)


@dataclass(slots=True)
class PostOffice:
    """The running gateways."""

    pusher: FcmGateway
    smtp: SmtpGateway
    receiver: Receiver
    pem: str
    pushes: Arrivals
    mails: Arrivals
    calls: Arrivals
    bodies: dict[str, set[bytes]] = field(default_factory=dict)
    """The bodies of each call of a webhook."""
    chance: Random = field(default_factory=lambda: Random(1))

    def close(self) -> None:
        """Put off all pushes and e-mails, until the gateways open again."""
        self.pusher.faults.answer_always(PUSH_FAULTS[0])
        self.smtp.faults.answer_always(MAIL_FAULTS[-1])

    def open(self) -> None:
        """Accept pushes and e-mails again."""
        self.pusher.faults.answer_always("")
        self.smtp.faults.answer_always("")

    def reply(self, call: Received) -> int:
        """Refuse some calls of webhooks."""
        self.bodies.setdefault(call.headers["webhook-id"], set()).add(call.body)
        return 500 if self.chance.random() < SHARE else 200

    def fcm(self) -> dict[str, Any]:
        """Return the push provider of an app."""
        account = {"project_id": PROJECT, "client_email": SENDER, "private_key_id": KEY_ID}
        return {"serviceAccountCreds": {**account, "private_key": self.pem}}

    def mail_server(self) -> dict[str, Any]:
        """Return the e-mail provider of an app."""
        server = {"host": HOST, "port": self.smtp.port, "security": "starttls"}
        login = {"username": USERNAME, "password": PASSWORD}
        sender = {"senderName": "Chat", "senderEmail": "chat@example.com"}
        return {**server, **login, **sender, "isEnabled": True}


@asynccontextmanager
async def opened(place: Place, lives: Lives) -> AsyncIterator[PostOffice]:
    """Run the gateways inside the block."""
    key = generate_private_key(65537, 2048)
    google = GoogleTokenGateway(SystemClock())  # type: ignore[arg-type]  # only `now` is used
    google.keys[SENDER] = KEY_ID, key.public_key()
    fcm = FcmGateway(PROJECT, google)
    smtp = SmtpGateway("starttls", USERNAME, PASSWORD)
    fcm.faults.answer_at_random(SHARE, *PUSH_FAULTS)
    smtp.faults.answer_at_random(SHARE, *MAIL_FAULTS)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    async with receiving() as receiver:
        pushes, mails, calls = (Arrivals(lives, read) for read in (read_push, read_mail, read_call))
        office = PostOffice(fcm, smtp, receiver, pem, pushes, mails, calls)
        fcm.received, smtp.received, receiver.accepted = pushes, mails, calls
        receiver.reply = office.reply
        await google.start(place.certificate, place.google_port)
        await fcm.start(place.certificate, place.fcm_port)
        await smtp.start(place.certificate)
        try:
            yield office
        finally:
            await smtp.stop()
            await fcm.stop()
            await google.stop()
