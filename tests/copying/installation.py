"""An installation in which the story of the document's examples has happened, and its answers."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from tests.api.http.example_story import STORY, Step
from tests.api.http.test_examples import (
    BY_NAME,
    START,
    CountedIds,
    example_of,
    fail_deliveries,
    full_access_key,
    log_push,
    names_in,
    set_event_aside,
    target_of,
    with_keys,
)
from tests.clock import ManualClock
from tests.wire import InProcess
from tests.world import Caller

from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.domain.apps.manage import make_management_credentials, store_first_credentials
from hubbub.domain.metrics.count import count_all
from hubbub.domain.search.index import search_consumer
from hubbub.http.app import make_app
from hubbub.http.operation import RequiredKey
from hubbub.rest.operations import OPERATIONS

LATER = START + 1_000_000
ENDS = {
    *("delete", "remove", "reset", "archive", "unregister", "unmute", "unfriend", "unblock"),
    *("cancel", "end"),
}
"""First words of operations that take away what the story has made."""
SENT_AWAY = "send_scheduled_message"
"""Takes away what waits to be sent."""
_CURSOR = re.compile(r'"[0-9]{12,}-([0-9]+)"')
"""A cursor has the epoch, which is another one in a copy."""

LISTS = {"perPage": 100}
MORE: tuple[Step, ...] = (
    *(Step("list_all_conversations", query=LISTS, as_=uid) for uid in ("anna", "ben", "dai")),
    *(Step("list_all_messages", query={"limit": 100}, as_=uid) for uid in ("anna", "ben")),
    *(
        Step("list_all_messages", query={"searchKey": text}, as_="anna")
        for text in ("Hello", "ello", "hike")
    ),
    Step("list_all_messages", query={"unread": "true", "count": "true"}, as_="ben"),
    Step("list_events", query={"limit": 100}),
    Step("list_users", query=LISTS),
    Step("list_groups", query=LISTS),
)
"""What the story asks for only in part."""
READINGS = tuple(
    step
    for step in (*STORY, *MORE)
    if BY_NAME[step.operation].method == "GET" and "@cursor" not in step.query.values()
)


@dataclass(slots=True)
class Installation:
    """A store, and what is needed to call it."""

    settings: Settings
    management: dict[str, str] = field(default_factory=dict)
    app: dict[str, str] = field(default_factory=dict)
    found: dict[str, str] = field(default_factory=dict)
    before: dict[str, Any] = field(default_factory=dict)
    """The answers once the story is told."""

    def at(self, settings: Settings) -> "Installation":
        """Return the same installation in another store."""
        return replace(self, settings=settings)

    async def fill(self) -> None:
        """Tell the story on the empty store, without the calls that take something away."""
        clock = ManualClock(START)
        settings = replace(self.settings, log_requests=False)
        async with open_runtime(settings, clock, CountedIds()) as runtime:
            credentials = make_management_credentials(runtime.ids)
            assert await store_first_credentials(runtime, credentials)
            self.management = {"key": credentials.key, "secret": credentials.secret}
            caller = Caller(InProcess(make_app(runtime, OPERATIONS)))
            for step in STORY:
                clock.advance(60)
                await count_all(runtime)
                if step.operation.partition("_")[0] not in ENDS and step.operation != SENT_AWAY:
                    answer = await self._ask(caller, step)
                    self.found |= names_in(step, answer.json) if answer.status == 200 else {}
                if step.operation == "create_app":
                    self.app = {"apikey": full_access_key(answer.json["data"])}
            await log_push(runtime, "my-app")
            await set_event_aside(runtime, "my-app")
            await fail_deliveries(runtime, "my-app")
            await search_consumer(runtime).consume_all()
        await self.answers()  # who asks is active
        self.before = await self.answers()

    async def answers(self) -> dict[str, Any]:
        """Return the answers to all calls of the story that read, but those with a cursor."""
        async with self._opened() as caller:
            return {str(step): await self._read(caller, step) for step in READINGS}

    async def why_cursor_refused(self) -> str:
        """Return the error code with which a cursor of the story is refused; "" if it is not."""
        async with self._opened() as caller:
            answer = await self._ask(caller, Step("list_events", query={"since": "@cursor"}))
        return str(answer.json["error"]["code"]) if answer.status != 200 else ""

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[Caller]:
        settings = replace(self.settings, log_requests=False, public_url="https://chat.example")
        async with open_runtime(settings, ManualClock(LATER), CountedIds()) as runtime:
            yield Caller(InProcess(make_app(runtime, OPERATIONS)))

    async def _read(self, caller: Caller, step: Step) -> Any:
        answer = await self._ask(caller, step)
        return answer.status, _CURSOR.sub(r'"\1"', answer.body.decode())

    async def _ask(self, caller: Caller, step: Step) -> Any:
        entry = BY_NAME[step.operation]
        headers = self.management if entry.key is RequiredKey.MANAGEMENT else self.app
        call = example_of(step, self.found)
        return await caller.ask(
            entry.method,
            target_of(entry, call),
            with_keys(call.body),
            headers={**headers},
            as_=step.as_,
        )
