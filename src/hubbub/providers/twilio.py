"""Twilio: short messages, by its REST interface of 2010-04-01."""

from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from hubbub.outbound.answer import Response
from hubbub.providers.calls import ProviderCaller, basic_auth, clean, read_json
from hubbub.providers.custom import NO_NUMBER
from hubbub.providers.interface import SENT, Result, SendOutcome, Sms
from hubbub.records.notifications.setups import TwilioSetup

PATH = "/2010-04-01/Accounts/{sid}/Messages.json"
LONGEST_BODY = 1600
"""The longest text that is accepted at once; it is cut there into the segments of the network."""
QUEUE_IS_FULL = 21611


class _TwilioRefusal(msgspec.Struct):
    code: int | None = None
    message: str = ""


_decode = msgspec.json.Decoder(_TwilioRefusal).decode


class Twilio:
    """Twilio with the account of an app."""

    def __init__(self, caller: ProviderCaller, base: str, setup: TwilioSetup) -> None:
        sid = setup.account_sid or ""
        self._caller = caller
        self._url = base + PATH.format(sid=quote(sid, safe=""))
        self._sender = setup.sender_phone_number or ""
        self._token = setup.auth_token
        self._headers = {
            **basic_auth(sid, self._token),
            "Content-Type": "application/x-www-form-urlencoded",
        }

    def render(self, sms: Sms) -> dict[str, Any]:
        return {"To": sms.phone_number, "From": self._sender, "Body": sms.data["smsContent"]}

    async def send(self, sms: Sms) -> Result:
        if not sms.phone_number:
            return NO_NUMBER
        form = self.render(sms)
        result = SENT
        for part in split_text(form["Body"]):
            body = urlencode({**form, "Body": part}).encode()
            result = await self._caller.post(self._url, body, self._headers, self._read)
            if result.outcome is not SendOutcome.SENT:
                break
        return result

    def _read(self, answer: Response) -> Result:
        refusal = read_json(answer, _decode, _TwilioRefusal())
        said = f"{refusal.code}: {refusal.message}" if refusal.code else ""
        result = self._caller.judge(answer, clean(said, self._token))
        if refusal.code == QUEUE_IS_FULL and result.outcome is SendOutcome.REFUSED:
            return Result(SendOutcome.SLOWER, result.reason, result.retry_after)
        return result


def split_text(text: str) -> list[str]:
    """Return a text in parts that Twilio accepts, cut at spaces where there are some."""
    # Twilio counts in UTF-16, where a character outside ASCII may count twice.
    most = LONGEST_BODY if text.isascii() else LONGEST_BODY // 2
    parts = []
    while len(text) > most:
        space = text.rfind(" ", most * 3 // 4, most)
        end = space if space > 0 else most
        parts.append(text[:end])
        text = text[end:].lstrip()
    return [*parts, text]
