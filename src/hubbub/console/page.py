"""A page of the console is declared once: its route, who may see it, and its menu follow.

    @page.get("/apps/{app}/keys", title="Keys", roles=DEVELOPERS)
    async def show_keys(visit: Visit, app: str) -> PageShown:
        \"\"\"Show the API keys of an app.\"\"\"

    @page.post("/apps/{app}/keys", roles=DEVELOPERS, back="/apps/{app}/keys")
    async def create_key(visit: Visit, app: str, form: NewKey) -> ChangeMade:
        \"\"\"Create an API key.\"\"\"

The parameters of the function are `visit`, the parameters of the path, and `form` or `query`, whose
fields are those of their type. A POST makes a change by a verb of the domain, recorded in the audit
log; then the reader is sent `back`. If it is refused, the page at `back` says why.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_type_hints
from urllib.parse import quote

import msgspec

from hubbub.kernel.errors import BadInput
from hubbub.records.operators.model import OperatorRole

BASE = "/console"
ALL = frozenset(OperatorRole)
OWNERS = frozenset({OperatorRole.OWNER})
ADMINS = OWNERS | {OperatorRole.ADMIN}
MODERATORS = ADMINS | {OperatorRole.MODERATOR}
"""Who may look after people and what they write."""
DEVELOPERS = ADMINS | {OperatorRole.DEVELOPER}
"""Who may look after keys, webhooks and providers; no content."""
APP = "{app}"


class PageForm(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What a form sends, or the query of a page: texts, which become values of the fields."""


class NotConfirmed(BadInput):
    """What can't be undone is done only if the name of its subject is typed."""

    def __init__(self, field_name: str, subject: str) -> None:
        super().__init__(
            "Nothing was changed.",
            details={field_name: [f"Nothing was changed. To confirm, type: {subject}"]},
        )


@dataclass(frozen=True, slots=True)
class PageShown:
    """A page to show: a template, and the facts that it is filled with."""

    template: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    """In place of that of the declaration."""


@dataclass(frozen=True, slots=True)
class ChangeMade:
    """A change that was made: what the next page says of it, and which page that is."""

    notice: str
    to: str = ""
    """A path below `BASE`; that of the declaration's `back` if it is empty."""
    ends_session: bool = False


@dataclass(frozen=True, slots=True)
class FileToSave:
    """Something that the browser saves under a name."""

    name: str
    content_type: str
    parts: Sequence[bytes]
    """Its content, one after the other."""


@dataclass(frozen=True, slots=True)
class LinkToFollow:
    """An address of this server outside of the console, such as a signed link to a file."""

    address: str


Outcome = PageShown | ChangeMade | FileToSave | LinkToFollow
Handle = Callable[..., Awaitable[Outcome]]


def show(template: str, *, title: str = "", **facts: Any) -> PageShown:
    """Return a page to show."""
    return PageShown(template, facts, title)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolePage:
    """A page, or a change that a form makes, and its whole declaration."""

    method: str
    path: str
    """Below `BASE`; `{app}` is the id of the app that it is about."""
    handle: Handle
    roles: frozenset[OperatorRole]
    """Who may see it."""
    for_all_apps: bool = False
    """Whether only operators of all apps may see it."""
    title: str = ""
    back: str = ""
    """The path of the page with the form."""
    is_live: bool = False
    """Whether an open page asks for it by itself, which doesn't keep a session from ending."""
    largest_file: int = 0
    """The most bytes of the file that its form sends, as `visit.file`; 0 if it sends none."""
    takes_upload: bool = False
    """Whether its form may send a large file, which is stored while it arrives: `visit.upload`."""
    form: type[msgspec.Struct] | None
    query: type[msgspec.Struct] | None

    @property
    def is_of_app(self) -> bool:
        """Return whether it is about one app."""
        return APP in self.path.split("/")

    def address(self, values: Mapping[str, str]) -> str:
        """Return its path for values of its parameters."""
        return fill_path(self.path, values)


def fill_path(path: str, values: Mapping[str, str]) -> str:
    """Return a declared path with its parameters, below `BASE`."""
    parts = [
        quote_part(values[each[1:-1]]) if each[:1] == "{" else each for each in path.split("/")
    ]
    return BASE + "/".join(parts)


def quote_part(text: str) -> str:
    """Return a text as a part of a path."""
    return quote(text, safe="")


PAGES: dict[tuple[str, str], ConsolePage] = {}
"""All pages by method and path, in the order of their declaration."""


def get(
    path: str,
    *,
    title: str,
    roles: frozenset[OperatorRole],
    for_all_apps: bool = False,
    is_live: bool = False,
) -> Callable[[Handle], Handle]:
    """Declare a page."""
    return _declare(
        "GET", path, roles=roles, title=title, for_all_apps=for_all_apps, is_live=is_live
    )


def post(
    path: str,
    *,
    roles: frozenset[OperatorRole],
    back: str,
    for_all_apps: bool = False,
    largest_file: int = 0,
    takes_upload: bool = False,
) -> Callable[[Handle], Handle]:
    """Declare a change."""
    return _declare(
        "POST",
        path,
        roles=roles,
        back=back,
        for_all_apps=for_all_apps,
        largest_file=largest_file,
        takes_upload=takes_upload,
    )


def _declare(method: str, path: str, **declaration: Any) -> Callable[[Handle], Handle]:
    def declare(handle: Handle) -> Handle:
        hints = get_type_hints(handle)
        names = [*inspect.signature(handle).parameters][1:]
        wanted = [each[1:-1] for each in path.split("/") if each[:1] == "{"]
        assert [name for name in names if name not in ("form", "query")] == wanted, path
        assert (method, path) not in PAGES, f"{method} {path} is there twice"
        PAGES[method, path] = ConsolePage(
            method=method,
            path=path,
            handle=handle,
            form=hints.get("form"),
            query=hints.get("query"),
            **declaration,
        )
        return handle

    return declare
