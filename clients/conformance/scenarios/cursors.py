"""Scenarios of "Cursors": from where a client resumes, and when it must load its lists anew."""

from conformance import frames
from conformance.stage import Stage
from conformance.verdict import Broken, scenario

ANEW = "Lists are loaded anew; what they do not have any more is removed."
LATEST = "The cursor is the last `cursor` that was received, in `connected`, an event or a `pong`."


@scenario("Cursors", LATEST)
async def cursor_of_the_last_event(stage: Stage) -> None:
    """After events the client resumes from the cursor of the last one."""
    scene = await stage.connect(cursor="1-4")
    await scene.tell("1-5", "1-6")
    await stage.shown("1-5", "1-6")
    await scene.close(1012)
    await stage.accept(since="1-6")


@scenario("Cursors", LATEST)
async def cursor_of_a_pong(stage: Stage) -> None:
    """After a pong with a cursor the client resumes from that; one without changes nothing."""
    scene = await stage.connect(cursor="1-4", heartbeat=10)
    scene.socket.pong = {"op": "pong", "cursor": "1-9"}
    await _ping(stage, scene.socket.pings + 1)
    scene.socket.pong = {"op": "pong"}
    await _ping(stage, scene.socket.pings + 1)
    await scene.pong()
    await scene.close(1012)
    await stage.accept(since="1-9")


async def _ping(stage: Stage, count: int) -> None:
    [socket] = stage.server.sockets[-1:]
    await stage.until(lambda: socket.pings >= count, "a ping", "none", longer=10)


@scenario("Cursors", "It is opaque: it is neither read nor compared.")
async def cursor_is_opaque(stage: Stage) -> None:
    """The last cursor is kept, whatever it looks like, and also if another one looks later."""
    scene = await stage.connect(cursor="zz/9+ü=")
    await scene.say(**frames.event("n1", {"message": frames.message("1")}, cursor="9-9"))
    await scene.say(**frames.event("n2", {"message": frames.message("2")}, cursor="1-10"))
    await stage.shown("n1", "n2")
    await scene.close(1012)
    scene = await stage.accept(since="1-10", cursor="a b")
    await scene.close(1012)
    await stage.accept(since="a b")


@scenario("Cursors", "all that was missed follows, in order, before anything new.")
async def missed_events_in_order(stage: Stage) -> None:
    """Missed events are shown once, in their order, and then the new ones."""
    scene = await stage.connect(cursor="1-4")
    await scene.tell("1-5")
    await stage.shown("1-5")
    await scene.close(1012)
    scene = await stage.accept(since="1-5", cursor="1-5")
    missed = [f"1-{number}" for number in range(6, 60)]
    await scene.tell(*missed, "1-60")
    await stage.shown(*missed, "1-60")


@scenario("Cursors", ANEW, "lists")
async def lists_anew(stage: Stage) -> None:
    """A client that was not resumed loads its lists again, and then goes on from there."""
    scene = await stage.connect(cursor="1-4")
    await scene.close(1012)
    loads = stage.server.loads
    scene = await stage.accept(resumed=False, cursor="2-1")
    await stage.until(
        lambda: stage.server.loads > loads, "the lists are loaded anew", "no request of a list"
    )
    await scene.tell("2-2")
    await stage.shown("2-2")
    await scene.close(1012)
    await stage.accept(since="2-2")


@scenario(
    "Cursors",
    "if a list can't be loaded, the next try must not resume after it.",
    "lists",
)
async def lists_that_can_not_be_loaded(stage: Stage) -> None:
    """Until the lists are loaded, the client does not resume after what it may have missed."""
    scene = await stage.connect(cursor="1-4")
    await scene.close(1012)
    stage.server.are_loads_failing = True
    loads, loaded = stage.server.loads, stage.server.loaded
    scene = await stage.accept(resumed=False, cursor="2-1", settles=False)
    await stage.until(
        lambda: stage.server.loads > loads, "the lists are loaded anew", "no request of a list"
    )
    await scene.tell("2-2")
    await scene.close(1012)
    stage.server.event_cursor, stage.server.are_loads_failing = "2-3", False
    scene = await stage.accept(resumed=False, cursor="2-4", settles=False)
    since = scene.first.get("since")
    if since in ("2-1", "2-2") and loaded == stage.server.loaded:
        raise Broken("no `since` of the socket whose lists were not loaded", f"{since!r}")
    await stage.until(
        lambda: stage.server.loaded > loaded, "the lists are loaded again", "they are not"
    )
    await stage.state("connected")
    await scene.tell("2-5")
    await stage.until(
        lambda: any(line.get("id") == "2-5" for line in stage.said("event")),
        "the event 2-5 is shown",
        "it is not",
    )
    await scene.close(1012)
    await stage.accept(since="2-5")
