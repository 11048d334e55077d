"""Twilio's REST interface of 2010-04-01, as far as messages are sent by it."""

import re
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import parse_qsl

from aiohttp import web
from tests.gateways.faults import LOST, RESET, Fault, Refused
from tests.gateways.http import HttpGateway, basic_auth

LONGEST_BODY = 1600
ONE_SEGMENT, OF_SEVERAL = 160, 153
_NUMBER = re.compile(r"\+[1-9][0-9]{6,14}")


@dataclass(frozen=True, slots=True)
class ShortMessage:
    """A message that was accepted."""

    to: str
    sender: str
    text: str


def _fault(status: int, code: int, message: str, **headers: str) -> Fault:
    body: dict[str, Any] = {
        "code": code,
        "message": message,
        "more_info": f"https://www.twilio.com/docs/errors/{code}",
        "status": status,
    }
    return Fault(status, body, {name.replace("_", "-"): said for name, said in headers.items()})


class TwilioGateway(HttpGateway):
    """Accepts messages of one account and one number."""

    ERRORS: ClassVar = {
        "20003": _fault(401, 20003, "Authenticate"),
        "20005": _fault(403, 20005, "Account not active"),
        "20404": _fault(404, 20404, "The requested resource was not found"),
        "20429": _fault(429, 20429, "Too Many Requests", Retry_After="5"),
        "21211": _fault(400, 21211, "Invalid 'To' Phone Number: +1555XXXX"),
        "21408": _fault(400, 21408, "Permission to send an SMS has not been enabled"),
        "21602": _fault(400, 21602, "Message body is required."),
        "21603": _fault(400, 21603, "A 'From' phone number is required."),
        "21604": _fault(400, 21604, "A 'To' phone number is required."),
        "21606": _fault(400, 21606, "The 'From' phone number is not valid for this account."),
        "21610": _fault(400, 21610, "Attempt to send to unsubscribed recipient"),
        "21611": _fault(400, 21611, "The 'From' number has exceeded its queue of messages"),
        "21614": _fault(400, 21614, "'To' number is not a valid mobile number"),
        "21617": _fault(400, 21617, "The message body exceeds the 1600 character limit"),
        "500": _fault(500, 20500, "Internal Server Error"),
        "503": Fault(503, "Service Unavailable"),
    }
    PASSING: ClassVar = ("20429", "500", "503", RESET, LOST)

    def __init__(self, account_sid: str, auth_token: str, number: str) -> None:
        super().__init__()
        self.path = f"/2010-04-01/Accounts/{account_sid}/Messages.json"
        self.credentials = basic_auth(account_sid, auth_token)
        self.number = number
        self.unsubscribed: set[str] = set()

    async def accept(self, request: web.BaseRequest, body: bytes) -> web.Response:
        if request.headers.get("Authorization") != self.credentials:
            raise Refused("20003", "credentials")
        if request.method != "POST" or request.path != self.path:
            raise Refused("20404", request.path)
        is_form = request.content_type == "application/x-www-form-urlencoded"
        form = dict(parse_qsl(body.decode(), strict_parsing=True)) if is_form else {}
        self._check_form(form)
        self.received.append(ShortMessage(form["To"], form["From"], form["Body"]))
        return web.json_response(_describe(form, len(self.received)), status=201)

    def _check_form(self, form: dict[str, str]) -> None:
        for name, code in (("To", "21604"), ("From", "21603"), ("Body", "21602")):
            if not form.get(name):
                raise Refused(code)
        if not _NUMBER.fullmatch(form["To"]):
            raise Refused("21211", form["To"])
        if form["From"] != self.number:
            raise Refused("21606", form["From"])
        if form["To"] in self.unsubscribed:
            raise Refused("21610", form["To"])
        if len(form["Body"]) > LONGEST_BODY:
            raise Refused("21617")


def _describe(form: dict[str, str], number: int) -> dict[str, Any]:
    length = len(form["Body"])
    segments = 1 if length <= ONE_SEGMENT else -(-length // OF_SEVERAL)
    return {
        "sid": f"SM{number:032x}",
        "status": "queued",
        "to": form["To"],
        "from": form["From"],
        "body": form["Body"],
        "num_segments": str(segments),
        "error_code": None,
        "error_message": None,
    }
