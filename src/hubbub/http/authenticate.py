"""Who calls: a request's host name and headers become a `Caller`, or a refusal."""

import hmac
import re
from collections.abc import Hashable
from dataclasses import dataclass, replace

from hubbub.domain.access import credentials
from hubbub.domain.access.actor import APP, Actor
from hubbub.domain.access.credentials import (
    ApiKeyUnknown,
    AuthTokenUnknown,
    Credential,
    EmptyApiKey,
    EmptyAppId,
)
from hubbub.domain.access.rates import Limit, find_settings, limits_of
from hubbub.domain.identity.authenticate import find_jwt
from hubbub.domain.identity.read_jwt import is_jwt
from hubbub.http.operation import Acting, Operation, RequiredKey
from hubbub.http.request import Request
from hubbub.kernel.cache import DerivedCache
from hubbub.kernel.errors import BadInput, Forbidden, NotAuthenticated
from hubbub.kernel.text import SYSTEM_UID, normalise_id
from hubbub.records.apps.model import InvalidApp
from hubbub.records.apps.store import find_management_secret
from hubbub.records.settings.model import settings_key
from hubbub.records.users.model import UidNotFound
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

LONGEST_SHOWN = 1_000
"""The bytes of headers by which a caller is remembered; junk in an unused one would fill memory."""
_APP_HOST = re.compile(r"([a-z0-9-]{1,63})\.api-([a-z0-9]+)\.", re.IGNORECASE)


class NoAccess(Forbidden):
    """The scope of the key, or a token, does not suffice for the operation."""

    code = "AUTH_ERR_NO_ACCESS"


class ManagementRefused(NotAuthenticated):
    """The management credentials are missing or wrong."""

    code = "AUTH_ERR_EMPTY_AUTH_HEADER"

    def __init__(self) -> None:
        super().__init__(
            "The management key and secret are missing or wrong.",
            dev_message="Send the headers key and secret; they are in first-keys.txt.",
        )


@dataclass(frozen=True, slots=True)
class Caller:
    """The app of a request and who acts, as its credentials and its operation have it."""

    app_id: str
    actor: Actor = APP
    scope: str = ""
    """The scope of the API key; empty for an auth token."""
    credential: str = ""
    """The keyed hash of the API key or the token."""
    is_on_behalf: bool = False
    """Whether the header `onBehalfOf` is there, also with the token of that same user."""
    limits: tuple[Limit, ...] = ()
    """The limits that the request counts towards."""
    expires_at: int | None = None
    """When the token ends, if it does."""

    @property
    def token_uid(self) -> str | None:
        """Return the uid of a user who calls with their token, and None for the app."""
        return None if self.scope else self.actor.uid


class Callers:
    """The callers of a node's requests, remembered by the headers that they sent.

    A caller is remembered as long as everything is cached that it was made of: its app with the
    settings, its key and its token. Only calls that were admitted are remembered.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._known: DerivedCache[Caller] = DerivedCache(runtime.cache)

    def find(self, operation: Operation, request: Request) -> Caller | None:
        """Return the remembered caller of a request, which is authenticated then."""
        known = self._known.get(_shown(operation, request))
        if known is None or known.expires_at is None:
            return known
        return None if credentials.has_ended(known.expires_at, self._runtime) else known

    async def authenticate(self, operation: Operation, request: Request) -> Caller:
        """Return the caller that the headers of a request show, and remember it.

        Raises:
            NotAuthenticated: the app, key or token is missing or unknown.
            Forbidden: the credentials do not suffice for `operation`.
            BadInput: a header is malformed.
        """
        if _is_by_manager(operation, request):
            return await _find_manager(self._runtime, request)
        version = self._runtime.cache.version
        caller, sources = await _find_caller(self._runtime, operation, request)
        settings = await find_settings(self._runtime, caller.app_id)
        sources.append(settings_key(caller.app_id))
        limits = limits_of(settings, caller.app_id, caller.token_uid, operation.rate)
        caller = replace(caller, limits=limits)
        shown = _shown(operation, request)
        if sum(len(each) for each in shown if each is not None) <= LONGEST_SHOWN:
            self._known.put(shown, caller, app_id=caller.app_id, sources=sources, version=version)
        return caller


def _is_by_manager(operation: Operation, request: Request) -> bool:
    if operation.key is RequiredKey.FULL_ACCESS_OR_MANAGEMENT:
        return b"key" in request.headers
    return operation.key is RequiredKey.MANAGEMENT


def _shown(operation: Operation, request: Request) -> tuple[str | bytes | None, ...]:
    """Return all that a caller is made of."""
    get = request.headers.get
    return (
        operation.name,
        get(b"apikey"),
        get(b"authtoken"),
        get(b"onbehalfof"),
        get(b"appid"),
        get(b"host"),
    )


async def _find_caller(
    runtime: Runtime, operation: Operation, request: Request
) -> tuple[Caller, list[Hashable]]:
    """Return the caller of a request, and the keys under which what it is made of is cached."""
    named, region = _named_app(request)
    shown_key, shown_token = request.header(b"apikey"), request.header(b"authtoken")
    if not shown_key and not shown_token:
        if not named:
            raise EmptyAppId
        await credentials.find_app(runtime, named)
        raise EmptyApiKey
    if named:
        app = await credentials.find_app(runtime, named)
        if region and region != app.region:
            raise InvalidApp(named)
    key = await credentials.find_key(runtime, shown_key) if shown_key else None
    of_key = key.app_id if key is not None else ""
    token = await _find_bearer(runtime, named or of_key, shown_token) if shown_token else None
    app_id = _common_app(named, key, token)
    if not named:
        await credentials.find_app(runtime, app_id)
    sources: list[Hashable] = [app_id, *(each.hash for each in (key, token) if each is not None)]
    if token is not None:
        return _token_caller(operation, token, request), sources
    assert key is not None
    return _key_caller(operation, key, request), sources


async def _find_bearer(runtime: Runtime, app_id: str, shown: str) -> Credential:
    """Return the credential of an auth token, or of a JWT for the app that the request names.

    Raises:
        NotAuthenticated: it is unknown, refused or has ended, or a JWT's app is not named.
    """
    if not is_jwt(shown):
        return await credentials.find_token(runtime, shown)
    if not app_id:
        raise EmptyAppId
    await credentials.find_app(runtime, app_id)
    return await find_jwt(runtime, app_id, shown)


async def find_token_of(runtime: Runtime, request: Request) -> Credential:
    """Return the auth token that a request shows, of the app that it names, if it names one.

    Raises:
        NotAuthenticated: the app or the token is missing or unknown.
    """
    named, region = _named_app(request)
    shown = request.header(b"authtoken")
    if not shown:
        raise AuthTokenUnknown
    token = await _find_bearer(runtime, named, shown)
    app = await credentials.find_app(runtime, named or token.app_id)
    if token.app_id != app.id:
        raise AuthTokenUnknown
    if region and region != app.region:
        raise InvalidApp(named)
    return token


def _named_app(request: Request) -> tuple[str, str]:
    """Return the app's id and region from the host name or the header; empty if neither has one."""
    match = _APP_HOST.match(request.header(b"host") or "")
    if match is not None:
        return match[1].lower(), match[2].lower()
    named = (request.header(b"appid") or "").lower()
    return named[:64], ""


def _common_app(named: str, key: Credential | None, token: Credential | None) -> str:
    """Return the app that the host name, the key and the token all belong to."""
    app_id = named or (key or token).app_id  # type: ignore[union-attr]  # one of them is there
    if key is not None and key.app_id != app_id:
        raise ApiKeyUnknown
    if token is not None and token.app_id != app_id:
        raise AuthTokenUnknown
    return app_id


def _key_caller(operation: Operation, key: Credential, request: Request) -> Caller:
    scope = key.scope or ""
    if operation.key is not RequiredKey.AUTH_ONLY and scope != RequiredKey.FULL_ACCESS.value:
        raise NoAccess(
            f"An API key of scope {scope} may not call this operation.",
            dev_message="Use an API key of scope fullAccess, and keep it on your server.",
        )
    named = request.header(b"onbehalfof")
    actor = _acting_user(operation, named) if named else _acting_app(operation)
    return Caller(key.app_id, actor, scope, key.hash, is_on_behalf=bool(named))


def _acting_user(operation: Operation, named: str) -> Actor:
    """Return the user that a call with a key names, or the app if only it can do this."""
    uid = normalise_id(named, "onBehalfOf")
    if operation.acting is Acting.IGNORED:
        return APP
    if uid == SYSTEM_UID:  # the app acts without this header
        raise UidNotFound(uid)
    return Actor(uid, operation.features)


def _acting_app(operation: Operation) -> Actor:
    """Return the app itself, unless the operation requires a user."""
    if operation.acting is Acting.REQUIRED:
        raise BadInput.field(
            "onBehalfOf", "The header onBehalfOf is required; it names the acting user."
        )
    return APP


def _token_caller(operation: Operation, token: Credential, request: Request) -> Caller:
    named = request.header(b"onbehalfof")
    if named and named.lower() != token.uid:
        raise NoAccess("A user can't act on behalf of another user.")
    if not operation.is_for_users:
        raise NoAccess(
            "A user's auth token may not call this operation.",
            dev_message="Make this call from your server, with an API key.",
        )
    is_stored = token.issued_at is None
    actor = Actor(
        token.uid,
        operation.features,
        token.hash if is_stored else None,
        None if is_stored else token.hash,
    )
    return Caller(
        token.app_id,
        actor,
        "",
        token.hash,
        is_on_behalf=bool(named),
        expires_at=token.expires_at,
    )


async def _find_manager(runtime: Runtime, request: Request) -> Caller:
    key, secret = request.header(b"key"), request.header(b"secret")
    if not key or not secret:
        raise ManagementRefused
    hash_ = runtime.sealer.hash(key)
    expected = await find_management_secret(runtime.database, hash_)
    if expected is None or not hmac.compare_digest(expected, runtime.sealer.hash(secret)):
        raise ManagementRefused
    return Caller(INSTALLATION, credential=hash_)
