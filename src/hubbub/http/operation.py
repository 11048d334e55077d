"""An operation is declared once: routes, checks, the OpenAPI document and tests come from that.

    @operation.post("/users/{uid}/friends", tag=TAG, key=FULL_ACCESS)
    async def add_friends(call: Call, uid: path.Uid, body: wire.AddFriends) -> wire.FriendOutcomes:
        \"\"\"Make users friends, at once and in both directions.\"\"\"

The parameters of the function are the request: `call`, the parameters of the path, `body` and
`query`. Their types say how each is read. The result is sent as `{"data": …}`, unless its type is
an `Envelope`. The docstring is the text of the reference: a summary, then a description.
"""

import enum
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, get_type_hints

import msgspec

from hubbub.domain.access.rates import Rate
from hubbub.kernel.errors import Refusal
from hubbub.kernel.nesting import MOST_VALUES
from hubbub.records.roles.features import FEATURES

Handler = Callable[..., Any]


class RequiredKey(enum.Enum):
    """The credentials that a caller must show."""

    FULL_ACCESS = "fullAccess"
    AUTH_ONLY = "authOnly"
    MANAGEMENT = "management"
    FULL_ACCESS_OR_MANAGEMENT = "fullAccess or management"


class Acting(enum.Enum):
    """Whether a user can act: the bearer of an auth token, or the user that `onBehalfOf` names.

    If it is ignored, only the app acts, with a key.
    """

    IGNORED = "ignored"
    OPTIONAL = "optional"
    REQUIRED = "required"


FULL_ACCESS = RequiredKey.FULL_ACCESS
AUTH_ONLY = RequiredKey.AUTH_ONLY
MANAGEMENT = RequiredKey.MANAGEMENT
FULL_ACCESS_OR_MANAGEMENT = RequiredKey.FULL_ACCESS_OR_MANAGEMENT


class Envelope(msgspec.Struct, omit_defaults=True):
    """A complete response body; its fields are `data` and `meta`."""


@dataclass(frozen=True, slots=True)
class PathParameter:
    """A parameter of a path; `Annotated[type, PathParameter(…)]` is the type of its argument."""

    name: str
    """The name in braces in the path."""
    description: str
    parse: Callable[[str, str], Any]
    """Returns the value of a decoded text, or raises `BadInput` with this name as the field."""
    example: str
    """A value as it is written in a URL."""
    kind: str | None = None
    """The kind of record that it identifies, if an idempotent answer is bound to that record."""
    schema: Mapping[str, Any] = field(default_factory=dict)
    """What the document says of its text, in JSON Schema."""


@dataclass(frozen=True, slots=True)
class Tag:
    """An area of the interface, under which the document lists its operations."""

    name: str
    description: str


PREFIXES = ("/v3", "/v3.0")
"""Every path is served under both; paths of management calls are also served without a prefix."""
LARGEST_BODY = 1024 * 1024
"""The most bytes of a body, but of an import."""
IDS_VALUES = 2_000
"""The most values in a body of ids: to check the form of an id takes half a microsecond."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path, and its whole declaration."""

    name: str
    """The operation's id, unique in the interface."""
    method: str
    path: str
    text: str
    """The docstring of the handler: a summary, an empty line, a description."""
    handler: Handler
    path_parameters: Mapping[str, PathParameter]
    """The parameters of the path in its order, by the argument of the handler."""
    body: type | None
    query: type[msgspec.Struct] | None
    answer: Any
    is_write: bool
    """Whether it may change something."""
    is_enveloped: bool
    """Whether the type of the answer already has `data` and `meta`."""
    is_deprecated: bool = False
    """Whether another path of the operation should be used."""

    # What follows is given to the decorator.
    tag: Tag
    key: RequiredKey = FULL_ACCESS
    acting: Acting = Acting.IGNORED
    features: tuple[str, ...] = ()
    """The features that a role can restrict; a call needs all, or those that the handler picks."""
    errors: tuple[type[Refusal], ...] = ()
    is_own: bool = False
    """Whether the v3 interface does not have it; unknown fields and parameters are refused then."""
    takes_files: bool = False
    """Whether the body may be a form with files, which are in `call.upload` then."""
    largest_body: int = LARGEST_BODY
    most_values: int = MOST_VALUES
    """The most values in a body, since each costs time to decode."""
    rate: Rate = Rate.STANDARD
    """The limit that a call counts towards, where calls are limited."""
    is_body_optional: bool = False
    """Whether a call without a body makes sense."""
    is_followed: bool = False
    """Whether its answer has `meta.eventCursor`, from which the list can be kept up to date."""
    codes: tuple[str, ...] = ()
    """The codes of invalid requests, besides `ERR_BAD_REQUEST`, that have no class in `errors`."""

    @property
    def summary(self) -> str:
        return self.text.partition("\n")[0]

    @property
    def description(self) -> str:
        return self.text.partition("\n\n")[2]

    @property
    def names(self) -> list[str]:
        """Return the names of its parameters and of the fields of its body."""
        types = [type_ for type_ in (self.query, self.body) if type_ is not None]
        return [field.encode_name for type_ in types for field in msgspec.structs.fields(type_)]

    @property
    def is_for_managers(self) -> bool:
        """Return whether it can be called with the management credentials."""
        return self.key in (MANAGEMENT, FULL_ACCESS_OR_MANAGEMENT)

    @property
    def is_for_users(self) -> bool:
        """Return whether it can be called with an auth token."""
        return self.acting is not Acting.IGNORED


DECLARED: list[Operation] = []
"""Every operation of the modules that were imported, in the order of their declaration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondPath:
    """Another path of an operation, and what is different there."""

    path: str
    name: str
    """The name of the operation there; `{name}` is that at the first path."""
    note: str = ""
    """How it is the same, in the document, after the name of the operation at the first path."""
    words: Mapping[str, str] | None = None
    wrap: Callable[[Handler], Handler] = lambda handler: handler
    """Returns the handler for this path."""
    differences: Mapping[str, Any] = field(default_factory=dict)
    """Fields of `Operation`."""


def alias(path: str, name: str) -> SecondPath:
    """Return a second path that is only another spelling, which is deprecated."""
    return SecondPath(
        path=path, name=name, note="under another path", differences={"is_deprecated": True}
    )


def _declare(
    method: str,
    path: str,
    *,
    also: SecondPath | None = None,
    name: str | None = None,
    words: Mapping[str, str] | None = None,
    **declaration: Any,
) -> Callable[[Handler], Handler]:
    """Return a decorator that declares its handler as an operation, `also` under a second path.

    The name of the handler is the name of the operation, unless a `name` is given. `words` replace
    the names in braces in the docstring. `hints` are the types of the request and the answer that
    are made at run time. `declaration` has further fields of `Operation`.
    """

    def register(handler: Handler) -> Handler:
        called = name or handler.__name__
        DECLARED.append(
            _operation(handler, method, path=path, name=called, words=words, **declaration)
        )
        if also is not None:
            second = _operation(
                also.wrap(handler),
                method,
                path=also.path,
                name=also.name.format(name=called),
                words=also.words,
                **{**declaration, **also.differences},
            )
            note = f"\n\nThe same as `{called}`, {also.note}." if also.note else ""
            DECLARED.append(replace(second, text=second.text + note))
        return handler

    return register


def _operation(
    handler: Handler,
    method: str,
    *,
    path: str,
    name: str,
    words: Mapping[str, str] | None,
    **declaration: Any,
) -> Operation:
    hints = get_type_hints(handler, include_extras=True) | declaration.pop("hints", {})
    text = inspect.getdoc(handler) or ""
    operation = Operation(
        name=name,
        method=method,
        path=path,
        text=text.format_map(words) if words else text,
        handler=handler,
        path_parameters=dict(_path_parameters(path, hints)),
        body=hints.get("body"),
        query=hints.get("query"),
        answer=hints["return"],
        is_write=method != "GET",
        is_enveloped=_is_envelope(hints["return"]),
        **declaration,
    )
    assert FEATURES.keys() >= set(operation.features), operation
    return operation


def _is_envelope(answer: Any) -> bool:
    origin = getattr(answer, "__origin__", answer)
    return isinstance(origin, type) and issubclass(origin, Envelope)


def _path_parameters(path: str, hints: Mapping[str, Any]) -> Iterator[tuple[str, PathParameter]]:
    """Yield each parameter of a path with the argument whose type declares it."""
    declared = {
        extra.name: (argument, extra)
        for argument, hint in hints.items()
        for extra in getattr(hint, "__metadata__", ())
        if isinstance(extra, PathParameter)
    }
    for part in path.split("/"):
        if part.startswith("{"):
            yield declared[part.strip("{}")]


get = partial(_declare, "GET")
post = partial(_declare, "POST")
put = partial(_declare, "PUT")
patch = partial(_declare, "PATCH")
delete = partial(_declare, "DELETE")
