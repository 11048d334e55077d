"""`/events`: the change feed, with a long poll, and what the server could not process of it."""

import asyncio

from hubbub.domain.log.set_aside import list_set_aside
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.outbox.positions import CursorExpired
from hubbub.rest.events.feed import FeedPage, read_page
from hubbub.rest.events.wire.events import EventList, ListEvents, event_list
from hubbub.rest.events.wire.set_aside import ListSetAside, SetAsideShape, set_aside_shape
from hubbub.rest.wire.shapes import Listing, page_answer

TAG = operation.Tag("Events", "The log of everything that happens in an app, in order.")


@operation.get("/events", tag=TAG, errors=(CursorExpired,), is_own=True)
async def list_events(call: Call, query: ListEvents) -> EventList:
    """List what happened in the app after a cursor, in order, each event once.

    Begin without `since`: the answer has no events and the cursor of now. Give the `cursor` of each
    answer back as `since`. With `wait`, an answer without events comes only after that time; else
    it comes as soon as there is one. An answer may have fewer events than `limit`, or none, before
    the end of the log.

    `data` shows things as they are when they are read, and no deleted content. An event whose
    subject is gone is left out, and so is one that the server fails to show for a defect
    (`GET /events/set-aside`). A cursor that the log can't be continued from is refused with
    `ERR_CURSOR_EXPIRED`: fetch what you show anew, and begin without `since`.
    """
    page = await _wait_for_page(call, query)
    return event_list(page.head.epoch, page.events, page.upto.number)


@operation.get("/events/set-aside", tag=TAG, is_own=True)
async def list_set_aside_events(call: Call, query: ListSetAside) -> Listing[SetAsideShape]:
    """List the events that the server failed to process for a defect, newest first.

    What follows from such an event is missing: webhooks or sockets are not told of it, nobody is
    notified, a message is not found by searches, or the change feed leaves it out. Other events are
    not affected. The server's log has the details. The newest 1,000 are kept, for 14 days.
    """
    page = await list_set_aside(call.runtime, call.app_id, query.request())
    return page_answer(page, [set_aside_shape(each) for each in page.items])


async def _wait_for_page(call: Call, query: ListEvents) -> FeedPage:
    """Return a page with events, or the last one that was read before the wait ended."""
    loop = asyncio.get_running_loop()
    ends = loop.time() + query.wait
    page = await read_page(call.runtime, call.app_id, query.position(), query.limit)
    while not page.events and page.is_at_head and (left := ends - loop.time()) > 0:
        # Nothing of the database is held meanwhile.
        waiting = call.runtime.newest.wait_beyond(call.app_id, page.upto, left)
        if not await call.wait_for(waiting):
            break
        page = await read_page(call.runtime, call.app_id, page.upto, query.limit)
    return page
