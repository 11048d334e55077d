"""Erase what users and groups left in the log, and in what webhooks are to be sent.

Nothing says which events and bodies these are, so that it costs nothing to write them. They are
searched from the newest to the oldest, a span in each transaction, for many erasures at once: those
that have come equally far go on together. A span that is searched again is found as it was left.
"""

from collections.abc import Sequence
from dataclasses import replace

from hubbub.outbox.redact import has_events, redact_events
from hubbub.records.erasure import store
from hubbub.records.erasure.model import Erasure
from hubbub.records.webhooks.erased import Shown, delete_that_show, has_bodies
from hubbub.storage.interface import Transaction

SPAN = 200
"""The events that one transaction searches, and as many bodies or a few more."""


async def erase_traces(tx: Transaction, erasures: Sequence[Erasure], now: int) -> None:
    """Search the next events of those erasures that have the newest before them."""
    upto = max(each.upto_event for each in erasures)
    after = max(upto - SPAN, 0)
    searching = [each for each in erasures if each.upto_event > after]
    erased: dict[Shown, int] = {}
    for each in searching:
        shown = Shown.decode(each.subject)
        erased[shown] = max(each.upto_event, erased.get(shown, 0))
    uids = {each.id: last for each, last in erased.items() if each.field == "uid"}
    await redact_events(tx, after, upto, uids)
    await delete_that_show(tx, after, upto, erased)
    is_left = await has_events(tx, after) or await has_bodies(tx, after)
    for each in searching:
        await store.delete_erasure(tx, each)
        if is_left:
            await store.insert_erasure(tx, replace(each, upto_event=after), now)
