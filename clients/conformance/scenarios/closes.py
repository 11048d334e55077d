"""Scenarios of "After a close": codes, back-off, and servers that are away."""

import asyncio
import time

from conformance.server import Door
from conformance.stage import LONGEST_WAIT, Stage
from conformance.verdict import Broken, scenario

WAITS = (1000, 1001, 1011, 1012, 1013, 4408, 4409, 4429, 4999)
ENDS = (1002, 1009, 4400, 4403)
BACK_OFF = (
    "Before its try number *n*, counted from 1, a client waits for a random time between half of "
    "`min(20, 2^(n-1))` seconds and all of it"
)
TABLE = "wait, and resume"
ROUNDING = 0.01


def _longest(number: int) -> float:
    return min(LONGEST_WAIT, 2.0 ** (number - 1))


@scenario("After a close", TABLE, speed=8)
async def codes_after_which_it_waits(stage: Stage) -> None:
    """After these codes, and others that it does not know, the client waits and resumes."""
    scene = await stage.connect(cursor="1-1")
    for number, code in enumerate(WAITS, 2):
        await scene.close(code)
        scene = await stage.accept(since=f"1-{number - 1}", cursor=f"1-{number}")


@scenario("After a close", TABLE)
async def cut_without_a_code(stage: Stage) -> None:
    """After a connection that is cut, and a handshake that is refused, it waits and resumes."""
    scene = await stage.connect(cursor="1-1")
    scene.socket.cut()
    await stage.state("waiting")
    scene = await stage.accept(since="1-1", cursor="1-2")
    stage.server.door = Door.BUSY
    await scene.close(1012)
    tries = len(stage.server.tries)
    await stage.until(lambda: len(stage.server.tries) > tries, "a try", "none", longer=LONGEST_WAIT)
    stage.server.door = Door.OPEN
    await stage.accept(since="1-2")


@scenario("States", "it does not try again by itself; the application is told why", speed=5)
async def codes_after_which_it_ends(stage: Stage) -> None:
    """After these codes the client ends, says the code, and connects only when it is told to."""
    for code in ENDS:
        scene = await stage.connect()
        await scene.close(code)
        ended = await stage.state("ended")
        if ended.get("code") != code:
            raise Broken(f'the state "ended" with the code {code}', str(ended))
        await stage.quiet(3, f"no try after {code}")


@scenario("After a close", BACK_OFF, "waits", speed=40)
async def back_off(stage: Stage) -> None:
    """The waits that the client tells are between half of 1, 2, 4, 8, 16, 20, 20 s and all."""
    stage.server.door = Door.CUT
    await stage.do("connect")
    shares = set[float]()
    for number in range(1, 8):
        longest = _longest(number)
        seconds = (await stage.state("waiting")).get("seconds", -1)
        if not longest / 2 - ROUNDING <= seconds <= longest + ROUNDING:
            expected = f"{longest / 2} to {longest} s before try {number}"
            raise Broken(expected, f"{seconds} s")
        shares.add(round(seconds / longest, 6))
    if len(shares) < 3:
        raise Broken("waits of random length", f"shares of the longest wait: {sorted(shares)}")


@scenario("After a close", BACK_OFF, speed=2)
async def back_off_measured(stage: Stage) -> None:
    """Before its tries, the client does wait for half of 1, 2, 4, 8 s at least."""
    stage.server.door = Door.CUT
    began = time.monotonic()
    await stage.do("connect")
    shortest = 0.0
    for number in range(1, 5):
        shortest += _longest(number) / 2
        await _try_arrives(stage, number + 1)
        waited = (stage.server.tries[number] - began) * stage.speed
        if waited < shortest:
            raise Broken(f"{shortest} s of waits by try {number}, at least", f"{waited:.2f} s")


async def _try_arrives(stage: Stage, number: int) -> None:
    await stage.until(
        lambda: len(stage.server.tries) >= number, f"try {number}", "none", longer=LONGEST_WAIT
    )


@scenario(
    "Connecting", "With `connected` the number of failed tries is 0 again.", "waits", speed=10
)
async def back_off_begins_anew(stage: Stage) -> None:
    """After it was connected, the client waits for 0.5 to 1 s again."""
    stage.server.door = Door.CUT
    await stage.do("connect")
    for _ in range(4):
        await stage.state("waiting")
    stage.server.door = Door.OPEN
    scene = await stage.accept()
    await scene.close(1012)
    seconds = (await stage.state("waiting")).get("seconds", -1)
    if not 0.5 - ROUNDING <= seconds <= 1 + ROUNDING:
        raise Broken("0.5 to 1 s after a connected socket", f"{seconds} s")


@scenario("After a close", "When the browser says `online`, it tries at once.", "online", speed=1)
async def online_tries_at_once(stage: Stage) -> None:
    """Told that it is online, the client does not wait any longer."""
    stage.server.door = Door.CUT
    await stage.do("connect")
    for number in range(1, 5):
        await _try_arrives(stage, number)
        await stage.state("waiting")
        await stage.do("online")
    await _try_arrives(stage, 5)
    tries = stage.server.tries
    waited = (tries[4] - tries[0]) * stage.speed
    shortest = sum(_longest(number) / 2 for number in range(1, 5))
    if waited >= shortest:
        raise Broken("5 tries at once", f"they took {waited:.0f} s, as if it were not told")


@scenario("After a close", TABLE, speed=10)
async def server_that_restarts(stage: Stage) -> None:
    """While connections are refused the client goes on trying; then it resumes."""
    scene = await stage.connect(cursor="1-3")
    stage.server.stop_listening()
    await scene.close(1012)
    for number in range(1, 5):
        seconds = (await stage.state("waiting")).get("seconds", 0)
        if seconds > _longest(number) + ROUNDING:
            raise Broken(f"{_longest(number)} s at most before try {number}", f"{seconds} s")
    await stage.server.listen()
    scene = await stage.accept(since="1-3")
    await scene.tell("1-4")
    await stage.shown("1-4")


@scenario(
    "States", "the client was made, or told to disconnect; it has no socket and no timer", speed=5
)
async def disconnect(stage: Stage) -> None:
    """Told to disconnect, the client closes its socket and stays away; later it resumes."""
    await stage.quiet(1, "no socket before the client is told to connect")
    scene = await stage.connect(cursor="1-3")
    await stage.do("disconnect")
    await scene.left("the client closes the socket")
    await stage.state("idle")
    await stage.quiet(3, "no try after it was told to disconnect")
    scene = await stage.connect(since="1-3", cursor="1-4")
    await scene.close(1012)
    await stage.state("waiting")
    await stage.do("disconnect")
    await stage.state("idle")
    await asyncio.sleep(0.3)  # a try may be under way
    await stage.quiet(3, "no try after it was told to disconnect while it waited")
