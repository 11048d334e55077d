"""The routes of the console: a request becomes a visit, is checked, and is answered with a page."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from hmac import compare_digest
from importlib import import_module
from importlib.resources import files
from pkgutil import iter_modules
from typing import Any
from urllib.parse import quote, unquote, urlencode

import structlog

from hubbub.console import pages
from hubbub.console.access import check_visit, may_visit
from hubbub.console.menu import MAIN, OF_APP, menu_of
from hubbub.console.openid_pages import OpenIdPages
from hubbub.console.page import (
    BASE,
    PAGES,
    ChangeMade,
    ConsolePage,
    FileToSave,
    LinkToFollow,
    Outcome,
    PageShown,
    fill_path,
)
from hubbub.console.portal import PORTAL, REPLAY, PortalPage
from hubbub.console.render import render
from hubbub.console.requests import (
    NotOfThisSite,
    check_origin,
    fields_of,
    find_client,
    needs_secure_cookie,
    read_cookies,
    read_form,
    read_form_with_file,
)
from hubbub.console.signing_in import (
    COOKIE,
    SIGN_IN,
    SignInPage,
    session_cookie,
    sign_in_address,
)
from hubbub.console.visit import Visit
from hubbub.domain.attachments.upload import Upload
from hubbub.domain.operators.manage import has_operators
from hubbub.domain.operators.sign_in import find_session
from hubbub.http.answer import Answer, answer_in_parts
from hubbub.http.app import UnknownPath
from hubbub.http.decoding.decode import decode_query
from hubbub.http.decoding.forms import read_upload
from hubbub.http.errors import status_of
from hubbub.http.pages.content import CompressedContent
from hubbub.http.pages.reference.page import TOKENS
from hubbub.http.pages.site import HTML
from hubbub.http.request import Request
from hubbub.http.routes import Routes
from hubbub.kernel.errors import Refusal
from hubbub.records.operators.model import OperatorSession
from hubbub.runtime import Runtime

log = structlog.get_logger()

for _module in iter_modules(pages.__path__, f"{pages.__name__}."):
    import_module(_module.name)

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self';"
        " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
NOTICE = "hubbub_notice"
"""The cookie by which the next page says what was done."""
CSRF = "csrf"
LONGEST_ID = 250
"""The longest parameter of a path: the id of a conversation has two uids of 100."""
JS, CSS = "text/javascript; charset=utf-8", "text/css; charset=utf-8"
_STATIC = files(__package__) / "static"
STATIC = {
    "console.css": (CSS, lambda: TOKENS + (_STATIC / "console.css").read_bytes()),
    "console.js": (JS, (_STATIC / "console.js").read_bytes),
    "htmx.js": (JS, (_STATIC / "htmx.min.js").read_bytes),
    "uplot.js": (JS, (_STATIC / "uPlot.iife.min.js").read_bytes),
    "uplot.css": (CSS, (_STATIC / "uPlot.min.css").read_bytes),
}


def add_console(routes: Routes, runtime: Runtime) -> None:
    """Add the routes of the console."""
    for name, (content_type, read) in STATIC.items():
        content = CompressedContent(content_type, read, headers=_of_files())
        routes.add(f"{BASE}/static/{name}", "GET", content)
    signing_in = SignInPage(runtime, _answer_page)
    routes.add(SIGN_IN, "GET", signing_in.show)
    routes.add(SIGN_IN, "POST", signing_in.sign_in)
    if runtime.settings.openid_issuer:
        OpenIdPages(runtime, _answer_page, signing_in).add_to(routes)
    portal = PortalPage(runtime, _answer_page)
    routes.add(PORTAL, "GET", portal.show)
    routes.add(REPLAY, "POST", portal.replay)
    routes.add(
        "/portal/console.css", "GET", CompressedContent(*STATIC["console.css"], headers=_of_files())
    )
    for page in PAGES.values():
        routes.add(BASE + page.path, page.method, ConsoleEndpoint(runtime, page))


def _of_files() -> dict[str, str]:
    return {name: text for name, text in HEADERS.items() if name != "Cache-Control"}


class ConsoleEndpoint:
    """Answers the requests of one page."""

    def __init__(self, runtime: Runtime, page: ConsolePage) -> None:
        self._runtime = runtime
        self._page = page
        self._names = [part[1:-1] for part in page.path.split("/") if part[:1] == "{"]

    async def __call__(self, request: Request, parts: Sequence[str]) -> Answer:
        """Answer a request.

        Raises:
            UnknownPath: there are no operators, so there is no console.
        """
        values = dict(zip(self._names, parts, strict=True))
        token = read_cookies(request).get(COOKIE, "")
        try:
            session = await self._find_session(token)
        except Refusal as refusal:
            return _answer_problem(refusal)
        if session is None:
            return await self._ask_to_sign_in(request)
        visit = Visit(
            self._runtime,
            request,
            session,
            self._runtime.sealer.hash(f"csrf {token}"),
            find_client(request, self._runtime.settings),
            self._page,
            values,
        )
        try:
            return await self._answer(visit)
        except Refusal as refusal:
            return _answer_problem(refusal, visit)

    async def _find_session(self, token: str) -> OperatorSession | None:
        if not token:
            return None
        return await find_session(self._runtime, token, is_by_person=not self._page.is_live)

    async def _ask_to_sign_in(self, request: Request) -> Answer:
        if not await has_operators(self._runtime):
            raise UnknownPath(request.path)
        address = sign_in_address(request)
        if b"hx-request" in request.headers:
            answer = _answer_page(b"", status=401)
            answer.set_header("HX-Redirect", SIGN_IN)
            return answer
        return _redirect(address)

    async def _answer(self, visit: Visit) -> Answer:
        """Answer a visit.

        Raises:
            Refusal: the operator may not see the page, or what it is about does not exist.
        """
        if any("\0" in each or len(each) > LONGEST_ID for each in visit.values.values()):
            raise UnknownPath(visit.request.path)
        if self._page.method == "GET":
            await check_visit(self._runtime, visit.operator, self._page, visit.values)
            query = visit.request.query.decode("latin-1")
            return _answer_outcome(visit, await _handle(visit, self._page, query))
        check_origin(visit.request)
        await check_visit(self._runtime, visit.operator, self._page, visit.values)
        try:
            return await self._take(visit, await self._read(visit))
        finally:
            if visit.upload is not None:
                await visit.upload.discard()

    async def _take(self, visit: Visit, encoded: str) -> Answer:
        """Answer what a form sends, if a page of this session has it."""
        visit.entered = fields_of(encoded)
        if not compare_digest(visit.entered.get(CSRF, "").encode(), visit.csrf.encode()):
            raise NotOfThisSite
        try:
            outcome = await _handle(visit, self._page, encoded)
        except Refusal as refusal:
            return await self._show_refused(visit, refusal)
        assert visit.has_recorded, f"{self._page.path} changes something and records nothing"
        return _answer_outcome(visit, outcome)

    async def _read(self, visit: Visit) -> str:
        form, largest = self._page.form, self._page.largest_file
        if self._page.takes_upload and visit.request.is_form:
            visit.upload = Upload(self._runtime, visit.app)
            return urlencode(await read_upload(visit.request, visit.upload))
        if not largest:
            return await read_form(visit.request)
        names = {CSRF, *(form.__struct_fields__ if form is not None else ())}
        encoded, visit.file = await read_form_with_file(visit.request, names, largest=largest)
        return encoded

    async def _show_refused(self, visit: Visit, refusal: Refusal) -> Answer:
        """Show the page with the form again, with what was entered, and why it was refused."""
        page = PAGES["GET", self._page.back]
        again = replace(visit, page=page, problem=refusal)
        try:
            await check_visit(self._runtime, visit.operator, page, visit.values)
            outcome = await _handle(again, page, "")
        except Refusal:  # what the page is about is gone
            return _answer_problem(refusal, visit)
        answer = _answer_outcome(again, outcome)
        answer.status = status_of(type(refusal))
        return answer


async def _handle(visit: Visit, page: ConsolePage, encoded: str) -> Outcome:
    arguments: dict[str, Any] = {
        part[1:-1]: visit.values[part[1:-1]] for part in page.path.split("/") if part[:1] == "{"
    }
    if page.form is not None:
        arguments["form"] = decode_query(encoded, page.form)
    if page.query is not None:
        arguments["query"] = decode_query(encoded, page.query)
    return await page.handle(visit, **arguments)


def _answer_outcome(visit: Visit, outcome: Outcome) -> Answer:
    if isinstance(outcome, ChangeMade):
        to = outcome.to or fill_path(visit.page.back, visit.values).removeprefix(BASE)
        answer = _redirect(BASE + to, notice=outcome.notice, request=visit.request)
        if outcome.ends_session:
            answer.set_header("Set-Cookie", session_cookie(visit.request, ""))
        return answer
    if isinstance(outcome, FileToSave):
        answer = _with_headers(answer_in_parts(outcome.parts))
        answer.content_type = outcome.content_type
        answer.set_header("Content-Disposition", f'attachment; filename="{outcome.name}"')
        return answer
    if isinstance(outcome, LinkToFollow):
        return _redirect(outcome.address)
    return _answer_shown(visit, outcome)


def _answer_shown(visit: Visit, shown: PageShown) -> Answer:
    notice = unquote(read_cookies(visit.request).get(NOTICE, ""))
    facts = {**_frame(visit), "title": shown.title or visit.page.title, "notice": notice}
    answer = _answer_page(render(shown.template, {**facts, **shown.facts}))
    if notice:
        answer.set_header("Set-Cookie", f"{NOTICE}=; Path={BASE}; Max-Age=0")
    return answer


def _frame(visit: Visit) -> Mapping[str, Any]:
    """Return what all templates may use."""
    return {
        "visit": visit,
        "operator": visit.operator,
        "app": visit.app,
        "menu": menu_of(visit, MAIN),
        "may": partial(_may, visit),
        "app_menu": menu_of(visit, OF_APP) if visit.app else [],
        "problem": visit.problem,
        "entered": visit.entered if visit.problem else {},
    }


def _may(visit: Visit, method: str, path: str) -> bool:
    """Return whether the operator may do something: a page shows no form that would be refused."""
    return may_visit(visit.operator, PAGES[method, path], visit.values)


def _answer_problem(refusal: Refusal, visit: Visit | None = None) -> Answer:
    status = status_of(type(refusal))
    facts = {"problem": refusal, "title": refusal.message, "status": status}
    if visit is None:
        return _answer_page(render("problem.html", facts), status=status)
    frame = {**_frame(visit), "app": "", "app_menu": [], "notice": "", "entered": {}}
    return _answer_page(render("problem_within.html", {**frame, **facts}), status=status)


def _redirect(address: str, *, notice: str = "", request: Request | None = None) -> Answer:
    answer = _answer_page(b"", status=303)
    answer.set_header("Location", address)
    if notice and request is not None:
        secure = "; Secure" if needs_secure_cookie(request) else ""
        kept = f"{NOTICE}={quote(notice)}; Path={BASE}; Max-Age=30; HttpOnly; SameSite=Strict"
        answer.set_header("Set-Cookie", kept + secure)
    return answer


def _answer_page(content: bytes, *, status: int = 200, content_type: str = HTML) -> Answer:
    return _with_headers(Answer(content, status=status, content_type=content_type))


def _with_headers(answer: Answer) -> Answer:
    for name, text in HEADERS.items():
        answer.set_header(name, text)
    return answer
