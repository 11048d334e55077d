"""Over random histories, every client hears what the model says: each event once, in order.

Clients are opened, cut and resumed while things happen; some read only in the end.
"""

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.api.events.events_calls import VERBS, Drawn, call_of
from tests.api.events.events_copy import Copy, EventView, Seat
from tests.api.events.events_view import GUIDS, UIDS
from tests.api.events.test_events_agree import FEW
from tests.api.messages.talk import to_group, to_user
from tests.eventlog import LoggedEvent, list_logged
from tests.realtime.audience_model import SILENT, SYSTEM, AudienceModel
from tests.realtime.chat import Hall, hall_of
from tests.realtime.listeners import Listener
from tests.world import CallOptions, Json, Node

from hubbub.domain.erasure.erase import erase_all

MOST_LISTENERS = 8
LONG_AGO = 1_500_000_000
OWN_VERBS = {
    "open": 10,
    "open_slow": 4,
    "cut": 12,
    "resume": 12,
    "import": 3,
    "deactivate": 2,
    "activate": 3,
    "revoke": 3,
    "remove": 1,
    "tag": 2,
    "pause": 2,
}
"""The weights of the verbs that the calls of other tests do not have."""
_OFFERED = [verb for verb, (weight, _) in VERBS.items() for _ in range(weight)]
_OFFERED += [verb for verb, weight in OWN_VERBS.items() for _ in range(weight)]
_number = st.integers
_DRAWN = st.builds(
    Drawn, st.sampled_from(_OFFERED), _number(0, 8), _number(0, 5), _number(0, 7), _number(0, 3)
)
STEPS = st.lists(st.lists(_DRAWN, min_size=1, max_size=4), min_size=10, max_size=30)
SOME = settings(FEW, max_examples=6, phases=[Phase.generate])
MANY = settings(SOME, max_examples=500)


@dataclass(slots=True)
class Play:
    """An app whose users do random things, the listeners, and the model."""

    node: Node
    hall: Hall
    copy: Copy = field(default_factory=Copy)
    model: AudienceModel = field(default_factory=AudienceModel)
    listeners: list[Listener] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    """What was done, for the message of a failure."""

    async def begin(self) -> None:
        """Create the users, two groups, and a listener of each user."""
        world = self.hall.world
        await world.users(*UIDS)
        members = {"moderators": ["ben"], "participants": ["cleo"]}
        for guid, by in zip(GUIDS, ("anna", None), strict=True):
            body = {"guid": guid, "name": guid, "type": "public", "members": members}
            await world.post("/groups", body, as_=by)
        await world.post("/messages", to_user("ben"), as_="anna")
        await world.post("/messages", to_group("tea"), as_="ben")
        for uid in UIDS:
            await self._open(uid)
        await self.settle()

    async def take(self, step: Sequence[Drawn]) -> None:
        """Do the things of a step at once, then wait until the clients have heard of all."""
        outcomes = await asyncio.gather(*map(self._do, step))
        self.done += [f"{drawn}: {outcome}" for drawn, outcome in zip(step, outcomes, strict=True)]
        await self.settle()
        await erase_all(self.node.runtime)
        await self.settle()

    async def _do(self, drawn: Drawn) -> str:
        own = getattr(self, f"_{drawn.verb}", None)
        if own is not None:
            return str(await own(drawn))
        call = call_of(self.copy, drawn)
        who = CallOptions(as_=None if call.by == SYSTEM else call.by)
        if call.is_by_token:
            who = CallOptions(token=await self._token(call.by))
        return await self._ask(call.method, call.path, call.body, who)

    async def _ask(
        self, method: str, path: str, body: Json | None = None, who: CallOptions | None = None
    ) -> str:
        answer = await self.hall.world.ask(method, path, body, **(who or CallOptions()))
        return f"{method} {path} {answer.status}"

    async def settle(self) -> None:
        """Wait until everything is told, and bring the model up to date."""
        await self.hall.settle()
        for logged in await self._log():
            self.model.apply(logged)
            self._follow(logged)
        await asyncio.gather(*(each.sync(self.model.head) for each in self.listeners))

    async def _log(self) -> list[LoggedEvent]:
        return await self.node.runtime.database.read(
            self.hall.world.app_id, lambda snapshot: list_logged(snapshot, self.model.head)
        )

    def _follow(self, logged: LoggedEvent) -> None:
        """Tell the copy as much as is needed for calls that make sense."""
        name, fields = logged[2], json.loads(logged[4])
        if name == "members_imported":
            for uid in fields["uids"]:
                self.copy.talks[fields["conversation"]].seats[uid] = Seat("participant")
        known = {id_: each.content for id_, each in self.copy.messages.items()}
        category = "message" if name == "message_sent" else "action"
        new = {"sender": fields.get("sender", SYSTEM), "category": category}
        view = EventView(name, fields, {**known, fields.get("message", 0): new}, {})
        if name not in (*SILENT, "conversation_updated"):
            with suppress(KeyError):  # members who were deleted are still in the copy
                self.copy.apply(view)

    # Clients

    async def _token(self, uid: str) -> str:
        answer = await self.hall.world.ask("POST", f"/users/{uid}/auth_tokens", {"force": True})
        return str(answer.data["authToken"]) if answer.status == 200 else ""

    async def _open(self, by: str | Drawn, *, is_slow: bool = False) -> None:
        uid = by if isinstance(by, str) else UIDS[by.by % len(UIDS)]
        if len(self.listeners) < MOST_LISTENERS and (token := await self._token(uid)):
            listener = Listener(self.hall, uid, is_slow)
            self.listeners.append(listener)
            with busy(listener):
                await listener.begin(token)
                await listener.wait_until_connected()

    async def _open_slow(self, drawn: Drawn) -> None:
        await self._open(drawn, is_slow=True)

    async def _cut(self, drawn: Drawn) -> None:
        if found := [each for each in self.listeners if each.is_open and not each.is_busy]:
            listener = found[drawn.which % len(found)]
            with busy(listener):
                await listener.cut()

    async def _resume(self, drawn: Drawn) -> None:
        if found := [each for each in self.listeners if not (each.is_open or each.is_busy)]:
            await self._come_back(found[drawn.which % len(found)], is_cut=drawn.kind == 0)

    async def _come_back(self, listener: Listener, *, is_cut: bool = False) -> None:
        with busy(listener):
            if token := await self._token(listener.uid):
                await listener.begin(token)
                if is_cut:
                    await listener.cut()
                else:
                    await listener.wait_until_connected()

    # What other tests do not call

    async def _import(self, drawn: Drawn) -> str:
        guid, uid = GUIDS[drawn.at % len(GUIDS)], UIDS[drawn.by % len(UIDS)]
        key = f"{guid}_member_{uid}"
        row = {"memberId": key, "guid": guid, "uid": uid, "joinedAt": LONG_AGO}
        return await self._ask("POST", "/data_import/members", {"members": {key: row}})

    async def _deactivate(self, drawn: Drawn) -> str:
        return await self._ask("DELETE", "/users", {"uidsToDeactivate": [_last(drawn)]})

    async def _activate(self, drawn: Drawn) -> str:
        return await self._ask("PUT", "/users", {"uidsToActivate": [_last(drawn)]})

    async def _revoke(self, drawn: Drawn) -> str:
        listener = self.listeners[drawn.which % len(self.listeners)]
        if not listener.tokens:
            return "no token"
        return await self._ask("DELETE", f"/users/{listener.uid}/auth_tokens/{listener.tokens[-1]}")

    async def _remove(self, drawn: Drawn) -> str:
        return await self._ask("DELETE", "/users/dora", {"permanent": drawn.kind == 0})

    async def _tag(self, drawn: Drawn) -> str:
        path = f"/groups/{GUIDS[drawn.at % len(GUIDS)]}/conversation"
        who = CallOptions(as_=UIDS[drawn.by % len(UIDS)])
        return await self._ask("PUT", path, {"tags": [f"tag{drawn.which}"]}, who)

    async def _pause(self, drawn: Drawn) -> None:
        self.node.clock.advance(1 + drawn.kind)

    async def finish(self) -> int:
        """Have all clients come back that may, and compare them with the model."""
        for listener in self.listeners:
            if not listener.is_open:
                await self._come_back(listener)
            await listener.read_on()
        await self.settle()
        try:
            return sum(each.check(self.model) for each in self.listeners)
        except AssertionError as failure:
            failure.add_note("\n".join(self.done))
            raise
        finally:
            for listener in self.listeners:
                await listener.cut()


@contextmanager
def busy(listener: Listener) -> Iterator[None]:
    """Have no other thing of the step open or cut a listener."""
    listener.is_busy = True
    yield
    listener.is_busy = False


def _last(drawn: Drawn) -> str:
    return UIDS[2 + drawn.by % 2]


async def check(node: Node, steps: Sequence[Sequence[Drawn]]) -> None:
    """Run steps in a new app, and compare all clients with the model."""
    async with hall_of(await node.world(), node.runtime) as hall:
        play = Play(node, hall)
        await play.begin()
        for step in steps:
            await play.take(step)
        await play.finish()


@given(steps=STEPS)
@SOME
async def test_clients_hear_what_the_model_says(node: Node, steps: list[list[Drawn]]) -> None:
    """After any history, with any cuts, a client has heard the stream of one that never was cut."""
    await check(node, steps)


@pytest.mark.campaign
@given(steps=STEPS)
@MANY
async def test_clients_hear_what_the_model_says_for_long(
    node: Node, steps: list[list[Drawn]]
) -> None:
    """The same for a large number of histories."""
    await check(node, steps)
