"""Look up the credentials of a call: its app, the scope of its API key, or its user.

Results are cached for a few seconds. A change on this node invalidates them at once; a change on
another node takes effect when they expire.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.kernel.errors import NotAuthenticated
from hubbub.records.apps import store as apps_store
from hubbub.records.apps.model import App, InvalidApp
from hubbub.records.keys import store as keys_store
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION


class EmptyAppId(NotAuthenticated):
    """The request does not name its app."""

    code = "AUTH_ERR_EMPTY_APPID"

    def __init__(self) -> None:
        super().__init__(
            "The request does not name its app.",
            dev_message="Send the header apikey, or the app's id as host name or header appId.",
        )


class EmptyApiKey(NotAuthenticated):
    """The request has neither an API key nor an auth token."""

    code = "AUTH_ERR_EMPTY_APIKEY"

    def __init__(self) -> None:
        super().__init__(
            "The request has no API key.", dev_message="Send the API key in the header apikey."
        )


class ApiKeyUnknown(NotAuthenticated):
    """The API key does not belong to this app."""

    code = "AUTH_ERR_APIKEY_NOT_FOUND"

    def __init__(self) -> None:
        super().__init__("The API key is not known.")


class AuthTokenUnknown(NotAuthenticated):
    """The auth token does not belong to this app, or its user is deactivated."""

    code = "AUTH_ERR_AUTH_TOKEN_NOT_FOUND"

    def __init__(self) -> None:
        super().__init__("The auth token is not known.")


class AuthTokenEnded(AuthTokenUnknown):
    """The auth token has ended."""

    def __init__(self) -> None:
        NotAuthenticated.__init__(
            self, "The auth token has ended.", dev_message="Get a new auth token for the user."
        )


@dataclass(frozen=True, slots=True)
class Credential:
    """An API key with its scope, or an auth token with its user, of an app."""

    hash: str
    app_id: str
    scope: str | None = None
    uid: str | None = None
    expires_at: int | None = None
    """When a token ends; None if it does not end by itself."""
    issued_at: int | None = None
    """When a JWT was issued; None for an auth token, which is stored."""


async def find_app(runtime: Runtime, app_id: str) -> App:
    """Return an app.

    Raises:
        InvalidApp: there is no such app, or it was deleted.
    """
    app: App | None = runtime.cache.get(app_id)
    if app is None:
        version = runtime.cache.version
        app = await apps_store.find_app(runtime.database, app_id)
        if app is None or app.is_archived:
            raise InvalidApp(app_id)
        runtime.cache.put(app_id, app, app_id=app_id, version=version)
    return app


async def find_key(runtime: Runtime, api_key: str) -> Credential:
    """Return the credential of an API key of any app.

    Raises:
        ApiKeyUnknown: there is no such key.
    """
    credential = await _find_credential(runtime, runtime.sealer.hash(api_key))
    if credential is None or credential.scope is None:
        raise ApiKeyUnknown
    return credential


async def find_token(runtime: Runtime, auth_token: str) -> Credential:
    """Return the credential of an auth token of any app.

    Raises:
        AuthTokenUnknown: there is no such token, it has ended, or its user is not active.
    """
    credential = await _find_credential(runtime, runtime.sealer.hash(auth_token))
    if credential is None or credential.uid is None:
        raise AuthTokenUnknown
    if has_ended(credential.expires_at, runtime):
        raise AuthTokenEnded
    return credential


def has_ended(expires_at: int | None, runtime: Runtime) -> bool:
    """Return whether a token with that end has ended; caches may hold it for longer."""
    return expires_at is not None and expires_at <= runtime.clock.now()


async def _find_credential(runtime: Runtime, hash_: str) -> Credential | None:
    known: Credential | None = runtime.cache.get(hash_)
    if known is not None:
        return known
    version = runtime.cache.version
    found = await keys_store.find_credential(runtime.database, hash_)
    return _remember(runtime, found, version) if found is not None else None


async def learn_tokens(runtime: Runtime, auth_tokens: Sequence[str]) -> list[Credential | None]:
    """Return the credentials of auth tokens of any apps, which are cached then."""
    hashes = [runtime.sealer.hash(each) for each in auth_tokens]
    known: dict[str, Credential | None] = {each: runtime.cache.get(each) for each in hashes}
    unknown = [hash_ for hash_, credential in known.items() if credential is None]
    if len(unknown) == 1:
        known[unknown[0]] = await _find_credential(runtime, unknown[0])
    elif unknown:
        version = runtime.cache.version
        found = await runtime.database.read(
            INSTALLATION,
            lambda snapshot: keys_store.find_credentials(snapshot, unknown),
            is_short=True,
        )
        known |= {each.hash: _remember(runtime, each, version) for each in found}
    return [known[hash_] for hash_ in hashes]


def _remember(runtime: Runtime, found: keys_store.FoundKey, version: int) -> Credential | None:
    if found.scope is None and found.uid is None:
        return None  # not cached: a reactivated user may use the token again at once
    credential = Credential(
        found.hash, found.app_id, scope=found.scope, uid=found.uid, expires_at=found.expires_at
    )
    runtime.cache.put(found.hash, credential, app_id=found.app_id, version=version)
    return credential
