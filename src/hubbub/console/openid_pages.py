"""Sign-in by an OpenID provider: the way there, the way back, and the one-time code after it."""

from collections.abc import Callable, Sequence
from urllib.parse import parse_qsl

from hubbub.console.render import render
from hubbub.console.requests import (
    check_origin,
    fields_of,
    find_client,
    needs_secure_cookie,
    read_cookies,
    read_form,
)
from hubbub.console.signing_in import OPENID, SignInPage, page_after, session_cookie
from hubbub.domain.operators.openid import (
    BEGUN_SECONDS,
    PROVEN_SECONDS,
    CodeRefused,
    OpenIdSignIn,
    OpenIdStep,
)
from hubbub.http.answer import Answer
from hubbub.http.errors import status_of
from hubbub.http.request import Request
from hubbub.http.routes import Routes
from hubbub.kernel.errors import Refusal
from hubbub.runtime import Runtime

BACK, CODE = f"{OPENID}/back", f"{OPENID}/code"
COOKIE = "hubbub_openid"
LONGEST_WANTED = 500
"""A longer address is not kept in the cookie: the first page is shown."""


class OpenIdPages:
    """The steps of a sign-in by the provider of the settings."""

    def __init__(
        self, runtime: Runtime, answer_page: Callable[..., Answer], signing_in: SignInPage
    ) -> None:
        self._runtime = runtime
        self._answer_page = answer_page
        self._signing_in = signing_in
        self._sign_in = OpenIdSignIn(runtime, runtime.settings.public_url.rstrip("/") + BACK)

    def add_to(self, routes: Routes) -> None:
        """Add the routes."""
        routes.add(OPENID, "GET", self.begin)
        routes.add(BACK, "GET", self.finish)
        routes.add(CODE, "POST", self.finish_with_code)

    async def begin(self, request: Request, _: Sequence[str]) -> Answer:
        """Lead to the provider, and remember in a cookie for what.

        Raises:
            UnknownPath: there are no operators.
        """
        await self._signing_in.check_on(request)
        wanted = _query_of(request).get("to", "")
        wanted = page_after(wanted if len(wanted) <= LONGEST_WANTED else "")
        try:
            to, sealed = await self._sign_in.begin(self._address(request), wanted)
        except Refusal as refusal:
            return self._refuse(request, refusal)
        answer = self._answer_page(b"", status=303)
        answer.set_header("Location", to)
        # Lax: the way back is a link on another site.
        answer.set_header("Set-Cookie", _cookie(request, sealed, BEGUN_SECONDS, "Lax"))
        return answer

    async def finish(self, request: Request, _: Sequence[str]) -> Answer:
        """Sign in whoever comes back, or ask for their one-time code.

        Raises:
            UnknownPath: there are no operators.
        """
        await self._signing_in.check_on(request)
        try:
            step = await self._sign_in.finish(
                self._address(request), _sealed_in(request), _query_of(request)
            )
        except Refusal as refusal:
            return self._refuse(request, refusal)
        if step.token:
            return self._open(request, step)
        answer = self._ask_for_code()
        cookie = _cookie(request, step.sealed, PROVEN_SECONDS, "Strict")
        answer.set_header("Set-Cookie", cookie)
        return answer

    async def finish_with_code(self, request: Request, _: Sequence[str]) -> Answer:
        """Sign in an operator whom the provider has named, if their code is right.

        Raises:
            UnknownPath: there are no operators.
        """
        await self._signing_in.check_on(request)
        try:
            check_origin(request)
            code = fields_of(await read_form(request)).get("code", "").replace(" ", "")
            step = await self._sign_in.finish_with_code(
                self._address(request), _sealed_in(request), code
            )
        except CodeRefused as refusal:
            return self._ask_for_code(refusal)
        except Refusal as refusal:
            return self._refuse(request, refusal)
        return self._open(request, step)

    def _address(self, request: Request) -> str:
        return find_client(request, self._runtime.settings)

    def _open(self, request: Request, step: OpenIdStep) -> Answer:
        """Set the cookie of the new session.

        The next page is one that this page asks for: a redirect would still be the provider's link,
        and the cookie, which is `SameSite=Strict`, would not be sent.
        """
        facts = {"title": "Signed in", "next": step.wanted}
        answer = self._answer_page(render("signed_in.html", facts))
        answer.set_header("Set-Cookie", session_cookie(request, step.token))
        return answer

    def _ask_for_code(self, problem: Refusal | None = None) -> Answer:
        facts = {"title": "One-time code", "problem": problem, "action": CODE}
        status = 200 if problem is None else status_of(type(problem))
        return self._answer_page(render("sign_in_code.html", facts), status=status)

    def _refuse(self, request: Request, refusal: Refusal) -> Answer:
        answer = self._signing_in.form(wanted="", problem=refusal)
        answer.set_header("Set-Cookie", _cookie(request, "", 0, "Lax"))
        return answer


def _query_of(request: Request) -> dict[str, str]:
    return dict(parse_qsl(request.query.decode("latin-1"), keep_blank_values=True))


def _sealed_in(request: Request) -> str:
    return read_cookies(request).get(COOKIE, "")


def _cookie(request: Request, sealed: str, seconds: int, same_site: str) -> str:
    secure = "; Secure" if needs_secure_cookie(request) else ""
    kept = f"{COOKIE}={sealed}; Path={OPENID}; Max-Age={seconds}; HttpOnly"
    return f"{kept}; SameSite={same_site}{secure}"
