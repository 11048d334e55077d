"""Operators sign in and out; sessions end; attempts are limited; others' forms do nothing."""

import re

import pytest
from structlog.testing import capture_logs
from tests.clock import ManualClock
from tests.conftest import NewSettings
from tests.console.conftest import SignIn, console_of
from tests.console.visitors import PASSWORD, Visitor, make_operator
from tests.wire import Asked, InProcess, request_of
from tests.world import Node

from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.console.requests import find_client
from hubbub.console.signing_in import COOKIE
from hubbub.domain.operators import manage
from hubbub.domain.operators.sign_in import TRIES_BY_ADDRESS, TRIES_BY_NAME
from hubbub.domain.operators.totp import STEP_SECONDS, code_of
from hubbub.kernel.errors import Unavailable
from hubbub.records.audit.model import COMMAND_LINE, Doer
from hubbub.records.operators.model import IDLE_SECONDS, SESSION_SECONDS, OperatorRole

ELSEWHERE = {"origin": "https://evil.example"}
BY_COMMAND = Doer(COMMAND_LINE)


async def test_no_console_without_operators(new_settings: NewSettings) -> None:
    """Without an operator, the paths of the console are answered as unknown ones."""
    clock = ManualClock()
    async with open_runtime(new_settings(log_requests=False), clock) as runtime:
        node = Node(runtime, clock, None, {})  # type: ignore[arg-type]  # it is asked below
        visitor = Visitor(console_of(node), "anna")
        answers = [
            await visitor.ask(method, f"/console{path}")
            for method, path in (("GET", ""), ("GET", "/apps"), ("GET", "/sign-in"))
        ]
        answers.append(await visitor.ask("POST", "/console/sign-in", b"name=anna&password=x"))
        unknown = await visitor.ask("GET", "/nothing")
        await manage.add_operator(runtime, BY_COMMAND, "anna", OperatorRole.OWNER, "", PASSWORD)
        await visitor.sign_in()

        assert {each.status for each in answers} == {404} == {unknown.status}
        assert {each.error["code"] for each in answers} == {unknown.error["code"]}
        assert "Overview" in await visitor.get()


async def test_signing_in_opens_the_console(node: Node, console: InProcess) -> None:
    """With the right password the wanted page is opened; signed out, it is not any more."""
    node.clock.advance(60)
    visitor = Visitor(console, await make_operator(node))
    await visitor.get("/audit?action=key", status=303)
    wanted = visitor.answer.headers["location"]

    assert wanted == "/console/sign-in?to=/console/audit%3Faction%3Dkey"
    answer = await visitor.sign_in(to="/console/audit?action=key")
    assert answer.headers["location"] == "/console/audit?action=key"
    assert "Audit log" in await visitor.get("/audit")

    kept = dict(visitor.cookies)
    await visitor.post("/sign-out")
    assert visitor.cookies.get(COOKIE) is None
    visitor.cookies = kept
    await visitor.get("/audit", status=303)


@pytest.mark.parametrize(
    "to",
    [
        "https://evil.example",
        "//evil.example",
        "/consoles",
        "/console\\evil",
        "/v3",
        "javascript:1",
        "/console/\u5b57",
    ],
)
async def test_signing_in_leads_nowhere_else(node: Node, console: InProcess, to: str) -> None:
    """The page after the sign-in is one of the console, whatever the link says."""
    node.clock.advance(60)
    visitor = Visitor(console, await make_operator(node))

    answer = await visitor.sign_in(to=to)

    assert answer.headers["location"] == "/console"


async def test_the_cookie_is_confined(node: Node, console: InProcess) -> None:
    """No script and no other site can use the cookie; only on this machine it may go over HTTP."""
    node.clock.advance(60)
    visitor = Visitor(console, await make_operator(node))
    body = f"name={visitor.name}&password={PASSWORD.replace(' ', '+')}".encode()
    headers = {"content-type": "application/x-www-form-urlencoded"}
    cookies = []
    for client, scheme in (("127.0.0.1", "http"), ("192.0.2.7", "https")):
        asked = Asked("POST", "/console/sign-in", headers, body, client, scheme)
        cookies.append((await console.send(asked)).headers["set-cookie"])

    here, elsewhere = cookies
    confined = f"; Path=/console; Max-Age={SESSION_SECONDS}; HttpOnly; SameSite=Strict"
    assert re.fullmatch(rf"{COOKIE}=[0-9a-f]{{64}}{re.escape(confined)}", here)
    assert elsewhere.endswith(f"{confined}; Secure")


async def test_what_is_wrong_is_not_told(node: Node, console: InProcess) -> None:
    """A wrong password and an unknown name have the same answer, and open nothing."""
    node.clock.advance(60)
    known = Visitor(console, await make_operator(node))
    unknown = Visitor(console, "nobody")

    answers = [await each.sign_in("wrong password", status=401) for each in (known, unknown)]

    pages = [answer.body.replace(known.name.encode(), b"nobody") for answer in answers]
    assert pages[0] == pages[1]
    assert known.cookies == {} == unknown.cookies


async def test_attempts_are_limited_by_name(node: Node, console: InProcess) -> None:
    """After five attempts in a minute, which are logged, the right password is refused, too."""
    node.clock.advance(60)
    visitor = Visitor(console, await make_operator(node), client="127.0.0.7")
    with capture_logs() as lines:
        for _ in range(TRIES_BY_NAME):
            await visitor.sign_in("wrong password", status=401)

        await visitor.sign_in(status=429)
    node.clock.advance(60)
    await visitor.sign_in()

    refused = [each for each in lines if each["event"] == "sign_in_refused"]
    assert [each["reason"] for each in refused] == [*["wrong"] * TRIES_BY_NAME, "too often"]
    assert {each["address"] for each in refused} == {"127.0.0.7"}
    assert visitor.name not in str(refused)


async def test_attempts_are_limited_by_address(node: Node, console: InProcess) -> None:
    """An address that tries many names is refused; other addresses are not."""
    node.clock.advance(60)
    for number in range(TRIES_BY_ADDRESS):
        await Visitor(console, f"guess-{number}").sign_in("wrong password", status=401)
    visitor = Visitor(console, await make_operator(node))

    await visitor.sign_in(status=429)
    visitor.client = ""
    await visitor.sign_in()


async def test_sessions_end_with_time(node: Node, signed_in: SignIn) -> None:
    """A session ends after 30 minutes without a call, and after 12 hours in any case."""
    idle, busy = await signed_in(), await signed_in()
    for _ in range(SESSION_SECONDS // (IDLE_SECONDS - 120)):
        node.clock.advance(IDLE_SECONDS - 120)
        await busy.get()
        await idle.ask("GET", "/console/troubles")  # an open page does so by itself

    await idle.get(status=303)
    node.clock.advance(IDLE_SECONDS - 120)
    await busy.get(status=303)


async def test_sessions_end_with_the_operator(node: Node, signed_in: SignIn) -> None:
    """Who is removed, or gets another password, is signed out at once, wherever that is done."""
    removed, changed = await signed_in(), await signed_in()

    await manage.remove_operator(node.runtime, BY_COMMAND, removed.name)
    await manage.reset_password(node.runtime, BY_COMMAND, changed.name, "another long password")

    await removed.get(status=303)
    await changed.get(status=303)


async def test_a_given_session_is_not_taken_up(node: Node, signed_in: SignIn) -> None:
    """A session that an attacker has planted in a browser is not that of who signs in there."""
    attacker = await signed_in(OperatorRole.DEVELOPER)
    planted = dict(attacker.cookies)
    victim = Visitor(attacker.sender, await make_operator(node), cookies=dict(planted))
    await victim.sign_in()

    assert victim.cookies[COOKIE] != planted[COOKIE]
    assert f'class="who">{attacker.name}' in await attacker.get()
    made_up = Visitor(attacker.sender, victim.name, cookies={COOKIE: "0" * 64})
    await made_up.get(status=303)


async def test_forms_of_others_do_nothing(node: Node, signed_in: SignIn) -> None:
    """Without the token of the session, or from a page of another site, a form changes nothing."""
    visitor, other = await signed_in(), await signed_in()
    token, name = await visitor.csrf(), f"app-{node.runtime.ids.hexadecimal(8)}"
    new_app = {"name": name, "id": name}

    for csrf, headers in (
        ("", {}),
        (await other.csrf(), {}),
        ("é", {}),
        (token, ELSEWHERE),
        (token, {"origin": "null"}),
        (token, {"sec-fetch-site": "cross-site"}),
        (token, {"sec-fetch-site": "same-site"}),
    ):
        await visitor.post("/apps", new_app, csrf=csrf, headers=headers, status=403)

    assert f"<code>{name}</code>" not in await visitor.get(f"/apps?search={name}")
    await visitor.post("/apps", new_app, csrf=token, headers={"origin": "http://localhost"})
    assert f"<code>{name}</code>" in await visitor.get(f"/apps?search={name}")


async def test_nobody_is_signed_in_by_another_site(node: Node, console: InProcess) -> None:
    """A page of another site can't sign a browser in, as the attacker."""
    node.clock.advance(60)
    visitor = Visitor(console, await make_operator(node))
    body = f"name={visitor.name}&password={PASSWORD.replace(' ', '+')}".encode()

    answer = await visitor.ask("POST", "/console/sign-in", body, ELSEWHERE)

    assert (answer.status, visitor.cookies) == (403, {})


async def test_an_open_page_of_who_is_signed_out_does_nothing(signed_in: SignIn) -> None:
    """A form that is sent after the sign-out leads to the sign-in, and a live part says so."""
    visitor = await signed_in()
    token, kept = await visitor.csrf(), dict(visitor.cookies)
    await visitor.post("/sign-out", csrf=token)
    visitor.cookies = kept

    assert await visitor.post("/apps", {"name": "x"}, csrf=token) == "/console/sign-in"
    answer = await visitor.ask("GET", "/console", headers={"HX-Request": "true"})
    assert (answer.status, answer.headers["hx-redirect"]) == (401, "/console/sign-in")


async def test_one_time_codes(node: Node, signed_in: SignIn) -> None:
    """With a secret set up, each code signs in once; the password alone does not any more."""
    visitor = await signed_in()
    page = await visitor.get("/account")
    (secret,) = re.findall(r'class="secret">([A-Z2-7]{32})<', page)
    (sealed,) = re.findall(r'name="sealed" value="([^"]+)"', page)

    def code() -> str:
        return code_of(secret, node.clock.now() // STEP_SECONDS)

    form = {"current": PASSWORD, "sealed": sealed}
    for wrong in ("000000", "\u0661\u0662\u0663\u0664\u0665\u0666", ""):
        await visitor.post("/account/codes", {**form, "code": wrong}, status=400)
    node.clock.advance(60)
    refused = {**form, "current": "wrong password", "code": code()}
    assert "not your password" in await visitor.post("/account/codes", refused, status=400)
    await visitor.post("/account/codes", {**form, "code": code()})
    await visitor.sign_in(code=code(), status=401)  # it was shown when it was set up
    node.clock.advance(60)
    await visitor.sign_in(status=401)
    await visitor.sign_in(code="\u20ac", status=401)
    await visitor.sign_in(code=code())
    await visitor.sign_in(code=code(), status=401)

    node.clock.advance(60)
    await visitor.post("/account/codes/end", {"current": "wrong password"}, status=400)
    await visitor.post("/account/codes/end", {"current": PASSWORD})
    await visitor.sign_in()


def test_codes_are_those_of_the_standard() -> None:
    """The codes are those in appendix B of RFC 6238, of which six digits are used."""
    secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

    assert [code_of(secret, at // 30) for at in (59, 1111111109, 20000000000)] == [
        "287082",
        "081804",
        "353130",
    ]


async def test_changing_the_password(node: Node, signed_in: SignIn) -> None:
    """An operator changes their password with that so far; their other sessions end."""
    visitor = await signed_in()
    other = Visitor(visitor.sender, visitor.name)
    await other.sign_in()
    wanted = {"current": PASSWORD, "password": "another long password"}

    await visitor.post("/account/password", wanted | {"current": "no"}, status=400)
    await visitor.post("/account/password", wanted | {"password": "short"}, status=400)
    await visitor.post("/account/password", wanted)

    await visitor.get()
    await other.get(status=303)
    node.clock.advance(60)
    await other.sign_in(status=401)
    await other.sign_in("another long password")


async def test_a_store_that_is_not_written_can_be_looked_at(
    node: Node, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who is signed in sees the console while no change can be stored, and changes nothing."""
    visitor = await signed_in()
    token = await visitor.csrf()
    node.clock.advance(120)

    async def refuse(*_: object, **__: object) -> None:
        raise Unavailable("The disk is full.")

    monkeypatch.setattr(type(node.runtime.database), "write", refuse)

    assert "Overview" in await visitor.get()
    assert "The disk is full." in await visitor.post("/apps", {"name": "x"}, csrf=token, status=503)


@pytest.mark.parametrize(
    ("client", "forwarded", "found"),
    [
        ("192.0.2.7", "", "192.0.2.7"),
        ("192.0.2.7", "198.51.100.1", "192.0.2.7"),
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "203.0.113.9, 198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "203.0.113.9, 198.51.100.1, 10.0.0.2", "198.51.100.1"),
        ("10.0.0.1", "", "10.0.0.1"),
    ],
)
def test_the_address_is_that_of_the_client(client: str, forwarded: str, found: str) -> None:
    """Attempts count for the client whom a trusted proxy names; nobody else is believed."""
    settings = Settings(trusted_proxies="10.0.0.1, 10.0.0.2")
    headers = {"x-forwarded-for": forwarded} if forwarded else {}
    request = request_of(Asked("GET", "/console", headers, client=client))

    assert find_client(request, settings) == found


async def test_other_cookies_do_no_harm(signed_in: SignIn) -> None:
    """Cookies that other programs on the same host have set keep nobody out."""
    visitor = await signed_in()
    token = visitor.cookies[COOKIE]
    for others in ('a="b; {token}', "a=\\; {token}; b", "a b; {token}", '{"a": 1}; {token}'):
        cookies = others.replace("{token}", f"{COOKIE}={token}")
        answer = await visitor.ask("GET", "/console", headers={"cookie": cookies})

        assert answer.status == 200, cookies
