"""The server of an app that has a custom provider."""

from typing import Any, ClassVar

from aiohttp import web
from tests.gateways.faults import LOST, RESET, Fault, Refused
from tests.gateways.http import HttpGateway, basic_auth, read_object

TRIGGERS = {
    "push-notification-payload-generated": {"to", "notificationDetails"},
    "email-notification-payload-generated": {"to", "messages", "subject"},
    "sms-notification-payload-generated": {"to", "messages", "smsContent"},
}
ENVELOPE = {"trigger", "data", "appId", "region", "webhook"}
DETAILS = {
    "title",
    "body",
    "receiverType",
    "conversationId",
    "type",
    "sentAt",
    "unreadMessageCount",
}


class CustomGateway(HttpGateway):
    """Accepts calls of all three channels at any path."""

    ERRORS: ClassVar = {
        "400": Fault(400, "Bad request"),
        "401": Fault(401, "Unauthorized", {"WWW-Authenticate": "Basic"}),
        "404": Fault(404, "Not found"),
        "302": Fault(302, "", {"Location": "https://example.com/"}),
        "429": Fault(429, "Slow down", {"Retry-After": "3"}),
        "500": Fault(500, "Failed"),
        "503": Fault(503, "Busy", {"Retry-After": "2"}),
    }
    PASSING: ClassVar = ("429", "500", "503", RESET, LOST)

    def __init__(self, username: str = "", password: str = "") -> None:
        super().__init__()
        self.credentials = basic_auth(username, password) if username else None

    async def accept(self, request: web.BaseRequest, body: bytes) -> web.Response:
        if request.headers.get("Authorization") != self.credentials:
            raise Refused("401", "credentials")
        if request.method != "POST" or request.content_type != "application/json":
            raise Refused("400", "no POST of JSON")
        call = read_object(body, "400")
        _check_call(call)
        self.received.append(call)
        return web.Response(status=200, text="OK")


def _check_call(call: dict[str, Any]) -> None:
    if set(call) != ENVELOPE or call["webhook"] != "custom":
        raise Refused("400", f"envelope {sorted(call)}")
    needed = TRIGGERS.get(call["trigger"])
    if needed is None or not needed <= set(call["data"]):
        raise Refused("400", f"data of {call['trigger']}")
    if not call["data"]["to"].get("uid"):
        raise Refused("400", "to nobody")
    missing = DETAILS - set(call["data"].get("notificationDetails", DETAILS))
    if missing:
        raise Refused("400", f"details without {sorted(missing)}")
