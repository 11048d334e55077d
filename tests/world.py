"""A test's world: an app, its keys, and short ways to call it.

    async def test_befriending_is_mutual(world: World) -> None:
        await world.users("anna", "ben")
        await world.post("/users/anna/friends", {"accepted": ["ben"]})

        assert ["anna"] == await world.uids("/users/ben/friends")

Every answer must conform to the OpenAPI document, have a request id, and not be a 500.
"""

import json
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack

from tests.clock import ManualClock
from tests.contract import load_contract
from tests.wire import LOOPBACK, Answer, Asked, Headers, InProcess, Sender

from hubbub.domain.apps.manage import create_app
from hubbub.http.app import make_app
from hubbub.rest.operations import OPERATIONS
from hubbub.runtime import Runtime

Json = dict[str, Any]


class CallOptions(TypedDict, total=False):
    """The way a call is made; by default by the app itself, with its full-access key."""

    as_: str | None
    """The uid of the header `onBehalfOf`."""
    token: str | None
    """An auth token that is sent instead of the key."""
    key: str | None
    """Another API key; `""` sends none."""
    headers: Headers | None
    """Further headers; they override the others."""
    client: str
    """The address that the call comes from."""
    scheme: str


class Caller:
    """A client that validates every answer against the contract."""

    prefix = "/v3"

    def __init__(self, sender: Sender, headers: Headers | None = None) -> None:
        self._sender = sender
        self._headers = headers or {}
        self.answer = Answer(0, {}, b"")
        """The latest answer, for tests of its status, headers or `meta`."""

    async def ask(
        self, method: str, path: str, body: Any = None, **how: Unpack[CallOptions]
    ) -> Answer:
        """Send a call and return its answer, of any status; a body is JSON, or bytes."""
        asked = Asked(
            method,
            self.prefix + path,
            self._shown(how),
            encode_body(body),
            how.get("client", LOOPBACK),
            how.get("scheme", "http"),
        )
        self.answer = await self._sender.send(asked)
        load_contract().check(asked, self.answer)
        return self.answer

    async def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        status: int = 200,
        **how: Unpack[CallOptions],
    ) -> Any:
        """Return the `data` of a successful call; with another `status`, the `error`."""
        answer = await self.ask(method, path, body, **how)
        assert answer.status == status, f"{method} {path}: {answer}"
        return answer.data if status == 200 else answer.error

    async def get(self, path: str, *, status: int = 200, **how: Unpack[CallOptions]) -> Any:
        """Return the `data` of a GET."""
        return await self.call("GET", path, status=status, **how)

    async def post(
        self, path: str, body: Any = None, *, status: int = 200, **how: Unpack[CallOptions]
    ) -> Any:
        """Return the `data` of a POST."""
        return await self.call("POST", path, body, status=status, **how)

    async def put(
        self, path: str, body: Any = None, *, status: int = 200, **how: Unpack[CallOptions]
    ) -> Any:
        """Return the `data` of a PUT."""
        return await self.call("PUT", path, body, status=status, **how)

    async def patch(
        self, path: str, body: Any = None, *, status: int = 200, **how: Unpack[CallOptions]
    ) -> Any:
        """Return the `data` of a PATCH."""
        return await self.call("PATCH", path, body, status=status, **how)

    async def delete(
        self, path: str, body: Any = None, *, status: int = 200, **how: Unpack[CallOptions]
    ) -> Any:
        """Return the `data` of a DELETE."""
        return await self.call("DELETE", path, body, status=status, **how)

    async def refused(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        status: int,
        code: str,
        **how: Unpack[CallOptions],
    ) -> dict[str, list[str]]:
        """Check that a call is refused with this status and code; return its `details`."""
        answer = await self.ask(method, path, body, **how)
        assert answer.status == status, f"{method} {path}: {answer}"
        assert answer.error["code"] == code, f"{method} {path}: {answer}"
        assert answer.error["message"], f"{method} {path}: {answer}"
        details: dict[str, list[str]] = answer.error.get("details", {})
        return details

    def _shown(self, how: CallOptions) -> Headers:
        shown = dict(self._headers)
        key, token, uid = how.get("key"), how.get("token"), how.get("as_")
        if key is not None or token:
            shown["apikey"] = key or ""
        shown |= {"authToken": token or "", "onBehalfOf": uid or "", **(how.get("headers") or {})}
        return {name: text for name, text in shown.items() if text}


def encode_body(body: Any) -> bytes:
    """Encode a body as JSON in UTF-8, as most clients do; return bytes unchanged."""
    if body is None:
        return b""
    return body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()


class World(Caller):
    """An app with its keys."""

    def __init__(self, sender: Sender, app_id: str, key: str, auth_key: str) -> None:
        super().__init__(sender, {"apikey": key})
        self.app_id = app_id
        self.key = key
        """Its full-access key, sent with every call by default."""
        self.auth_key = auth_key
        """Its key of scope `authOnly`."""

    async def user(self, uid: str, **profile: Any) -> Json:
        """Create a user; the default name is the capitalized uid."""
        made: Json = await self.post("/users", {"uid": uid, "name": uid.capitalize(), **profile})
        return made

    async def users(self, *uids: str) -> None:
        """Create several users."""
        for uid in uids:
            await self.user(uid)

    async def token(self, uid: str) -> str:
        """Create an auth token for a user and return it."""
        token: str = (await self.post(f"/users/{uid}/auth_tokens", {"force": True}))["authToken"]
        return token

    async def uids(self, path: str, **how: Unpack[CallOptions]) -> list[str]:
        """Return the uids in a list, in its order."""
        return [row["uid"] for row in await self.get(path, **how)]


@dataclass(frozen=True, slots=True)
class Node:
    """A node in this process."""

    runtime: Runtime
    clock: ManualClock
    sender: Sender
    management: Headers
    """The headers of management calls."""

    async def world(self, *, region: str = "us") -> World:
        """Create an app and return its world."""
        app, (key, auth_key) = await create_app(self.runtime, name="A world", region=region)
        return World(self.sender, app.id, key.api_key, auth_key.api_key)

    def with_settings(self, **changes: Any) -> "Node":
        """Return a node on the same store with other settings."""
        settings = replace(self.runtime.settings, **changes)
        app = make_app(replace(self.runtime, settings=settings), OPERATIONS)
        return replace(self, sender=InProcess(app))

    def manager(self) -> Caller:
        """Return a caller with the management credentials."""
        return Caller(self.sender, self.management)
