"""The page at which operators sign in; the cookie of a session, and the page that is wanted."""

import re
from collections.abc import Callable, Sequence
from urllib.parse import parse_qsl, quote, urlsplit

import structlog

from hubbub.console.page import BASE
from hubbub.console.render import render
from hubbub.console.requests import (
    check_origin,
    fields_of,
    find_client,
    needs_secure_cookie,
    read_form,
)
from hubbub.domain.operators.manage import has_operators
from hubbub.domain.operators.sign_in import SignInRefused, TooManySignIns, sign_in
from hubbub.http.answer import Answer
from hubbub.http.app import UnknownPath
from hubbub.http.errors import status_of
from hubbub.http.request import Request
from hubbub.kernel.errors import Refusal
from hubbub.records.audit.model import Doer
from hubbub.records.operators.model import LONGEST_PASSWORD, SESSION_SECONDS
from hubbub.runtime import Runtime

log = structlog.get_logger()

SIGN_IN = f"{BASE}/sign-in"
OPENID = f"{SIGN_IN}/openid"
COOKIE = "hubbub_console"
LONGEST_NAME = 64
_WANTED = re.compile(r"/console(?:[/?][\w.~%/?=&:@+-]*)?", re.ASCII)
"""Pages of the console, and nothing else: nobody is sent elsewhere by a link."""


def sign_in_address(request: Request) -> str:
    """Return the address of the page, which leads to the page that was wanted."""
    if request.method != "GET" or request.path == BASE.encode():
        return SIGN_IN
    wanted = request.path + (b"?" + request.query if request.query else b"")
    return f"{SIGN_IN}?to={quote(wanted.decode('latin-1'), safe='/')}"


def page_after(wanted: str) -> str:
    """Return the page to show after the sign-in: the wanted one, if it is of the console."""
    return wanted if _WANTED.fullmatch(wanted) else BASE


def session_cookie(request: Request, token: str) -> str:
    """Return the header that sets the cookie of a session; an empty token deletes it."""
    seconds = SESSION_SECONDS if token else 0
    secure = "; Secure" if needs_secure_cookie(request) else ""
    return f"{COOKIE}={token}; Path={BASE}; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"


class SignInPage:
    """The form, and what it does."""

    def __init__(self, runtime: Runtime, answer_page: Callable[..., Answer]) -> None:
        self._runtime = runtime
        self._answer_page = answer_page

    async def show(self, request: Request, _: Sequence[str]) -> Answer:
        """Show the form.

        Raises:
            UnknownPath: there are no operators.
        """
        await self.check_on(request)
        query = dict(parse_qsl(request.query.decode("latin-1")))
        return self.form(wanted=query.get("to", ""))

    async def sign_in(self, request: Request, _: Sequence[str]) -> Answer:
        """Sign in: the session is always a new one, whatever the browser had.

        Raises:
            UnknownPath: there are no operators.
        """
        await self.check_on(request)
        name = wanted = ""
        try:
            check_origin(request)
            fields = fields_of(await read_form(request))
            name, wanted = fields.get("name", "").strip().lower(), fields.get("to", "")
            token = await self._sign_in(request, name, fields)
        except Refusal as refusal:
            return self.form(wanted=wanted, name=name, problem=refusal)
        answer = self._answer_page(b"", status=303)
        answer.set_header("Location", page_after(wanted))
        answer.set_header("Set-Cookie", session_cookie(request, token))
        return answer

    async def _sign_in(self, request: Request, name: str, fields: dict[str, str]) -> str:
        password, code = fields.get("password", ""), fields.get("code", "").replace(" ", "")
        if len(name) > LONGEST_NAME or len(password) > LONGEST_PASSWORD or "\0" in name:
            raise SignInRefused
        doer = Doer(name, find_client(request, self._runtime.settings))
        try:
            return await sign_in(self._runtime, doer, password, code)
        except (SignInRefused, TooManySignIns) as refusal:
            # Not the name: people type their password there by mistake.
            reason = "wrong" if isinstance(refusal, SignInRefused) else "too often"
            log.warning("sign_in_refused", address=doer.address, reason=reason)
            raise

    def form(self, *, wanted: str, name: str = "", problem: Refusal | None = None) -> Answer:
        """Return the form, with why an attempt was refused."""
        facts = {
            "title": "Sign in",
            "wanted": wanted if _WANTED.fullmatch(wanted) else "",
            "name": name,
            "problem": problem,
            "openid": OPENID,
            "provider": urlsplit(self._runtime.settings.openid_issuer).netloc,
        }
        status = 200 if problem is None else status_of(type(problem))
        return self._answer_page(render("sign_in.html", facts), status=status)

    async def check_on(self, request: Request) -> None:
        """Check that the console is on, which it is once there is an operator.

        Raises:
            UnknownPath: there are no operators.
        """
        if not await has_operators(self._runtime):
            raise UnknownPath(request.path)
