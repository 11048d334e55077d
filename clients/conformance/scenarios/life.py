"""Scenarios of "Signs of life": pings, and servers that are gone without a word."""

import asyncio

from conformance.stage import LONGEST_WAIT, Stage
from conformance.verdict import Broken, scenario

HEARTBEAT = 10
SILENCE = 2 * HEARTBEAT
SILENT = "If it has received nothing for two heartbeats, it closes the socket and waits"


@scenario("Signs of life", "It answers the server's `ping` with `pong`.")
async def ping_is_answered(stage: Stage) -> None:
    """Each ping of the server is answered with pong."""
    scene = await stage.connect()
    for _ in range(3):
        await scene.pong()


@scenario("Signs of life", "A client that has sent nothing for so long sends `ping`.")
async def ping_after_a_heartbeat(stage: Stage) -> None:
    """A client that has nothing to say pings once in a heartbeat."""
    scene = await stage.connect(heartbeat=HEARTBEAT)
    for number in range(1, 3):
        await stage.until(
            lambda count=number: scene.socket.pings >= count,  # type: ignore[misc]
            f"ping {number} after a heartbeat of {HEARTBEAT} s",
            "none",
            longer=HEARTBEAT,
        )
    if scene.socket.closed_at:
        raise Broken("the socket stays open", "the client has closed it")


@scenario("Signs of life", SILENT, speed=5)
async def silent_server(stage: Stage) -> None:
    """A server that says nothing for two heartbeats is left, and not before; the client resumes."""
    scene = await stage.connect(heartbeat=HEARTBEAT, cursor="1-7")
    scene.socket.pong = None
    told_at = stage.server.acted_at
    closed_at = await scene.left("the client leaves a silent server", longer=SILENCE)
    waited = (closed_at - told_at) * stage.speed
    if waited < SILENCE:
        raise Broken(f"the client waits for two heartbeats, {SILENCE} s", f"{waited:.1f} s")
    await stage.state("waiting")
    await stage.accept(since="1-7")


@scenario("Signs of life", SILENT, speed=5)
async def events_are_signs_of_life(stage: Stage) -> None:
    """A server that answers no ping, but sends events, is not left."""
    scene = await stage.connect(heartbeat=HEARTBEAT)
    scene.socket.pong = None
    for number in range(1, 16):
        await scene.tell(f"1-{number}")
        await asyncio.sleep(SILENCE / 10 / stage.speed)
    if scene.socket.closed_at:
        raise Broken("the client stays", "it has closed the socket")
    await stage.shown(*(f"1-{number}" for number in range(1, 16)))


@scenario("Signs of life", f"{SILENT}: a network that is gone closes nothing by itself.", speed=10)
async def half_open_socket(stage: Stage) -> None:
    """A client leaves a dead connection, on which nobody answers its close either."""
    scene = await stage.connect(heartbeat=HEARTBEAT, cursor="1-7")
    scene.socket.go_deaf()
    tries = len(stage.server.tries)
    await stage.until(
        lambda: len(stage.server.tries) > tries,
        "the client tries again",
        "it does not",
        longer=SILENCE + LONGEST_WAIT,
    )
    await stage.accept(since="1-7")
