"""Sign operators in by an OpenID provider: it proves who they are, and decides nothing else.

A sign-in is begun in a browser, goes on at the provider, and comes back to the same browser. What
the node must know of it meanwhile is sealed in a cookie of that browser.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from hmac import compare_digest
from typing import TypeVar

import msgspec
import structlog

from hubbub.domain.audit.record import Deed, record, record_look
from hubbub.domain.operators.openid_provider import (
    OpenIdNotReached,
    OpenIdProvider,
    OpenIdRefused,
    describe_error,
)
from hubbub.domain.operators.sign_in import (
    TOKEN_LENGTH,
    SignInRefused,
    TooManySignIns,
    check_code,
    check_rate,
    check_rate_of_address,
)
from hubbub.kernel.errors import NotAuthenticated, Unavailable
from hubbub.kernel.sealing import NotOurSecret
from hubbub.records.audit.model import IDENTITY_PROVIDER, Doer
from hubbub.records.operators import store
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Transaction

BEGUN_SECONDS, PROVEN_SECONDS = 600, 300
"""How long somebody may take at the provider, and then to give a one-time code."""
RANDOM_DIGITS = 64
MOST_REFUSALS_RECORDED = 120
"""The refused attempts that a node records in a minute: strangers don't fill the audit log."""
log = structlog.get_logger()


class CodeRefused(NotAuthenticated):
    """The one-time code of an operator whom the provider has named is wrong, or was used."""

    def __init__(self) -> None:
        super().__init__("The one-time code is not right.")


class _Begun(msgspec.Struct, frozen=True):
    """A sign-in that goes on at the provider."""

    state: str
    nonce: str
    verifier: str
    wanted: str
    ends_at: int


class _Proven(msgspec.Struct, frozen=True):
    """An operator whom the provider has named, and whose one-time code is awaited."""

    state: str
    name: str
    wanted: str
    ends_at: int


Sealed = TypeVar("Sealed", _Begun, _Proven)


@dataclass(frozen=True, slots=True)
class OpenIdStep:
    """How far a sign-in has come: a new session, or else what is to be sealed in the cookie."""

    token: str
    """The token of a new session; empty if a one-time code is needed."""
    sealed: str
    wanted: str


class OpenIdSignIn:
    """Signs operators in by the provider of the settings."""

    def __init__(self, runtime: Runtime, back: str) -> None:
        """Make it; `back` is the address to which the provider leads."""
        self._runtime = runtime
        self._back = back
        self._provider = OpenIdProvider(runtime)

    async def begin(self, address: str, wanted: str) -> tuple[str, str]:
        """Return the address of the provider to go to, and what is to be sealed in the cookie.

        Raises:
            OpenIdNotReached: the provider can't be reached.
            TooManySignIns: there were too many from the address.
        """
        async with self._refusals_recorded(address):
            check_rate_of_address(self._runtime, address)
            state, nonce, verifier = (self._runtime.ids.hexadecimal(RANDOM_DIGITS) for _ in "123")
            to = await self._provider.find_address(self._back, state, nonce, verifier)
            ends_at = self._runtime.clock.now() + BEGUN_SECONDS
            return to, self._seal(_Begun(state, nonce, verifier, wanted, ends_at))

    async def finish(self, address: str, sealed: str, given: Mapping[str, str]) -> OpenIdStep:
        """Sign in whoever comes back from the provider to the browser that they left for it.

        Raises:
            OpenIdRefused: it is another browser, or the provider proves no operator.
            OpenIdNotReached: the provider can't be reached.
            TooManySignIns: there were too many from the address.
        """
        async with self._refusals_recorded(address):
            check_rate_of_address(self._runtime, address)
            begun = self._open(sealed, _Begun)
            if not compare_digest(given.get("state", "").encode(), begun.state.encode()):
                raise OpenIdRefused("The answer is of another sign-in (state).")
            if given.get("iss", self._provider.issuer) != self._provider.issuer:  # RFC 9207
                raise OpenIdRefused("The answer is of another provider (iss).")
            if "error" in given:
                raise OpenIdRefused(f"The provider answers {describe_error(given['error'])}.")
            if not given.get("code"):
                raise OpenIdRefused("The answer has no code.")
            token = await self._provider.redeem(given["code"], self._back, begun.verifier)
            name = await self._provider.identify(token, begun.nonce)
            session = await self._open_session(Doer(name, address), begun.state, None)
            if session:
                return OpenIdStep(session, "", begun.wanted)
            ends_at = self._runtime.clock.now() + PROVEN_SECONDS
            proven = _Proven(begun.state, name, begun.wanted, ends_at)
            return OpenIdStep("", self._seal(proven), begun.wanted)

    async def finish_with_code(self, address: str, sealed: str, code: str) -> OpenIdStep:
        """Sign in an operator whom the provider has named, by their one-time code.

        Raises:
            CodeRefused: it is wrong, or was used.
            OpenIdRefused: nobody is named in this browser, or they are no operator any more.
            TooManySignIns: there were too many by the name, or from the address.
        """
        async with self._refusals_recorded(address):
            proven = self._open(sealed, _Proven)
            doer = Doer(proven.name, address)
            check_rate(self._runtime, doer)
            try:
                session = await self._open_session(doer, proven.state, code)
            except SignInRefused:
                await self._record(address, "The one-time code is wrong.", proven.name)
                raise CodeRefused from None
            return OpenIdStep(session, "", proven.wanted)

    async def _open_session(self, doer: Doer, state: str, code: str | None) -> str:
        """Return the token of a new session; empty if the operator must give a code, and did not.

        Raises:
            OpenIdRefused: there is no such operator, or the sign-in was used before.
            SignInRefused: the code is wrong.
        """
        runtime, now = self._runtime, self._runtime.clock.now()
        token = runtime.ids.hexadecimal(TOKEN_LENGTH)
        used_until = now + BEGUN_SECONDS + PROVEN_SECONDS

        async def within(tx: Transaction) -> str:
            credentials = await store.find_credentials(tx, doer.name)
            if credentials is None:
                raise OpenIdRefused("There is no such operator.", name=doer.name)
            if credentials.totp is not None and code is None:
                return ""
            await check_code(tx, runtime, doer.name, credentials, code or "")
            if not await store.take_sign_in(tx, runtime.sealer.hash(state), now, used_until):
                raise OpenIdRefused("The sign-in was used before.", name=doer.name)
            await store.insert_session(tx, runtime.sealer.hash(token), doer.name, now)
            by = {"by": self._provider.issuer}
            deed = Deed(action="operator.sign-in", subject=doer.name, after=by)
            await record(tx, runtime, doer, deed)
            return token

        return await runtime.database.write(INSTALLATION, within)

    def _seal(self, step: _Begun | _Proven) -> str:
        text = msgspec.json.encode(step).decode()
        return self._runtime.sealer.seal(text, *_place(type(step)))

    def _open(self, sealed: str, kind: type[Sealed]) -> Sealed:
        """Return what a cookie has.

        Raises:
            OpenIdRefused: it has none of ours, or one that is too old.
        """
        try:
            text = self._runtime.sealer.open(sealed, *_place(kind))
        except NotOurSecret:
            raise OpenIdRefused("No sign-in is under way in this browser.") from None
        step = msgspec.json.decode(text, type=kind)
        if step.ends_at <= self._runtime.clock.now():
            raise OpenIdRefused("The sign-in took too long.")
        return step

    @asynccontextmanager
    async def _refusals_recorded(self, address: str) -> AsyncIterator[None]:
        try:
            yield
        except (OpenIdRefused, OpenIdNotReached) as refusal:
            await self._record(address, refusal.reason, refusal.name)
            raise
        except TooManySignIns:
            log.warning("sign_in_refused", address=address, reason="too often")
            raise

    async def _record(self, address: str, reason: str, name: str) -> None:
        log.warning("sign_in_refused", address=address, reason=reason)
        if self._runtime.rates.count("refused sign-ins") > MOST_REFUSALS_RECORDED:
            return
        deed = Deed(action="operator.sign-in-refused", subject=name, after={"reason": reason})
        with suppress(Unavailable):  # it is refused in any case
            await record_look(self._runtime, Doer(IDENTITY_PROVIDER, address), deed)


def _place(kind: type[_Begun | _Proven]) -> tuple[str, ...]:
    return INSTALLATION, "openid", "begun" if kind is _Begun else "proven"
