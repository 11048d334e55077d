"""An operation is declared once; routes, checks, the OpenAPI document and tests come from that.

    @operation.post("/users/{uid}/friends", tag="Friends", key=FULL_ACCESS)
    async def add_friends(call: Call, uid: str, body: wire.AddFriends) -> wire.FriendOutcomes:
        \"\"\"Make users friends, in both directions at once.\"\"\"

The parameters of the function are the request: `call`, the path's names, `body` and `query` (their
types are the shapes). What it returns becomes `{"data": …}`, unless its type is an `Envelope`.
"""

import enum
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_type_hints

import msgspec

from hubbub.domain.access.rates import Rate
from hubbub.kernel.errors import Refusal
from hubbub.records.roles.features import FEATURES


class RequiredKey(enum.Enum):
    """What a caller must hold."""

    FULL_ACCESS = "fullAccess"
    AUTH_ONLY = "authOnly"
    MANAGEMENT = "management"


class Acting(enum.Enum):
    """Whether a call may be made as a user."""

    IGNORED = "ignored"
    OPTIONAL = "optional"
    REQUIRED = "required"


FULL_ACCESS = RequiredKey.FULL_ACCESS
AUTH_ONLY = RequiredKey.AUTH_ONLY
MANAGEMENT = RequiredKey.MANAGEMENT


class Envelope(msgspec.Struct, omit_defaults=True):
    """A whole answer; its fields are `data` and `meta`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path, and everything that is known about it."""

    method: str
    path: str
    tag: str
    key: RequiredKey
    acting: Acting
    is_for_users: bool
    """Whether the bearer of an auth token may call it as himself."""
    features: tuple[str, ...]
    """The feature keys by which a role may be kept from it: all of them, unless it says which."""
    errors: tuple[type[Refusal], ...]
    largest_body: int
    rate: Rate
    """What a call of it counts as, where calls are limited."""
    named: tuple[type, ...]
    """Shapes that are named by others' schemas only, to be described with them."""
    handler: Callable[..., Any]
    body: type | None
    query: type[msgspec.Struct] | None
    answer: Any
    path_names: tuple[str, ...]
    is_alias: bool = False
    """Whether it is another's second path."""

    @property
    def name(self) -> str:
        """The operation's id, unique in the interface."""
        return self.handler.__name__ + ("_alias" if self.is_alias else "")

    @property
    def summary(self) -> str:
        return (inspect.getdoc(self.handler) or "").partition("\n")[0]

    @property
    def description(self) -> str:
        return (inspect.getdoc(self.handler) or "").partition("\n\n")[2]

    @property
    def is_write(self) -> bool:
        """Whether it may change something."""
        return self.method != "GET"

    @property
    def is_enveloped(self) -> bool:
        """Whether the answer's type already holds `data` and `meta`."""
        origin = getattr(self.answer, "__origin__", self.answer)
        return isinstance(origin, type) and issubclass(origin, Envelope)


LARGEST_BODY = 1024 * 1024

DECLARED: list[Operation] = []
"""Every operation of the modules that were imported, in the order of their declaration."""


def _declare(method: str) -> Callable[..., Callable[[Callable[..., Any]], Callable[..., Any]]]:
    def declare(
        path: str,
        *,
        tag: str,
        alias: str | None = None,
        key: RequiredKey = FULL_ACCESS,
        acting: Acting = Acting.IGNORED,
        for_users: bool = False,
        features: tuple[str, ...] = (),
        errors: tuple[type[Refusal], ...] = (),
        largest_body: int = LARGEST_BODY,
        rate: Rate = Rate.STANDARD,
        named: tuple[type, ...] = (),
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def register(handler: Callable[..., Any]) -> Callable[..., Any]:
            assert all(key in FEATURES for key in features), features
            hints = get_type_hints(handler, include_extras=True)
            DECLARED.extend(
                Operation(
                    method=method,
                    path=each,
                    tag=tag,
                    key=key,
                    acting=acting,
                    is_for_users=for_users,
                    features=features,
                    errors=errors,
                    largest_body=largest_body,
                    rate=rate,
                    named=named,
                    handler=handler,
                    body=hints.get("body"),
                    query=hints.get("query"),
                    answer=hints["return"],
                    path_names=tuple(part[1:-1] for part in each.split("/") if part[:1] == "{"),
                    is_alias=each is not path,
                )
                for each in ((path, alias) if alias else (path,))
            )
            return handler

        return register

    return declare


get = _declare("GET")
post = _declare("POST")
put = _declare("PUT")
patch = _declare("PATCH")
delete = _declare("DELETE")
