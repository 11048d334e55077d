"""SendGrid: mail made from a template there, by its Web API v3."""

from dataclasses import replace
from typing import Any

import msgspec

from hubbub.outbound.answer import LONGEST_PAUSE, Response
from hubbub.providers.calls import ProviderCaller, clean, read_json
from hubbub.providers.custom import NO_EMAIL
from hubbub.providers.interface import Mail, Result, SendOutcome
from hubbub.records.notifications.setups import SendGridSetup

PATH = "/v3/mail/send"
MOST_DIGITS = 12
LONGEST_LOCAL = 64
"""Of an address before the @, by RFC 5321."""

_encode = msgspec.json.Encoder().encode


class _SendGridError(msgspec.Struct):
    message: str = ""
    field: str | None = None


class _SendGridRefusal(msgspec.Struct):
    errors: list[_SendGridError] = []


_decode = msgspec.json.Decoder(_SendGridRefusal).decode


class SendGrid:
    """SendGrid with the key of an app."""

    def __init__(self, caller: ProviderCaller, base: str, setup: SendGridSetup) -> None:
        self._caller = caller
        self._url = base + PATH
        self._setup = setup
        self._key = setup.api_key or ""

    def render(self, mail: Mail) -> dict[str, Any]:
        setup = self._setup
        to = {"email": mail.email, "name": mail.data["to"].get("name") or ""}
        body: dict[str, Any] = {
            "from": {"email": setup.sender_email, "name": setup.sender_name},
            "personalizations": [
                {
                    "to": [{name: said for name, said in to.items() if said}],
                    "dynamic_template_data": dict(mail.data),
                }
            ],
            "template_id": setup.template_id,
        }
        if setup.unsubscribe_group_id:
            body["asm"] = {"group_id": _read_group(setup.unsubscribe_group_id)}
        if setup.allow_email_replies and setup.sender_email_for_replies:
            body["reply_to"] = {"email": setup.sender_email_for_replies}
        return body

    async def send(self, mail: Mail) -> Result:
        if not mail.email:
            return NO_EMAIL
        # Not rendered for people: who knows the URL can end another's mail, and who knows the tag
        # has half of what it takes to write as another.
        body = {**self.render(mail), "headers": list_headers(mail)}
        if mail.reply_tag and "reply_to" in body:
            body["reply_to"] = {"email": _add_tag(body["reply_to"]["email"], mail.reply_tag)}
        return await self._caller.post(
            self._url,
            _encode(body),
            {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"},
            self._read,
        )

    def _read(self, answer: Response) -> Result:
        result = self._caller.judge(answer, clean(_read_reason(answer), self._key))
        if result.outcome is SendOutcome.SLOWER and result.retry_after is None:
            return replace(result, retry_after=self._read_reset(answer))
        return result

    def _read_reset(self, answer: Response) -> float | None:
        """Return how long it is until calls are accepted again."""
        text = answer.headers.get("X-RateLimit-Reset", "")
        if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
            return None
        return min(max(0.0, float(text) - self._caller.clock.now()), LONGEST_PAUSE)


def _add_tag(address: str, tag: str) -> str:
    """Return an address with a tag; without it if there is no room."""
    local, _, host = address.rpartition("@")
    tagged = f"{local}+{tag}"
    has_room = len(tagged.encode()) <= LONGEST_LOCAL and not local.endswith('"')
    return f"{tagged}@{host}" if has_room else address


def list_headers(mail: Mail) -> dict[str, str]:
    """Return the headers of a mail that are not its addresses: RFC 2369 and RFC 8058."""
    headers = {}
    if mail.unsubscribe_url:
        headers["List-Unsubscribe"] = f"<{mail.unsubscribe_url}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return headers


def _read_group(text: str) -> int | str:
    """Return the id of an unsubscribe group; SendGrid itself refuses one that is no number."""
    is_number = text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
    return int(text) if is_number else text


def _read_reason(answer: Response) -> str:
    errors = read_json(answer, _decode, _SendGridRefusal()).errors
    said = (f"{each.field}: {each.message}" if each.field else each.message for each in errors)
    return " ".join(said)
