"""The webhook of SendGrid's Inbound Parse: an answer to an e-mail becomes a message.

SendGrid repeats a call that gets 5xx for three days, and drops a mail for 4xx. So what can't
become a message is answered like what does, and logged; only what may pass is answered with 503.
"""

from collections.abc import Iterable, Sequence
from urllib.parse import parse_qsl

import msgspec
import structlog

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.rates import find_settings, limits_of, take_call
from hubbub.domain.notifications.replies.mail import FIELDS, LARGEST_FIELD, read_mail
from hubbub.domain.notifications.replies.read import (
    PATH,
    MailReply,
    ReplyIgnored,
    find_app_of,
    read_reply,
)
from hubbub.http.answer import Answer
from hubbub.http.call import Call
from hubbub.http.decoding.forms import read_fields
from hubbub.http.operation import Operation
from hubbub.http.request import Request
from hubbub.http.routes import Routes
from hubbub.kernel.errors import Refusal, TooMany, Unavailable
from hubbub.runtime import Runtime

log = structlog.get_logger()

SENDING = "send_message"
"""The operation that a reply is sent by, with all of its rules."""


def add_replies(routes: Routes, runtime: Runtime, operations: Iterable[Operation]) -> None:
    """Add the route of the webhook, if messages can be sent."""
    sending = next((each for each in operations if each.name == SENDING), None)
    if sending is not None:
        routes.add(PATH, "POST", RepliesWebhook(runtime, sending))


class RepliesWebhook:
    """What SendGrid calls for each mail to the address for replies."""

    def __init__(self, runtime: Runtime, sending: Operation) -> None:
        self._runtime = runtime
        self._sending = sending

    async def __call__(self, request: Request, _: Sequence[str]) -> Answer:
        token = dict(parse_qsl(request.query.decode("latin-1"))).get("token", "")
        request.app_id, setup = await find_app_of(self._runtime, token)
        fields = await read_fields(request, FIELDS, largest=LARGEST_FIELD)
        try:
            if not (setup.is_enabled and setup.allow_email_replies):
                raise ReplyIgnored("not_allowed")
            reply = await read_reply(self._runtime, request.app_id, read_mail(fields))
            await self._send(request, request.app_id, reply)
        except ReplyIgnored as ignored:
            log.info("mail_reply_ignored", app=request.app_id, reason=str(ignored))
        except TooMany as refusal:
            seconds = refusal.retry_after_seconds
            raise Unavailable(refusal.message, retry_after_seconds=seconds) from None
        except Unavailable:
            raise
        except Refusal as refusal:
            log.info("mail_reply_refused", app=request.app_id, code=refusal.code)
        return Answer(b'{"data":{"success":true}}')

    async def _send(self, request: Request, app_id: str, reply: MailReply) -> None:
        """Send the message of a person as if they had called the operation themselves.

        Raises:
            Refusal: they may not send it, or not now.
        """
        sending, runtime = self._sending, self._runtime
        settings = await find_settings(runtime, app_id)
        take_call(runtime.rates, limits_of(settings, app_id, reply.uid, sending.rate))
        call = Call(runtime, app_id, Actor(reply.uid, sending.features), request=request)
        message = {
            "receiverType": reply.receiver_type,
            "receiver": reply.receiver,
            "category": "message",
            "type": "text",
            "data": {"text": reply.text},
            "muid": reply.muid,
        }
        assert sending.body is not None, "a message has a body"
        await sending.handler(call, body=msgspec.convert(message, sending.body))
