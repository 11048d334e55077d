"""SMTP: mail through a server that the app has named, over verified TLS."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import Any

import aiosmtplib
from aiosmtplib.errors import (
    SMTPAuthenticationError,
    SMTPDataError,
    SMTPException,
    SMTPRecipientsRefused,
    SMTPResponseException,
)

from hubbub.kernel.clock import Clock
from hubbub.outbound.client import OutboundClient
from hubbub.outbound.errors import NotReached
from hubbub.providers.calls import TIMEOUT_SECONDS, clean, not_reached
from hubbub.providers.custom import NO_EMAIL
from hubbub.providers.interface import SENT, Mail, Result, SendOutcome
from hubbub.providers.mail.body import (
    BadAddress,
    Sender,
    clean_line,
    read_address,
    write_mail,
    write_text,
)
from hubbub.records.notifications.setups import SmtpSetup

NO_TLS, STARTTLS, TLS = "none", "starttls", "tls"
PORTS = {NO_TLS: 25, STARTTLS: 587, TLS: 465}
SECONDS_TO_LEAVE = 1.0
CLOSING = 421
"""The reply of a server that ends the connection for reasons of its own."""
FINAL = range(500, 600)
"""Replies that say that a mail will never be accepted."""
_FAILURES = (NotReached, SMTPException, OSError, ValueError)


class Smtp:
    """A mail server with the account of an app; each mail has a connection of its own."""

    def __init__(
        self,
        outbound: OutboundClient,
        clock: Clock,
        setup: SmtpSetup,
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        self._outbound = outbound
        self._clock = clock
        self._setup = setup
        self._security = setup.security or STARTTLS
        self._timeout_seconds = timeout_seconds

    def render(self, mail: Mail) -> dict[str, Any]:
        return {
            "from": {"email": self._setup.sender_email, "name": self._setup.sender_name},
            "to": {"email": mail.email, "name": mail.data["to"].get("name")},
            "subject": clean_line(mail.data.get("subject")),
            "text": write_text(mail.data),
        }

    async def send(self, mail: Mail) -> Result:
        if not mail.email:
            return NO_EMAIL
        try:
            to = read_address(mail.email)
            email = read_address(self._setup.sender_email or "")
            sender = Sender(self._setup.sender_name or "", email)
            content = write_mail(mail, sender, self._clock.now())
        except BadAddress as fault:
            return Result(SendOutcome.REFUSED, str(fault))
        return await self._send(sender, to, content)

    async def _send(self, sender: Sender, to: str, content: bytes) -> Result:
        try:
            async with asyncio.timeout(self._timeout_seconds):
                client = await self._connect(sender.domain)
                try:
                    await client.sendmail(sender.email, to, content)
                except BaseException:
                    client.close()
                    raise
        except _FAILURES as failure:
            return self._read_failure(failure)
        await _leave(client)
        return SENT

    async def _connect(self, domain: str) -> aiosmtplib.SMTP:
        """Return a client that is logged in."""
        host = self._setup.host or ""
        port = self._setup.port or PORTS[self._security]
        is_encrypted = self._security != NO_TLS
        client = aiosmtplib.SMTP(
            hostname=host,
            sock=await self._outbound.connect(host, port, is_encrypted=is_encrypted),
            username=self._setup.username or None,
            password=self._setup.password,
            local_hostname=domain,
            timeout=self._timeout_seconds,
            use_tls=self._security == TLS,
            start_tls=self._security == STARTTLS,
            tls_context=self._outbound.tls,
        )
        await client.connect()
        return client

    def _read_failure(self, failure: Exception) -> Result:
        if isinstance(failure, TimeoutError):
            return Result(
                SendOutcome.LATER, f"It took more than {self._timeout_seconds:g} seconds."
            )
        is_recipients = isinstance(failure, SMTPRecipientsRefused | SMTPDataError)
        if isinstance(failure, SMTPRecipientsRefused):
            failure = failure.recipients[0]
        if isinstance(failure, SMTPResponseException):
            is_recipients = is_recipients and failure.code != CLOSING
            return replace(self._read_reply(failure), is_recipients=is_recipients)
        if isinstance(failure, OSError):
            cause = failure.__cause__ or failure
            return Result(SendOutcome.LATER, clean(f"The connection failed: {cause}"))
        if isinstance(failure, NotReached):
            return not_reached(failure)
        return Result(SendOutcome.REFUSED, clean(str(failure), self._setup.password))

    def _read_reply(self, reply: SMTPResponseException) -> Result:
        # Some servers repeat what they were sent, which is an encoded password then.
        is_secret = isinstance(reply, SMTPAuthenticationError)
        said = "The user name or password is wrong." if is_secret else reply.message
        outcome = SendOutcome.REFUSED if reply.code in FINAL else SendOutcome.LATER
        return Result(outcome, clean(f"{reply.code}: {said}", self._setup.password))


async def _leave(client: aiosmtplib.SMTP) -> None:
    """End a connection whose mail was accepted, whatever the server says to that."""
    with suppress(SMTPException, OSError):
        await client.quit(timeout=SECONDS_TO_LEAVE)
    client.close()
