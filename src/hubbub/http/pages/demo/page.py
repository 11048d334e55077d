"""The routes of the demo chat: its page, its files, the people to choose from, and their tokens.

The files in `static` are built from `clients/demo`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from importlib.resources import files

import msgspec

from hubbub.domain.access.actor import APP
from hubbub.domain.tokens.manage import create_token
from hubbub.domain.users.find import list_users
from hubbub.http.answer import Answer
from hubbub.http.pages.content import CompressedContent
from hubbub.http.pages.demo.caller import check_caller
from hubbub.http.pages.site import HTML, SECURITY_HEADERS
from hubbub.http.request import Request
from hubbub.http.routes import Routes
from hubbub.kernel.pages import PageRequest
from hubbub.records.users.listing import UserFilter
from hubbub.records.users.model import User
from hubbub.runtime import Runtime

Prepare = Callable[[], Awaitable[None]]

PATH = "/demo"
PEOPLE = f"{PATH}/people"
MOST_PEOPLE = 30
FILES = {
    PATH: ("demo.html", HTML),
    f"{PATH}/demo.css": ("demo.css", "text/css; charset=utf-8"),
    f"{PATH}/demo.js": ("demo.js", "text/javascript; charset=utf-8"),
}
HEADERS = {
    **SECURITY_HEADERS,
    # Files that are sent are shown before the server has them: blob.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; "
        "img-src 'self' blob:; media-src 'self' blob:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
}
_STATIC = files(__package__) / "static"
_encode = msgspec.json.Encoder().encode


def add_demo(routes: Routes, runtime: Runtime, app_id: str, prepare: Prepare) -> None:
    """Add the routes of the demo chat; `prepare` completes the app when its people are listed."""
    for path, (name, content_type) in FILES.items():
        read = (_STATIC / name).read_bytes
        routes.add(path, "GET", CompressedContent(content_type, read, headers=HEADERS))
    people = DemoPeople(runtime, app_id, prepare)
    routes.add(PEOPLE, "GET", people.list)
    routes.add(f"{PEOPLE}/{{uid}}/token", "POST", people.give_token)


class DemoPeople:
    """The people of the demo app, whom anybody at this machine may be."""

    def __init__(self, runtime: Runtime, app_id: str, prepare: Prepare) -> None:
        self._runtime = runtime
        self._app_id = app_id
        self._prepare = prepare
        self._preparing = asyncio.Lock()
        self._check = partial(check_caller, has_proxies=bool(runtime.settings.trusted_proxies))

    async def list(self, request: Request, values: Sequence[str]) -> Answer:
        """Answer with the people, those who were there first in front.

        Raises:
            NotOfThisMachine: no page of the demo asks.
        """
        self._check(request)
        async with self._preparing:
            await self._prepare()
        page = await list_users(
            self._runtime, self._app_id, APP, UserFilter(), PageRequest(per_page=1000)
        )
        users = sorted((view.user for view in page.items), key=_age_of)
        return _answer([_shape(user) for user in users[:MOST_PEOPLE]])

    async def give_token(self, request: Request, values: Sequence[str]) -> Answer:
        """Answer with an auth token of a person.

        Raises:
            NotOfThisMachine: no page of the demo asks.
            UidNotFound: the person does not exist.
        """
        self._check(request)
        token = await create_token(self._runtime, self._app_id, values[0].lower())
        return _answer({"authToken": token.auth_token})


def _age_of(user: User) -> tuple[int, str]:
    return user.created_at, user.uid


def _shape(user: User) -> dict[str, object]:
    fields = {
        "uid": user.uid,
        "name": user.name,
        "statusMessage": user.status_message,
        "isBot": user.is_bot,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _answer(data: object) -> Answer:
    answer = Answer(_encode({"data": data}))
    answer.set_header("Cache-Control", "no-store")
    return answer
