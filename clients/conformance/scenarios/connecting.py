"""Scenarios of "Connecting": the first frame, and how long it may take."""

import time

from conformance.stage import CONNECT_SECONDS, Stage
from conformance.verdict import Broken, scenario


@scenario(
    "Connecting",
    "The first frame is `connect`, with the auth token and, if the client has a cursor, `since`.",
)
async def first_frame(stage: Stage) -> None:
    """The first frame is `connect` with the token and the cursor, in at most 4 KB."""
    scene = await stage.connect(cursor="5-1")
    await scene.close(1012)
    await stage.accept(since="5-1")


@scenario(
    "Cursors",
    "A client without a cursor loads its lists first and connects with `since` as the "
    "`meta.eventCursor` of the first answer.",
    "lists",
)
async def lists_first(stage: Stage) -> None:
    """A new client loads its lists and resumes from their `eventCursor`."""
    stage.server.event_cursor = "8-15"
    await stage.connect(since="8-15", cursor="8-15")


@scenario(
    "Connecting",
    "A token or a list that can't be fetched is a failed try: the client waits like after a cut.",
    "lists",
)
async def lists_fail_at_first(stage: Stage) -> None:
    """A new client that can't load its lists waits, and loads them at the next try."""
    stage.server.event_cursor = "8-15"
    stage.server.are_loads_failing = True
    await stage.do("connect")
    await stage.state("waiting")
    if stage.server.tries:
        raise Broken("no socket before the lists are loaded", "the client has asked for one")
    stage.server.are_loads_failing = False
    await stage.accept(since="8-15")


@scenario(
    "Connecting",
    "If `connected` has not come 10 s after the socket was asked for, the client closes it and "
    "waits like after a cut.",
    speed=2,
)
async def connected_never_comes(stage: Stage) -> None:
    """A socket on which `connected` does not come is closed after 10 s, and not before."""
    began = time.monotonic()
    await stage.do("connect")
    socket = await stage.next_socket()
    expected = "the client closes the socket after 10 s without `connected`"
    closed_at = await stage.until(
        lambda: socket.closed_at, expected, "it stays open", longer=CONNECT_SECONDS
    )
    waited = (closed_at - began) * stage.speed
    if waited < CONNECT_SECONDS:
        raise Broken("the client waits 10 s for `connected`", f"it has waited {waited:.2f} s")
    await stage.state("waiting")
    await stage.accept()


@scenario("States", "`connected` arrives; the socket closes; 10 s pass")
async def connected_comes_late(stage: Stage) -> None:
    """A client waits for `connected` that comes after some seconds."""
    scene = await stage.connect(delay=6)
    await scene.tell("1-1")
    await stage.shown("1-1")
