"""Append to many messages in one call: what a bot has for all its conversations of a moment."""

import asyncio
from collections.abc import Sequence
from functools import partial

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_actor
from hubbub.domain.growing.append import Appended, append, append_ready, find_ready
from hubbub.kernel.errors import Refusal
from hubbub.runtime import Runtime

AT_ONCE = 25
"""So many appends are one piece of work on the event loop: about a tenth of a millisecond."""
APPEND_SECONDS = 0.00001
"""What one takes of it, with its part of the call: measured."""
MOST_ASKED = 50
"""So many messages of a call are asked for at the same time if this node does not hold them."""


class Append(msgspec.Struct, frozen=True):
    """An append to one of many messages."""

    message: int
    text: str
    sequence: int


class _Together:
    """The appends of a call, and their outcomes."""

    def __init__(
        self, runtime: Runtime, app_id: str, actor: Actor, appends: Sequence[Append]
    ) -> None:
        self._runtime, self._app_id, self._actor = runtime, app_id, actor
        self._appends = appends
        self.outcomes: dict[int, Appended | Refusal] = {}
        """By the place of the append in the call."""
        self._asked: dict[int, list[int]] = {}
        """The places of those for which something has to be asked, by message."""

    def take(self, places: Sequence[int]) -> None:
        """Make those of some appends that are ready."""
        runtime, app_id, uid = self._runtime, self._app_id, self._actor.uid
        for place in places:
            each = self._appends[place]
            if each.message in self._asked:  # after the one before it
                self._asked[each.message].append(place)
                continue
            growth = find_ready(runtime, app_id, uid, each.message, each.text, each.sequence)
            if growth is None:
                self._asked[each.message] = [place]
            else:
                self.outcomes[place] = append_ready(runtime, growth, each.text, each.sequence)

    async def ask(self) -> None:
        """Make the others: those to one message in their order, some messages at a time.

        Raises:
            UidNotFound: the acting user does not exist.
        """
        messages = list(self._asked.values())
        if messages:
            check = partial(access_actor, actor=self._actor)
            await self._runtime.database.read(self._app_id, check, is_short=True)
        for at in range(0, len(messages), MOST_ASKED):
            await asyncio.gather(*map(self._append_all, messages[at : at + MOST_ASKED]))

    async def _append_all(self, places: Sequence[int]) -> None:
        for place in places:
            each = self._appends[place]
            try:
                self.outcomes[place] = await append(
                    self._runtime,
                    self._app_id,
                    self._actor,
                    each.message,
                    each.text,
                    each.sequence,
                )
            except Refusal as refusal:
                self.outcomes[place] = refusal


async def append_together(
    runtime: Runtime, app_id: str, actor: Actor, appends: Sequence[Append]
) -> list[Appended | Refusal]:
    """Make many appends; return one outcome each, in order. A refusal affects no other.

    Other apps have turns between the parts of a long call.

    Raises:
        UidNotFound: the acting user does not exist.
        QueueFull: too much of the app waits for such turns; some of the appends may be made.
    """
    together = _Together(runtime, app_id, actor, appends)
    places = range(len(appends))
    for at in range(0, len(places), AT_ONCE):
        some = places[at : at + AT_ONCE]
        await runtime.allowances.wait(app_id, APPEND_SECONDS * len(some))
        await runtime.pieces.do(app_id, partial(together.take, some))
    await together.ask()
    return [together.outcomes[place] for place in places]
