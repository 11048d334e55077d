"""A mail server: real SMTP with STARTTLS or TLS, and log-in."""

import asyncio
import logging
import socket
import ssl
import warnings
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any, ClassVar, cast

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from tests.certificate import Certificate
from tests.gateways.faults import LOST, RESET, SILENCE, Faults
from tests.wire import LOOPBACK

logging.getLogger("mail.log").setLevel(logging.CRITICAL)  # it warns of each log-in
LARGEST_MAIL = 10 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ReceivedMail:
    """A mail that was accepted."""

    sender: str
    to: str
    content: bytes

    @property
    def message(self) -> EmailMessage:
        """Return the mail as a reader shows it."""
        return message_from_bytes(self.content, policy=default)

    def body(self, kind: str) -> str:
        """Return the text of the part `plain` or `html`."""
        part = self.message.get_body((kind,))
        assert part is not None
        return str(part.get_content())


class SmtpGateway:
    """Accepts mail of one account; `security` is `tls`, `starttls` or `none`."""

    ERRORS: ClassVar = {
        "EHLO": {"421 4.3.2 Service not available", "554 5.3.2 No service"},
        "AUTH": {"454 4.7.0 Temporary authentication failure"},
        "MAIL": {
            "451 4.3.0 Local error",
            "452 4.3.1 Insufficient system storage",
            "550 5.7.1 Sender refused",
            "552 5.3.4 Message too big",
        },
        "RCPT": {
            "450 4.2.0 Greylisted, try again",
            "452 4.5.3 Too many recipients",
            "550 5.1.1 No such user here",
            "551 5.1.6 User has moved",
            "552 5.2.2 Mailbox full",
            "553 5.1.3 Mailbox name not allowed",
        },
        "DATA": {
            "421 4.3.0 Closing",
            "451 4.3.0 Aborted",
            "550 5.7.1 Looks like spam",
            "554 5.6.0 Transaction failed",
        },
    }
    """The documented replies (RFC 5321, RFC 4954), by the command that they answer."""
    PASSING: ClassVar = (
        "AUTH 454 4.7.0 Temporary authentication failure",
        "EHLO 421 4.3.2 Service not available",
        "RCPT 450 4.2.0 Greylisted, try again",
        "DATA 451 4.3.0 Aborted",
        RESET,
        LOST,
    )

    def __init__(self, security: str, username: str, password: str) -> None:
        self.security = security
        self.credentials = LoginPassword(username.encode(), password.encode())
        self.faults = Faults()
        self.calls = 0
        self.received: list[ReceivedMail] = []
        self.refused: list[str] = []
        self.port = 0
        self._server: asyncio.Server | None = None
        self._leaving = asyncio.Event()

    async def start(self, certificate: Certificate, port: int = 0) -> None:
        """Listen on a port of loopback; 0 is a free one."""
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(certificate.cert, certificate.key)
        self._leaving.clear()
        listening = socket.create_server((LOOPBACK, port))
        self.port = listening.getsockname()[1]
        self._server = await asyncio.get_running_loop().create_server(
            lambda: self._open_session(tls),
            sock=listening,
            ssl=tls if self.security == "tls" else None,
        )

    async def stop(self) -> None:
        """Listen no more."""
        self._leaving.set()
        if self._server is not None:
            self._server.close()

    def fail_at_random(self, share: float, seed: int = 0) -> None:
        """Answer a share of the mails with an error that passes."""
        self.faults.answer_at_random(share, *self.PASSING, seed=seed)

    def _open_session(self, tls: ssl.SSLContext) -> SMTP:
        self.calls += 1
        handler = _Handler(self, self.faults.choose())
        is_starttls = self.security == "starttls"
        with warnings.catch_warnings():
            # It knows of TLS only after STARTTLS, and warns of passwords without.
            warnings.simplefilter("ignore", UserWarning)
            return SMTP(
                handler,
                hostname="gateway.test",
                loop=asyncio.get_running_loop(),
                tls_context=tls if is_starttls else None,
                require_starttls=is_starttls,
                authenticator=handler.authenticate,
                auth_required=bool(self.credentials.login),
                auth_require_tls=is_starttls,
                data_size_limit=LARGEST_MAIL,
            )


class _Handler:
    """What one connection is answered; `fault` is a command and its reply, or another fault."""

    def __init__(self, gateway: SmtpGateway, fault: str) -> None:
        self._gateway = gateway
        self._fault = fault
        command, _, reply = fault.partition(" ")
        self._replies = {command: reply} if reply else {}

    def authenticate(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any
    ) -> AuthResult:
        reply = self._replies.get("AUTH")
        if reply:
            return AuthResult(success=False, handled=False, message=reply)
        is_right = data == self._gateway.credentials
        if not is_right:
            self._gateway.refused.append("credentials")
        return AuthResult(success=is_right, handled=False, auth_data=data)

    async def handle_EHLO(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, hostname: str, replies: list[str]
    ) -> list[str]:
        session.host_name = hostname
        if self._fault == SILENCE:
            await self._gateway._leaving.wait()
        if self._fault == RESET:
            _abort(server)
        reply = self._replies.get("EHLO")
        return [reply] if reply else replies

    async def handle_MAIL(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return self._replies.get("MAIL", "250 OK")

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        envelope.rcpt_tos.append(address)
        return self._replies.get("RCPT", "250 OK")

    async def handle_DATA(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        reply = self._replies.get("DATA")
        if reply:
            return reply
        content = envelope.original_content
        assert content is not None
        fault = _find_fault(content)
        if fault:
            self._gateway.refused.append(fault)
            return f"554 5.6.0 {fault}"
        for address in envelope.rcpt_tos:
            self._gateway.received.append(ReceivedMail(envelope.mail_from or "", address, content))
        if self._fault == LOST:
            _abort(server)
        return "250 2.0.0 Queued"


def _abort(server: SMTP) -> None:
    transport = cast("asyncio.Transport", server.transport)
    transport.abort()


def _find_fault(content: bytes) -> str:
    """Return what is wrong with a mail (RFC 5322); empty if nothing is."""
    if any(len(line) > 998 for line in content.split(b"\r\n")):
        return "A line is too long"
    if b"\n" in content.replace(b"\r\n", b"") or b"\r" in content.replace(b"\r\n", b""):
        return "A line does not end with CRLF"
    message = message_from_bytes(content, policy=default)
    for name in ("From", "To", "Subject", "Date", "Message-ID"):
        if len(message.get_all(name, [])) != 1:
            return f"There must be one {name}"
    if message.defects or any(value.defects for value in message.values()):
        return "There are defects"
    return ""
