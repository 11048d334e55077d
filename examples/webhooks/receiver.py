"""Receive webhooks of Hubbub: verify each call, and handle each event once. It needs no library.

WEBHOOK_SECRET=whsec_... python receiver.py 9000
"""

import base64
import hmac
import json
import os
import re
import sys
import threading
import time
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300
LARGEST_BODY = 1024 * 1024
MOST_IDS = 100_000


def is_genuine(key: bytes, headers: Message, body: bytes) -> bool:
    """Return whether Hubbub has sent this call, in the last minutes."""
    timestamp = headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", timestamp):
        return False
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256"))
    # After a rotation of the secret there are two signatures; one that fits is enough.
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(each, expected) for each in given)


class Events:
    """The ids of the events that were handled. Keep them in your database, not in memory."""

    def __init__(self) -> None:
        self._ids: dict[str, None] = {}
        self._lock = threading.Lock()

    def handle_once(self, id_: str, body: dict[str, str]) -> None:
        """Handle an event, unless it was handled before."""
        with self._lock:
            if id_ in self._ids:
                return
            print("event", id_, body["trigger"], file=sys.stderr, flush=True)
            self._ids[id_] = None
            if len(self._ids) > MOST_IDS:
                del self._ids[next(iter(self._ids))]


class Receiver(BaseHTTPRequestHandler):
    """Answers calls."""

    key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
    events = Events()
    timeout = 10

    def do_POST(self) -> None:
        """Answer a call."""
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,7}", length) or int(length) > LARGEST_BODY:
            return self._answer(413)
        raw = self.rfile.read(int(length))
        if not is_genuine(self.key, self.headers, raw):
            return self._answer(401)
        body = json.loads(raw)
        self.events.handle_once(self.headers["webhook-id"], body)
        if body["trigger"] == "before_message":
            return self._answer(200, b'{"action": "allow"}')
        self._answer(204)

    def _answer(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        if body:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing but events."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
