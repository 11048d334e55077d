"""Operators at their browsers, as far as tests need one: cookies, forms, tokens of forms."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape
from http.cookies import SimpleCookie
from urllib.parse import urlencode

from tests.wire import LOOPBACK, Answer, Asked, Sender
from tests.world import Node

from hubbub.domain.operators.manage import add_operator
from hubbub.records.audit.model import COMMAND_LINE, Doer
from hubbub.records.operators.model import ALL_APPS, OperatorRole

PASSWORD = "correct horse battery"
FORM = "application/x-www-form-urlencoded"
_CSRF = re.compile(r'name="csrf" value="([0-9a-f]+)"')


@dataclass
class Visitor:
    """A browser, with the cookies that it was given."""

    sender: Sender
    name: str = ""
    client: str = LOOPBACK
    cookies: dict[str, str] = field(default_factory=dict)
    answer: Answer = field(default_factory=lambda: Answer(0, {}, b""))
    """The latest answer."""

    async def ask(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Send a request with the cookies, and keep those of the answer."""
        cookies = "; ".join(f"{name}={text}" for name, text in self.cookies.items())
        sent = {"content-type": FORM, **({"cookie": cookies} if cookies else {}), **(headers or {})}
        asked = Asked(method, path, sent, body, self.client)
        self.answer = await self.sender.send(asked)
        assert self.answer.status != 500, self.answer
        for name, given in SimpleCookie(self.answer.headers.get("set-cookie", "")).items():
            if given["max-age"] == "0":
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = given.value
        return self.answer

    async def get(self, path: str = "", *, status: int = 200) -> str:
        """Return a page below `/console` as text."""
        answer = await self.ask("GET", f"/console{path}")
        assert answer.status == status, answer
        return answer.body.decode()

    async def csrf(self) -> str:
        """Return the token of the forms, as a page has it."""
        found = _CSRF.search(await self.get("/account"))
        assert found is not None
        return found[1]

    async def post(
        self,
        path: str,
        fields: Mapping[str, str] | None = None,
        *,
        status: int = 303,
        csrf: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> str:
        """Send a form of a page; return the page that is answered, or where it leads."""
        token = await self.csrf() if csrf is None else csrf
        body = urlencode({"csrf": token, **(fields or {})}).encode()
        answer = await self.ask("POST", f"/console{path}", body, headers)
        assert answer.status == status, answer
        return answer.headers["location"] if status == 303 else answer.body.decode()

    async def upload(
        self,
        path: str,
        fields: Mapping[str, str],
        name: str,
        content: bytes,
        *,
        csrf: str | None = None,
    ) -> int:
        """Send a form with a file; return the status of the answer."""
        given = {"csrf": await self.csrf() if csrf is None else csrf, **fields}
        parts = [
            f'--x\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{text}\r\n'.encode()
            for field, text in given.items()
        ]
        head = f'--x\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        body = b"".join([*parts, head.encode(), content, b"\r\n--x--\r\n"])
        kind = {"content-type": "multipart/form-data; boundary=x"}
        return (await self.ask("POST", f"/console{path}", body, kind)).status

    async def sign_in(
        self, password: str = PASSWORD, *, code: str = "", to: str = "", status: int = 303
    ) -> Answer:
        """Sign in."""
        fields = {"name": self.name, "password": password, "code": code, "to": to}
        answer = await self.ask("POST", "/console/sign-in", urlencode(fields).encode())
        assert answer.status == status, answer
        return answer

    async def notice(self, path: str) -> str:
        """Return what the next page says of a change."""
        found = re.search(r'role="status">(.*?)</p>', await self.get(path))
        assert found is not None
        return unescape(found[1])


async def make_operator(
    node: Node, role: OperatorRole = OperatorRole.OWNER, app: str = ALL_APPS
) -> str:
    """Add an operator with a name of their own; return the name."""
    name = f"{role}-{node.runtime.ids.hexadecimal(8)}"
    await add_operator(node.runtime, Doer(COMMAND_LINE), name, role, app, PASSWORD)
    return name


def address_of_their_own(node: Node) -> str:
    """Return an address from which nobody else tries to sign in."""
    digits = node.runtime.ids.hexadecimal(8)
    return f"fd00::{digits[:4]}:{digits[4:]}"
