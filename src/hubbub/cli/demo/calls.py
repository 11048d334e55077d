"""Calls of the interface in this process, with the key of the demo app."""

from typing import Any
from urllib.parse import quote

import msgspec

from hubbub.http.app import HttpApplication
from hubbub.http.request import Request

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode
BOUNDARY = "7MA4YWxkTrZu0gWhubbub"


class DemoIncomplete(Exception):
    """A call for the content of the demo app was refused."""


class DemoCalls:
    """Makes calls like a server of the demo app's operator."""

    def __init__(self, app: HttpApplication, app_id: str, key: str) -> None:
        self._app = app
        self._headers = {b"appid": app_id.encode(), b"apikey": key.encode()}

    async def call(self, method: str, path: str, body: Any = None, *, by: str = "") -> Any:
        """Return the data of the answer.

        Raises:
            DemoIncomplete: the call is refused.
        """
        return (await self.answer(method, path, body, by=by))["data"]

    async def answer(self, method: str, path: str, body: Any = None, *, by: str = "") -> Any:
        """Return the answer, with its `data` and `meta`.

        Raises:
            DemoIncomplete: the call is refused.
        """
        content = b"" if body is None else _encode(body)
        return await self._send(method, path, content, b"application/json", by)

    async def send_file(self, fields: dict[str, Any], name: str, content: bytes, *, by: str) -> Any:
        """Send a message with a file; return the message.

        Raises:
            DemoIncomplete: the call is refused.
        """
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="'
        parts = [
            f'{head}{field}"\r\n\r\n'.encode() + _text(value) + b"\r\n"
            for field, value in fields.items()
        ]
        parts.append(f'{head}file"; filename="{name}"\r\n\r\n'.encode() + content + b"\r\n")
        form = b"".join([*parts, f"--{BOUNDARY}--\r\n".encode()])
        media_type = f"multipart/form-data; boundary={BOUNDARY}".encode()
        return (await self._send("POST", "/messages", form, media_type, by))["data"]

    async def _send(self, method: str, path: str, body: bytes, media_type: bytes, by: str) -> Any:
        bare, _, query = path.partition("?")
        headers = {
            **self._headers,
            b"content-type": media_type,
            b"content-length": b"%d" % len(body),
            **({b"onbehalfof": by.encode()} if by else {}),
        }
        answer = await self._app.answer(
            Request(
                method,
                f"/v3{quote(bare)}".encode(),
                query.encode(),
                headers,
                header_bytes=0,
                client="",
                is_secure=True,
                body=body,
            )
        )
        said = _decode(await answer.whole_body())
        if answer.status != 200:
            raise DemoIncomplete(f"{method} {path}: {said}")
        return said


def _text(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else _encode(value)
