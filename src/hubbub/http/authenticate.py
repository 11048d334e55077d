"""From a request's host name and headers to a `Call`, or a refusal that says what is missing."""

import hmac
import re
from collections.abc import Callable

from hubbub.domain.access import credentials
from hubbub.domain.access.actor import APP, Actor
from hubbub.domain.access.credentials import (
    ApiKeyUnknown,
    AuthTokenUnknown,
    Credential,
    EmptyApiKey,
    EmptyAppId,
)
from hubbub.http.call import Call
from hubbub.http.operation import Acting, Operation, RequiredKey
from hubbub.kernel.errors import BadInput, Forbidden, NotAuthenticated
from hubbub.kernel.text import SYSTEM_UID, normalise_id
from hubbub.records.apps.model import InvalidApp
from hubbub.records.apps.store import find_management_secret
from hubbub.records.users.model import UidNotFound
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

_APP_HOST = re.compile(r"([a-z0-9-]{1,63})\.api-([a-z0-9]+)\.", re.IGNORECASE)

Header = Callable[[str], str | None]


class NoAccess(Forbidden):
    """The key's scope, or a token, is too little for this operation."""

    code = "AUTH_ERR_NO_ACCESS"


class ManagementRefused(NotAuthenticated):
    """No management credentials, or wrong ones."""

    code = "AUTH_ERR_EMPTY_AUTH_HEADER"

    def __init__(self) -> None:
        super().__init__(
            "The management key and secret are missing or not known.",
            dev_message="Send the headers key and secret; they are in first-keys.txt.",
        )


async def authenticate(runtime: Runtime, operation: Operation, header: Header) -> Call:
    """The call that a request's headers ask for.

    Raises:
        NotAuthenticated: app, key or token are missing or not known.
        Forbidden: they are known, and not enough for `operation`.
        BadInput: a header has no acceptable form.
    """
    if operation.key is RequiredKey.MANAGEMENT:
        return await _management_call(runtime, header)
    named, region = _named_app(header)
    shown_key, shown_token = header("apikey"), header("authtoken")
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
    token = await credentials.find_token(runtime, shown_token) if shown_token else None
    app_id = _one_app(named, key, token)
    if not named:
        await credentials.find_app(runtime, app_id)
    if token is not None:
        return _token_call(runtime, operation, token, header)
    assert key is not None
    return _key_call(runtime, operation, key, header)


def _named_app(header: Header) -> tuple[str, str]:
    """The app, and its region, that host name or header name; empty when neither does."""
    match = _APP_HOST.match(header("host") or "")
    if match is not None:
        return match[1].lower(), match[2].lower()
    named = (header("appid") or "").lower()
    return named[:64], ""


def _one_app(named: str, key: Credential | None, token: Credential | None) -> str:
    """The app that all that was shown belongs to."""
    app_id = named or (key or token).app_id  # type: ignore[union-attr]  # one of them was shown
    if key is not None and key.app_id != app_id:
        raise ApiKeyUnknown
    if token is not None and token.app_id != app_id:
        raise AuthTokenUnknown
    return app_id


def _key_call(runtime: Runtime, operation: Operation, key: Credential, header: Header) -> Call:
    scope = key.scope or ""
    if operation.key is RequiredKey.FULL_ACCESS and scope != RequiredKey.FULL_ACCESS.value:
        raise NoAccess(
            f"An API key of scope {scope} may not do this.",
            dev_message="Use an API key of scope fullAccess, on your server only.",
        )
    acted_for = header("onbehalfof")
    actor = _acted_for(operation, acted_for) if acted_for else _app(operation)
    return Call(runtime, key.app_id, actor, scope, key.hash, is_on_behalf=bool(acted_for))


def _acted_for(operation: Operation, named: str) -> Actor:
    """Who acts when a key's call names somebody; what only the app does it still does itself."""
    uid = normalise_id(named, "onBehalfOf")
    if operation.acting is Acting.IGNORED:
        return APP
    if uid == SYSTEM_UID:  # the app acts by itself, without this header
        raise UidNotFound(uid)
    return Actor(uid, operation.features)


def _app(operation: Operation) -> Actor:
    """The app itself, where it may act without naming a user."""
    if operation.acting is Acting.REQUIRED:
        raise BadInput.field("onBehalfOf", "The header onBehalfOf is required: the acting user.")
    return APP


def _token_call(runtime: Runtime, operation: Operation, token: Credential, header: Header) -> Call:
    acted_for = header("onbehalfof")
    if acted_for and acted_for.lower() != token.uid:
        raise NoAccess("A user can't act on behalf of another one.")
    if not operation.is_for_users:
        raise NoAccess(
            "A user's auth token may not do this.",
            dev_message="Make this call from your server, with an API key.",
        )
    actor = Actor(token.uid, operation.features, token.hash)
    return Call(runtime, token.app_id, actor, "", token.hash, is_on_behalf=bool(acted_for))


async def _management_call(runtime: Runtime, header: Header) -> Call:
    key, secret = header("key"), header("secret")
    if not key or not secret:
        raise ManagementRefused
    hash_ = runtime.sealer.hash(key)
    expected = await find_management_secret(runtime.database, hash_)
    if expected is None or not hmac.compare_digest(expected, runtime.sealer.hash(secret)):
        raise ManagementRefused
    return Call(runtime, INSTALLATION, credential=hash_)
