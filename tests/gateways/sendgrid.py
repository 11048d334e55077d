"""SendGrid's Web API v3, as far as mail is sent by it, and its Inbound Parse."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from aiohttp import web
from tests.gateways.faults import LOST, RESET, Fault, Refused
from tests.gateways.http import HttpGateway, read_object

LARGEST_MAIL = 30 * 1024 * 1024
MOST_RECIPIENTS = 1000
_EMAIL = re.compile(r"[^@\s<>,;]+@[^@\s<>,;]+\.[^@\s<>,;]+")
_TEMPLATE = re.compile(r"d-[0-9a-f]{32}")
RESERVED = {
    "x-sg-id", "x-sg-eid", "received", "dkim-signature", "content-type",
    "content-transfer-encoding", "to", "from", "subject", "reply-to", "cc", "bcc",
}  # fmt: skip


def _errors(message: str, field: str | None = None) -> dict[str, Any]:
    return {"errors": [{"message": message, "field": field, "help": None}]}


class SendGridGateway(HttpGateway):
    """Accepts mail made from a dynamic template; `now` is the time for resets of limits."""

    ERRORS: ClassVar = {
        "400": Fault(400, _errors("Bad Request")),
        "401": Fault(
            401, _errors("The provided authorization grant is invalid, expired, or revoked")
        ),
        "403": Fault(
            403,
            _errors("The from address does not match a verified Sender Identity.", "from"),
        ),
        "404": Fault(404, _errors("not found")),
        "405": Fault(405, _errors("method not allowed")),
        "413": Fault(413, _errors("Payload too large")),
        "415": Fault(415, _errors("Content-Type should be application/json.")),
        "429": Fault(429, _errors("too many requests"), {"X-RateLimit-Reset": "1800000007"}),
        "500": Fault(500, _errors("Internal Server Error")),
        "503": Fault(503, "<html>Service Unavailable</html>", {"Retry-After": "4"}),
        "recipient": Fault(
            400,
            _errors("Does not contain a valid address.", "personalizations.0.to.0.email"),
        ),
        "template": Fault(
            400,
            _errors("The template_id must be a valid GUID, you provided ''.", "template_id"),
        ),
        "group": Fault(400, _errors("The group_id must be an integer.", "asm.group_id")),
        "header": Fault(400, _errors("The headers can't have a reserved one.", "headers")),
    }
    PASSING: ClassVar = ("429", "500", "503", RESET, LOST)

    def __init__(self, api_key: str) -> None:
        super().__init__()
        self.api_key = api_key

    async def accept(self, request: web.BaseRequest, body: bytes) -> web.Response:
        if request.path != "/v3/mail/send":
            raise Refused("404", request.path)
        if request.method != "POST":
            raise Refused("405")
        if request.headers.get("Authorization") != f"Bearer {self.api_key}":
            raise Refused("401", "key")
        if request.content_type != "application/json":
            raise Refused("415")
        if len(body) > LARGEST_MAIL:
            raise Refused("413")
        mail = read_object(body, "400")
        _check_mail(mail)
        self.received.append(mail)
        return web.Response(status=202, headers={"X-Message-Id": f"m{len(self.received)}"})


def answer_mail(mail: Mapping[str, Any], text: str, **changes: str) -> dict[str, str]:
    """Return the fields of Inbound Parse for an answer that a person writes to a mail."""
    to = mail["reply_to"]["email"]
    sender = mail["personalizations"][0]["to"][0]["email"]
    headers = {
        "Message-ID": "<1@mail.example.com>",
        "From": f"Ben <{sender}>",
        "To": to,
        "MIME-Version": "1.0",
    }
    return {
        "headers": "".join(f"{name}: {value}\n" for name, value in headers.items()),
        "dkim": "{@example.com : pass}",
        "to": to,
        "from": f"Ben <{sender}>",
        "text": text,
        "sender_ip": "192.0.2.1",
        "SPF": "pass",
        "attachments": "0",
        "subject": "Re: New messages",
        "envelope": json.dumps({"to": [to], "from": sender}),
        "charsets": '{"to":"UTF-8","subject":"UTF-8","from":"UTF-8","text":"utf-8"}',
        **changes,
    }


def make_form(fields: Mapping[str, str], files: Sequence[bytes] = ()) -> tuple[str, bytes]:
    """Return the type and the body of a form, as Inbound Parse posts it."""
    parts = [
        f'--xYzZY\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n'.encode()
        for name, text in fields.items()
    ]
    for number, file in enumerate(files, 1):
        disposition = f'form-data; name="attachment{number}"; filename="{number}.jpg"'
        head = f"--xYzZY\r\nContent-Disposition: {disposition}\r\nContent-Type: image/jpeg"
        parts.append(head.encode() + b"\r\n\r\n" + file + b"\r\n")
    return "multipart/form-data; boundary=xYzZY", b"".join((*parts, b"--xYzZY--\r\n"))


def _check_mail(mail: dict[str, Any]) -> None:
    people = mail.get("personalizations")
    if not isinstance(people, list) or not 1 <= len(people) <= MOST_RECIPIENTS:
        raise Refused("400", "personalizations")
    for person in people:
        if not isinstance(person.get("dynamic_template_data", {}), dict):
            raise Refused("400", "dynamic_template_data")
        if not person.get("to") or not all(map(_is_address, person["to"])):
            raise Refused("recipient", str(person.get("to")))
    if not _is_address(mail.get("from")) or not _is_address(mail.get("reply_to", mail["from"])):
        raise Refused("400", "from, reply_to")
    if not _TEMPLATE.fullmatch(str(mail.get("template_id"))):
        raise Refused("template")
    if "asm" in mail and type(mail["asm"].get("group_id")) is not int:
        raise Refused("group")
    if RESERVED & {name.lower() for name in mail.get("headers", {})}:
        raise Refused("header")


def _is_address(found: Any) -> bool:
    return (
        isinstance(found, dict)
        and set(found) <= {"email", "name"}
        and isinstance(found.get("name", ""), str)
        and isinstance(found.get("email"), str)
        and _EMAIL.fullmatch(found["email"]) is not None
    )
