"""Who calls: a request's host name and headers become a `Call`, or a refusal."""

import hmac
import re

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
from hubbub.http.raw_request import Header
from hubbub.kernel.errors import BadInput, Forbidden, NotAuthenticated
from hubbub.kernel.text import SYSTEM_UID, normalise_id
from hubbub.records.apps.model import InvalidApp
from hubbub.records.apps.store import find_management_secret
from hubbub.records.users.model import UidNotFound
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

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


async def authenticate(runtime: Runtime, operation: Operation, header: Header) -> Call:
    """Return the call for the credentials in a request's headers.

    Raises:
        NotAuthenticated: the app, key or token is missing or unknown.
        Forbidden: the credentials do not suffice for `operation`.
        BadInput: a header is malformed.
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
    app_id = _common_app(named, key, token)
    if not named:
        await credentials.find_app(runtime, app_id)
    if token is not None:
        return _token_call(runtime, operation, token, header)
    assert key is not None
    return _key_call(runtime, operation, key, header)


def _named_app(header: Header) -> tuple[str, str]:
    """Return the app's id and region from the host name or the header; empty if neither has one."""
    match = _APP_HOST.match(header("host") or "")
    if match is not None:
        return match[1].lower(), match[2].lower()
    named = (header("appid") or "").lower()
    return named[:64], ""


def _common_app(named: str, key: Credential | None, token: Credential | None) -> str:
    """Return the app that the host name, the key and the token all belong to."""
    app_id = named or (key or token).app_id  # type: ignore[union-attr]  # one of them is there
    if key is not None and key.app_id != app_id:
        raise ApiKeyUnknown
    if token is not None and token.app_id != app_id:
        raise AuthTokenUnknown
    return app_id


def _key_call(runtime: Runtime, operation: Operation, key: Credential, header: Header) -> Call:
    scope = key.scope or ""
    if operation.key is RequiredKey.FULL_ACCESS and scope != RequiredKey.FULL_ACCESS.value:
        raise NoAccess(
            f"An API key of scope {scope} may not call this operation.",
            dev_message="Use an API key of scope fullAccess, and keep it on your server.",
        )
    named = header("onbehalfof")
    actor = _acting_user(operation, named) if named else _acting_app(operation)
    return Call(runtime, key.app_id, actor, scope, key.hash, is_on_behalf=bool(named))


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


def _token_call(runtime: Runtime, operation: Operation, token: Credential, header: Header) -> Call:
    named = header("onbehalfof")
    if named and named.lower() != token.uid:
        raise NoAccess("A user can't act on behalf of another user.")
    if not operation.is_for_users:
        raise NoAccess(
            "A user's auth token may not call this operation.",
            dev_message="Make this call from your server, with an API key.",
        )
    actor = Actor(token.uid, operation.features, token.hash)
    return Call(runtime, token.app_id, actor, "", token.hash, is_on_behalf=bool(named))


async def _management_call(runtime: Runtime, header: Header) -> Call:
    key, secret = header("key"), header("secret")
    if not key or not secret:
        raise ManagementRefused
    hash_ = runtime.sealer.hash(key)
    expected = await find_management_secret(runtime.database, hash_)
    if expected is None or not hmac.compare_digest(expected, runtime.sealer.hash(secret)):
        raise ManagementRefused
    return Call(runtime, INSTALLATION, credential=hash_)
