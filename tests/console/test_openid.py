"""Operators sign in by an OpenID provider; what it does not prove opens nothing."""

import base64
import hmac
import json
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tests.api.identity.idp import new_key, sign
from tests.certificate import make_certificate
from tests.clock import ManualClock
from tests.conftest import NewSettings
from tests.console.conftest import console_of
from tests.console.visitors import PASSWORD, Visitor
from tests.gateways.faults import SILENCE
from tests.gateways.openid import CLIENT, SECRET, OpenIdGateway
from tests.wire import Answer, Asked, InProcess
from tests.world import Node

from hubbub.bootstrap import open_runtime
from hubbub.config import BadSetting, Settings
from hubbub.console.openid_pages import COOKIE as STEP
from hubbub.console.signing_in import COOKIE
from hubbub.domain.audit.find import list_audit
from hubbub.domain.identity import keys
from hubbub.domain.operators import manage, openid, openid_provider
from hubbub.domain.operators.account import begin_totp, set_totp
from hubbub.domain.operators.sign_in import TRIES_BY_ADDRESS, TRIES_BY_NAME
from hubbub.domain.operators.totp import STEP_SECONDS, code_of
from hubbub.http.app import make_app
from hubbub.records.audit.model import (
    COMMAND_LINE,
    IDENTITY_PROVIDER,
    AuditEntry,
    AuditFilter,
    Doer,
)
from hubbub.records.operators.model import OperatorRole
from hubbub.rest.operations import OPERATIONS

BEGIN = "/console/sign-in/openid"
BACK, CODE = f"{BEGIN}/back", f"{BEGIN}/code"
PUBLIC = "https://chat.example.com"
BY_COMMAND = Doer(COMMAND_LINE)


def own_address(node: Node) -> str:
    """Return an address of this machine from which nobody else tries to sign in."""
    digits = bytes.fromhex(node.runtime.ids.hexadecimal(6))
    return f"127.{'.'.join(map(str, digits))}"


@dataclass
class Stage:
    """A node whose operators sign in by a provider, and the provider."""

    node: Node
    console: InProcess
    provider: OpenIdGateway

    async def operator(self) -> str:
        """Add an operator whose name is an e-mail address; return it."""
        name = f"anna-{self.node.runtime.ids.hexadecimal(8)}@example.com"
        await manage.add_operator(
            self.node.runtime, BY_COMMAND, name, OperatorRole.OWNER, "", PASSWORD
        )
        return name

    def visitor(self) -> Visitor:
        """Return a browser at an address of its own, in another minute."""
        self.node.clock.advance(60)
        return Visitor(self.console, client=own_address(self.node))

    async def begin(self, visitor: Visitor, to: str = "") -> str:
        """Begin to sign in; return the address of the provider."""
        answer = await visitor.ask("GET", f"{BEGIN}?to={quote(to, safe='')}" if to else BEGIN)
        assert answer.status == 303, answer
        return answer.headers["location"]

    async def come_back(self, visitor: Visitor, address: str) -> Answer:
        """Follow where the provider leads back to."""
        assert address.startswith(f"{PUBLIC}{BACK}?")
        headers = {"sec-fetch-site": "cross-site"}
        return await visitor.ask("GET", address.removeprefix(PUBLIC), headers=headers)

    async def sign_in(self, visitor: Visitor, email: str, to: str = "", /, **claims: Any) -> Answer:
        """Sign in, up to the answer to the browser that comes back."""
        at_provider = await self.begin(visitor, to)
        return await self.come_back(visitor, self.provider.authorize(at_provider, email, **claims))

    async def entry(self, visitor: Visitor) -> AuditEntry:
        """Return the latest entry about a browser; those that follow have another time."""
        entries = await list_audit(self.node.runtime, AuditFilter(), limit=50)
        self.node.clock.advance(1)
        return next(each for each in entries if each.address == visitor.client)

    async def check_refused(
        self, visitor: Visitor, reason: str, *, status: int = 401, subject: str = ""
    ) -> None:
        """Check that the answer is a refusal with an entry, and that nobody is signed in."""
        answer = visitor.answer
        assert answer.status == status, answer
        page = answer.body.decode()
        assert 'role="alert"' in page
        assert reason not in page
        assert STEP not in visitor.cookies
        await self.check_closed(visitor)
        entry = await self.entry(visitor)
        assert (entry.action, entry.operator) == ("operator.sign-in-refused", IDENTITY_PROVIDER)
        assert reason in json.loads(entry.after or "")["reason"]
        assert entry.subject == subject

    async def check_closed(self, visitor: Visitor) -> None:
        """Check that a browser has no session."""
        assert COOKIE not in visitor.cookies
        await visitor.get("/account", status=303)


@pytest.fixture(scope="module")
async def stage(
    new_settings: NewSettings, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Stage]:
    """A node and the provider of its operators, which is over TLS on loopback."""
    certificate, clock = make_certificate(tmp_path_factory.mktemp("openid")), ManualClock()
    provider = OpenIdGateway(clock)
    provider.back = f"{PUBLIC}{BACK}"
    await provider.start(certificate)
    settings = new_settings(
        log_requests=False,
        outbound_allow="127.0.0.0/8",
        outbound_ca=str(certificate.cert),
        public_url=f"{PUBLIC}/",
        openid_issuer=provider.issuer,
        openid_client_id=CLIENT,
        openid_client_secret=SECRET,
    )
    async with open_runtime(settings, clock) as runtime:
        node = Node(runtime, clock, InProcess(make_app(runtime, OPERATIONS)), {})
        stage = Stage(node, console_of(node), provider)
        await stage.operator()
        yield stage
    await provider.stop()


@pytest.fixture(autouse=True)
def usual_provider(request: pytest.FixtureRequest) -> None:
    """A provider as it usually is, for each test, and of which the node knows nothing any more."""
    if "stage" in request.fixturenames:
        stage: Stage = request.getfixturevalue("stage")
        stage.provider.is_lax, stage.provider.published, stage.provider.id_token = False, {}, ""
        stage.provider.faults.answer_always("")
        stage.node.clock.advance(keys.KEPT_SECONDS + 1)


async def test_the_provider_signs_in(stage: Stage) -> None:
    """Whoever the provider names is signed in, at the page that they wanted; it is recorded."""
    name, visitor = await stage.operator(), stage.visitor()
    await visitor.get("/audit?action=key", status=303)
    form = (await visitor.ask("GET", visitor.answer.headers["location"])).body.decode()
    [link] = re.findall(r'href="(/console/sign-in/openid[^"]*)"', form)
    assert (await visitor.ask("GET", link)).status == 303

    back = stage.provider.authorize(visitor.answer.headers["location"], name.upper())
    answer = await stage.come_back(visitor, back)

    assert answer.status == 200  # a redirect would be one of another site: without the cookie
    assert '<a href="/console/audit?action=key">' in answer.body.decode()
    assert f'class="who">{name}' in await visitor.get("/account")
    entry = await stage.entry(visitor)
    assert (entry.action, entry.operator, entry.subject) == ("operator.sign-in", name, name)
    assert json.loads(entry.after or "") == {"by": stage.provider.issuer}


@pytest.mark.parametrize("algorithm", ["ES256", "PS256", "EdDSA"])
async def test_keys_of_the_provider_change(stage: Stage, algorithm: str) -> None:
    """A key that the provider takes later is fetched when an ID token names it."""
    await stage.sign_in(stage.visitor(), await stage.operator())
    stage.provider.rotate(algorithm)
    visitor = stage.visitor()

    await stage.sign_in(visitor, await stage.operator())

    await visitor.get("/account")
    stage.provider.rotate()


async def test_the_secret_in_the_form(stage: Stage) -> None:
    """A provider that takes the secret of a client in the form alone gets it there."""
    way = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    stage.provider.published = way
    visitor = stage.visitor()

    await stage.sign_in(visitor, await stage.operator())

    await visitor.get("/account")


async def test_another_claim(stage: Stage) -> None:
    """The claim of the settings is the operator's name, letter by letter."""
    settings = replace(stage.node.runtime.settings, openid_claim="preferred_username")
    node = replace(stage.node, runtime=replace(stage.node.runtime, settings=settings))
    other = replace(stage, node=node, console=console_of(node))
    name, visitor = await other.operator(), other.visitor()

    await other.sign_in(visitor, "", preferred_username=name.upper())
    await other.check_refused(visitor, "not the name of an operator")
    await other.sign_in(visitor, name)
    await other.check_refused(visitor, "no claim preferred_username")
    await other.sign_in(visitor, "", preferred_username=name)
    await visitor.get("/account")


async def test_cookies_are_confined(stage: Stage) -> None:
    """A sign-in under way is sealed in a cookie, for ten minutes and its own paths alone."""
    asked = Asked("GET", BEGIN, client="192.0.2.7", scheme="https")
    answer = await stage.console.send(asked)
    cookie, location = answer.headers["set-cookie"], answer.headers["location"]
    here = (await stage.console.send(Asked("GET", BEGIN))).headers["set-cookie"]

    confined = f"; Path={BEGIN}; Max-Age=600; HttpOnly; SameSite=Lax"
    assert cookie.endswith(f"{confined}; Secure")
    assert here.endswith(confined)
    asked_for = parse_qs(urlsplit(location).query)
    assert asked_for["state"][0] not in cookie
    assert asked_for["nonce"][0] not in cookie
    assert SECRET not in location


@pytest.mark.parametrize(
    "to",
    [
        "https://evil.example",
        "//evil.example",
        "/console\\evil",
        "/v3",
        "javascript:1",
        "/console/\u5b57",
        "/console/x;url=//evil.example",
        "/console/" + "x" * 500,
    ],
)
async def test_it_leads_nowhere_else(stage: Stage, to: str) -> None:
    """The page after the sign-in is one of the console, whatever the link says."""
    answer = await stage.sign_in(stage.visitor(), await stage.operator(), to)

    page = answer.body.decode()
    assert re.findall(r'<a href="([^"]*)">', page) == ["/console"]
    assert re.findall(r'http-equiv="refresh" content="([^"]*)"', page) == ["0; url=/console"]


UNPROVEN: dict[str, tuple[dict[str, Any], str]] = {
    "another nonce": ({"nonce": "0" * 64}, "another sign-in (nonce)"),
    "a nonce that is none": ({"nonce": 1}, "another sign-in (nonce)"),
    "a nonce with a surrogate": ({"nonce": "\ud800"}, "no JSON of the expected form"),
    "no nonce": ({"nonce": None}, "another sign-in (nonce)"),
    "another audience": ({"aud": "other"}, "audience (aud)"),
    "no audience": ({"aud": None}, "audience (aud)"),
    "given to another party": ({"azp": "other"}, "another party (azp)"),
    "for several, given to nobody": ({"aud": [CLIENT, "other"]}, "another party (azp)"),
    "another issuer": ({"iss": "https://evil.example"}, "issuer (iss)"),
    "ended": ({"exp": 1_800_000_000}, "has ended"),
    "no end": ({"exp": None}, "its exp"),
    "of the future": ({"iat": 4_000_000_000}, "in the future"),
    "an address not verified": ({"email_verified": False}, "not verified"),
    "an address verified by a text": ({"email_verified": "true"}, "not verified"),
    "verified by a number": ({"email_verified": 1}, "not verified"),
    "nothing said of the address": ({"email_verified": None}, "not verified"),
    "no address": ({"email": None}, "no claim email"),
    "addresses": ({"email": ["a@example.com"]}, "no claim email"),
    "an address with a letter like k": ({"email": "\u212aim@example.com"}, "no claim email"),
    "no name of an operator": ({"email": "<script>@example.com"}, "not the name"),
    "an address with a NUL": ({"email": "a\0@example.com"}, "not the name"),
}


@pytest.mark.parametrize("case", UNPROVEN)
async def test_what_is_not_proven(stage: Stage, case: str) -> None:
    """An ID token for another sign-in, client or time, or that names nobody, opens nothing."""
    changed, reason = UNPROVEN[case]
    visitor = stage.visitor()

    await stage.sign_in(visitor, await stage.operator(), **changed)

    await stage.check_refused(visitor, reason)


async def test_who_is_no_operator(stage: Stage) -> None:
    """The provider makes no operators: who is none, or none any more, is refused."""
    unknown, removed, visitor = "nobody@example.com", await stage.operator(), stage.visitor()

    await stage.sign_in(visitor, unknown)
    await stage.check_refused(visitor, "no such operator", subject=unknown)
    back = stage.provider.authorize(await stage.begin(visitor), removed)
    await manage.remove_operator(stage.node.runtime, BY_COMMAND, removed)
    await stage.come_back(visitor, back)
    await stage.check_refused(visitor, "no such operator", subject=removed)


def encode(content: bytes) -> str:
    """Return a part of a JWT."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def by_hand(claims: Any, header: dict[str, Any], key: bytes | None) -> str:
    """Return a JWT signed by HMAC, or not at all."""
    signed = f"{encode(json.dumps(header).encode())}.{encode(json.dumps(claims).encode())}"
    digest = hmac.digest(key, signed.encode(), "sha256") if key is not None else b""
    return f"{signed}.{encode(digest)}"


def public_key(provider: OpenIdGateway) -> bytes:
    """Return the public key of the provider as it is often written."""
    key = provider.key.public_key()
    content: bytes = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return content


HS256 = {"alg": "HS256", "typ": "JWT", "kid": "k1"}
Forge = Callable[[OpenIdGateway, Any], str]
FORGED: dict[str, tuple[Forge, str]] = {
    "not signed": (lambda _, claims: by_hand(claims, {"alg": "none"}, None), "of the form"),
    "signed by none": (lambda _, claims: by_hand(claims, {"alg": "none"}, b"x"), "algorithm"),
    "the public key for a secret": (
        lambda provider, claims: by_hand(claims, HS256, public_key(provider)),
        "algorithm",
    ),
    "by the client's secret": (
        lambda _, claims: by_hand(claims, HS256, SECRET.encode()),
        "algorithm",
    ),
    "by another key": (
        lambda provider, claims: sign(claims, new_key("RS256"), "RS256", {"kid": provider.kid}),
        "signature is wrong",
    ),
    "by a key that it brings": (
        lambda _, claims: sign(claims, new_key("RS256"), "RS256", {"kid": "mine", "jku": "x"}),
        "(kid) is not known",
    ),
    "no JWT": (lambda *_: "x", "of the form"),
    "an endless one": (lambda *_: "x" * 9_000, "more than"),
}


@pytest.mark.parametrize("case", FORGED)
async def test_forged_tokens(stage: Stage, case: str) -> None:
    """An ID token counts only if a published key of the provider has signed it."""
    forge, reason = FORGED[case]
    name, visitor = await stage.operator(), stage.visitor()
    at_provider = await stage.begin(visitor)
    nonce = parse_qs(urlsplit(at_provider).query)["nonce"][0]
    claims = stage.provider.claims(nonce, email=name, email_verified=True)
    stage.provider.id_token = forge(stage.provider, claims)

    await stage.come_back(visitor, stage.provider.authorize(at_provider, name))

    await stage.check_refused(visitor, reason)


async def test_an_answer_of_another_sign_in(stage: Stage) -> None:
    """Without the state of this browser's sign-in, no answer of the provider counts."""
    name, visitor = await stage.operator(), stage.visitor()
    for change, reason in (
        (("state=", "state=0"), "(state)"),
        (("state=", "was="), "(state)"),
        (("state=", "state=%C3%A9"), "(state)"),
        (("iss=", "iss=x"), "(iss)"),
        (("code=", "was="), "no code"),
        (("code=code", "code=made-up"), "status 400 (invalid_grant)"),
        (("code=", "error=access_denied&was="), "answers access_denied"),
        (("code=", "error=%3Cb%3E&was="), "answers an error"),
    ):
        back = stage.provider.authorize(await stage.begin(visitor), name)
        await stage.come_back(visitor, back.replace(*change))
        await stage.check_refused(visitor, reason)
        stage.node.clock.advance(60)


async def test_an_answer_in_another_browser(stage: Stage) -> None:
    """An answer opens nothing but in the browser that went for it: nobody is signed in as others.

    Neither in a browser that has begun nothing, nor in one that has begun a sign-in of its own.
    """
    attacker, name = stage.visitor(), await stage.operator()
    back = stage.provider.authorize(await stage.begin(attacker), name)

    idle = stage.visitor()
    await stage.come_back(idle, back)
    await stage.check_refused(idle, "No sign-in is under way")
    victim = stage.visitor()
    await stage.begin(victim)
    await stage.come_back(victim, back)
    await stage.check_refused(victim, "(state)")
    for cookie in ("", "x", "v1.", "v1.AAAA", "v1." + "A" * 200, "\xe9"):
        victim.cookies = {STEP: cookie}
        await stage.come_back(victim, back)
        await stage.check_refused(victim, "No sign-in is under way")


async def test_a_sign_in_is_used_once(stage: Stage) -> None:
    """The same answer in the same browser signs in once, also if the provider gives more tokens."""
    name = await stage.operator()
    for is_lax, reason, subject in (
        (False, "status 400 (invalid_grant)", ""),
        (True, "used before", name),
    ):
        stage.provider.is_lax = is_lax
        visitor = stage.visitor()
        back = stage.provider.authorize(await stage.begin(visitor), name)
        kept = dict(visitor.cookies)
        await stage.come_back(visitor, back)
        await visitor.post("/sign-out")
        stage.node.clock.advance(1)

        visitor.cookies = kept
        await stage.come_back(visitor, back)

        await stage.check_refused(visitor, reason, subject=subject)


async def test_a_sign_in_takes_too_long(stage: Stage) -> None:
    """An answer after ten minutes signs nobody in."""
    visitor = stage.visitor()
    at_provider = await stage.begin(visitor)
    stage.node.clock.advance(openid.BEGUN_SECONDS)

    await stage.come_back(visitor, stage.provider.authorize(at_provider, await stage.operator()))

    await stage.check_refused(visitor, "took too long")


async def test_a_given_session_is_not_taken_up_by_openid(stage: Stage) -> None:
    """A session that an attacker has planted in a browser is not that of who signs in there."""
    attacker, victim = stage.visitor(), stage.visitor()
    own, name = await stage.operator(), await stage.operator()
    await stage.sign_in(attacker, own)
    victim.cookies = dict(attacker.cookies)

    await stage.sign_in(victim, name)

    assert victim.cookies[COOKIE] != attacker.cookies[COOKIE]
    assert f'class="who">{own}' in await attacker.get("/account")
    assert f'class="who">{name}' in await victim.get("/account")


BROKEN: dict[str, Any] = {
    "another issuer": {"issuer": "https://evil.example"},
    "no token endpoint": {"token_endpoint": None},
    "an endpoint in the network": {"token_endpoint": "https://10.0.0.1/token"},
    "keys in the network": {"jwks_uri": "http://169.254.169.254/keys"},
    "no address to go to": {"authorization_endpoint": "javascript:alert(1)"},
    "an address without TLS": {"authorization_endpoint": "http://id.example.com/authorize"},
}


@pytest.mark.parametrize("case", BROKEN)
async def test_metadata_that_is_not_taken(stage: Stage, case: str) -> None:
    """Metadata of a provider are checked before anybody is sent there."""
    stage.provider.published = BROKEN[case]
    visitor = stage.visitor()

    await visitor.ask("GET", BEGIN)

    await stage.check_refused(visitor, "What the provider publishes", status=503)


NO_TOKEN = {
    "404": ("status 404", 401),
    "500": ("status 500", 401),
    "garbage": ("has no ID token", 401),
}


@pytest.mark.parametrize("fault", ["404", "500", "garbage", "reset", SILENCE])
async def test_a_provider_that_is_down(
    stage: Stage, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A provider that fails or is slow signs nobody in, at each step, and is called again later."""
    monkeypatch.setattr(openid_provider, "CALL_SECONDS", 0.2)
    monkeypatch.setattr(keys, "FETCH_SECONDS", 0.2)
    name, visitor, faults = await stage.operator(), stage.visitor(), stage.provider.faults
    faults.answer_always(fault)
    await visitor.ask("GET", BEGIN)
    await stage.check_refused(visitor, "What the provider publishes", status=503)
    called = stage.provider.calls
    await visitor.ask("GET", BEGIN)
    await stage.check_refused(visitor, "What the provider publishes", status=503)
    assert stage.provider.calls == called  # it gets a pause

    faults.answer_always("")
    stage.node.clock.advance(60)
    monkeypatch.setattr(openid_provider, "CALL_SECONDS", 5.0)
    back = stage.provider.authorize(await stage.begin(visitor), name)
    monkeypatch.setattr(openid_provider, "CALL_SECONDS", 0.2)
    faults.answer_always(fault)
    await stage.come_back(visitor, back)
    reason, status = NO_TOKEN.get(fault, ("can't be redeemed", 503))
    await stage.check_refused(visitor, reason, status=status)

    faults.answer_always("")
    monkeypatch.setattr(openid_provider, "CALL_SECONDS", 5.0)
    back = stage.provider.authorize(await stage.begin(visitor), name)
    token = stage.provider.accept

    async def fail_afterwards(request: Any, body: bytes) -> Any:
        answer = await token(request, body)
        faults.answer_always(fault)
        return answer

    monkeypatch.setattr(stage.provider, "accept", fail_afterwards)
    await stage.come_back(visitor, back)
    await stage.check_refused(visitor, "keys can't be fetched", status=503)
    monkeypatch.undo()

    faults.answer_always("")
    stage.node.clock.advance(60)
    await stage.sign_in(visitor, name)
    await visitor.get("/account")


async def test_an_answer_without_a_token(stage: Stage) -> None:
    """A provider that gives no ID token has proven nothing."""
    visitor = stage.visitor()
    back = stage.provider.authorize(await stage.begin(visitor), await stage.operator())
    stage.provider.faults.answer_next("no token")

    await stage.come_back(visitor, back)

    await stage.check_refused(visitor, "no ID token")


async def test_attempts_by_openid_are_limited(stage: Stage) -> None:
    """An address that tries too often is refused, and the audit log does not grow by it."""
    visitor = stage.visitor()
    for _ in range(TRIES_BY_ADDRESS):
        await visitor.ask("GET", f"{BACK}?code=x&state=x")
    before = await stage.entry(visitor)
    for path in (BEGIN, f"{BACK}?code=x&state=x"):
        assert (await visitor.ask("GET", path)).status == 429
    visitor.name = await stage.operator()
    await visitor.sign_in(status=429)

    [latest, *_] = await list_audit(
        stage.node.runtime, AuditFilter(action="operator.sign-in-refused"), limit=1
    )
    assert latest == before
    await stage.check_closed(visitor)


async def test_strangers_do_not_fill_the_audit_log(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many addresses try, a node records so many refused attempts in a minute."""
    monkeypatch.setattr(openid, "MOST_REFUSALS_RECORDED", 3)
    stage.node.clock.advance(60)
    strangers = [Visitor(stage.console, client=own_address(stage.node)) for _ in range(5)]
    for stranger in strangers:
        assert (await stranger.ask("GET", f"{BACK}?code=x&state=x")).status == 401

    wanted = AuditFilter(action="operator.sign-in-refused")
    entries = await list_audit(stage.node.runtime, wanted, limit=5)
    recorded = {each.address for each in entries} & {each.client for each in strangers}
    assert recorded == {each.client for each in strangers[:3]}


async def give_codes(stage: Stage, name: str) -> str:
    """Have an operator use one-time codes; return their secret."""
    doer = Doer(name, own_address(stage.node))
    secret, sealed = begin_totp(stage.node.runtime, doer)
    code = code_of(secret, stage.node.clock.now() // STEP_SECONDS)
    await set_totp(stage.node.runtime, doer, PASSWORD, sealed, code)
    return secret


async def test_the_code_is_still_asked_for(stage: Stage) -> None:
    """Who uses one-time codes gives one after the provider; each is taken once, as is the proof."""
    name = await stage.operator()
    secret = await give_codes(stage, name)
    visitor = stage.visitor()

    answer = await stage.sign_in(visitor, name, "/console/audit")

    assert (answer.status, COOKIE in visitor.cookies) == (200, False)
    assert f'action="{CODE}"' in answer.body.decode()
    await stage.check_closed(visitor)
    for wrong in ("000000", "", "\u0661"):
        refused = await visitor.ask("POST", CODE, f"code={quote(wrong)}".encode())
        assert refused.status == 401
        assert f'action="{CODE}"' in refused.body.decode()
        entry = await stage.entry(visitor)
        assert (entry.action, entry.subject) == ("operator.sign-in-refused", name)
        await stage.check_closed(visitor)
    kept = dict(visitor.cookies)
    right = f"code={code_of(secret, stage.node.clock.now() // STEP_SECONDS)}".encode()
    elsewhere = {"origin": "https://evil.example"}
    assert (await visitor.ask("POST", CODE, right, elsewhere)).status == 403
    await stage.check_closed(visitor)

    visitor.cookies = dict(kept)
    answer = await visitor.ask("POST", CODE, right)

    assert '<a href="/console/audit">' in answer.body.decode()
    assert f'class="who">{name}' in await visitor.get("/account")
    stage.node.clock.advance(60)
    again = f"code={code_of(secret, stage.node.clock.now() // STEP_SECONDS)}".encode()
    visitor.cookies = kept
    await visitor.ask("POST", CODE, again)
    await stage.check_refused(visitor, "used before", subject=name)


async def test_no_code_without_the_provider(stage: Stage) -> None:
    """A code alone signs nobody in: not before the provider has named them, nor long after."""
    name = await stage.operator()
    secret, visitor = await give_codes(stage, name), stage.visitor()

    def right() -> bytes:
        return f"code={code_of(secret, stage.node.clock.now() // STEP_SECONDS)}".encode()

    await visitor.ask("POST", CODE, right())
    await stage.check_refused(visitor, "No sign-in is under way")
    at_provider = await stage.begin(visitor)
    begun = dict(visitor.cookies)
    await visitor.ask("POST", CODE, right())
    await stage.check_refused(visitor, "No sign-in is under way")
    visitor.cookies = begun
    back = stage.provider.authorize(at_provider, name)
    await stage.come_back(visitor, back)
    proven = dict(visitor.cookies)
    await stage.come_back(visitor, back)
    await stage.check_refused(visitor, "No sign-in is under way")
    stage.node.clock.advance(openid.PROVEN_SECONDS)
    visitor.cookies = dict(proven)
    await visitor.ask("POST", CODE, right())
    await stage.check_refused(visitor, "took too long")


async def test_codes_after_the_provider_are_limited(stage: Stage) -> None:
    """Codes can't be guessed: after five attempts in a minute the right one is refused, too."""
    name = await stage.operator()
    secret, visitor = await give_codes(stage, name), stage.visitor()
    await stage.sign_in(visitor, name)
    for _ in range(TRIES_BY_NAME):
        assert (await visitor.ask("POST", CODE, b"code=000000")).status == 401
    right = f"code={code_of(secret, stage.node.clock.now() // STEP_SECONDS)}".encode()

    assert (await visitor.ask("POST", CODE, right)).status == 429
    await stage.check_closed(visitor)


async def test_who_is_removed_meanwhile(stage: Stage) -> None:
    """An operator who is removed before they give their code is none."""
    name = await stage.operator()
    secret, visitor = await give_codes(stage, name), stage.visitor()
    await stage.sign_in(visitor, name)
    await manage.remove_operator(stage.node.runtime, BY_COMMAND, name)

    right = f"code={code_of(secret, stage.node.clock.now() // STEP_SECONDS)}".encode()
    await visitor.ask("POST", CODE, right)

    await stage.check_refused(visitor, "no such operator", subject=name)


async def test_without_the_setting(node: Node, console: InProcess) -> None:
    """Without a provider there is no button, and its paths are unknown ones."""
    node.clock.advance(60)
    name = f"anna-{node.runtime.ids.hexadecimal(8)}"
    await manage.add_operator(node.runtime, BY_COMMAND, name, OperatorRole.OWNER, "", PASSWORD)
    visitor = Visitor(console)

    answers = [
        await visitor.ask("GET", BEGIN),
        await visitor.ask("GET", f"{BACK}?code=x&state=x"),
        await visitor.ask("POST", CODE, b"code=123456"),
    ]

    assert {each.status for each in answers} == {404}
    assert "openid" not in (await visitor.ask("GET", "/console/sign-in")).body.decode()


async def test_no_provider_without_operators(new_settings: NewSettings) -> None:
    """Without an operator, the paths are unknown, and no provider is called."""
    clock = ManualClock()
    settings = new_settings(
        log_requests=False,
        public_url=PUBLIC,
        openid_issuer="https://id.example.com",
        openid_client_id=CLIENT,
        openid_client_secret=SECRET,
    )
    async with open_runtime(settings, clock) as runtime:
        node = Node(runtime, clock, InProcess(make_app(runtime, OPERATIONS)), {})
        visitor = Visitor(console_of(node))
        asked = (("GET", BEGIN), ("GET", BACK), ("POST", CODE))
        assert {(await visitor.ask(*each)).status for each in asked} == {404}


@pytest.mark.parametrize(
    ("missing", "value", "named"),
    [
        ("public_url", "", "HUBBUB_PUBLIC_URL"),
        ("openid_client_id", "", "HUBBUB_OPENID_CLIENT_ID"),
        ("openid_client_secret", "", "HUBBUB_OPENID_CLIENT_SECRET"),
        ("openid_claim", "", "HUBBUB_OPENID_CLAIM"),
        ("openid_issuer", "http://id.example.com", "HUBBUB_OPENID_ISSUER"),
        ("openid_issuer", "id.example.com", "HUBBUB_OPENID_ISSUER"),
    ],
)
async def test_settings_that_can_not_work(
    tmp_path: Any, missing: str, value: str, named: str
) -> None:
    """A node does not start with a provider by which nobody could sign in."""
    given: dict[str, Any] = {
        "data": tmp_path / "data",
        "public_url": PUBLIC,
        "openid_issuer": "https://id.example.com",
        "openid_client_id": CLIENT,
        "openid_client_secret": SECRET,
    }
    settings = Settings(**{**given, missing: value})
    with pytest.raises(BadSetting, match=named) as refusal:
        async with open_runtime(settings):
            pass

    assert SECRET not in f"{refusal.value} {settings!r}"
