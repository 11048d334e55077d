"""Serves a page with a chat, and gives it auth tokens, as your own server would.

    python examples/serve_chat.py FOLDER --key KEY

Who uses the page is in its address, so this is for your own machine only. Your server knows who
has signed in.
"""

import argparse
import json
import urllib.parse
import urllib.request
import uuid
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

VERSION = uuid.uuid4().hex


class ChatPage(SimpleHTTPRequestHandler):
    """The files of a folder, and `/session?uid=…` with the interface's address and a token."""

    def __init__(self, *given: Any, url: str, key: str, folder: str) -> None:
        self.url = url
        self.key = key
        super().__init__(*given, directory=folder)

    def do_GET(self) -> None:
        """Answer with a file, or with a new token for the person in the address."""
        asked = urllib.parse.urlsplit(self.path)
        if asked.path != "/session":
            super().do_GET()
            return
        (uid,) = urllib.parse.parse_qs(asked.query)["uid"]
        answer = json.dumps({"url": f"{self.url}/v3", "token": self.fetch_token(uid)}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def end_headers(self) -> None:
        """Name the version of what is served, so that pages can keep it."""
        self.send_header("ETag", f'"{VERSION}"')
        super().end_headers()

    def fetch_token(self, uid: str) -> str:
        """Return a new auth token of a user, made with the API key, which no page ever sees."""
        address = f"{self.url}/v3/users/{urllib.parse.quote(uid, safe='')}/auth_tokens"
        request = urllib.request.Request(address, method="POST", headers={"apikey": self.key})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return str(json.load(answer)["data"]["authToken"])

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def main() -> None:
    """Serve until Ctrl+C."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--url", default="http://127.0.0.1:8080", help="where Hubbub is")
    parser.add_argument("--key", required=True, help="an API key of the app with full access")
    parser.add_argument("--port", type=int, default=5173)
    said = parser.parse_args()
    page = partial(ChatPage, url=said.url, key=said.key, folder=said.folder)
    server = ThreadingHTTPServer(("127.0.0.1", said.port), page)
    print(f"Open http://127.0.0.1:{server.server_port}/?uid=anna", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
