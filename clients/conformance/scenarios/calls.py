"""Scenarios of "Calls": replies, what follows a cut, and how many frames a second."""

import time

from conformance.frames import Frame
from conformance.stage import Stage
from conformance.verdict import Broken, scenario

PER_SECOND, AT_ONCE = 50, 200
MANY = 400


async def _call(stage: Stage, key: str, method: str = "list_messages") -> None:
    params = {"receiver": "ben", "receiverType": "user"}
    await stage.do("call", key=key, method=method, params=params)


@scenario(
    "Calls",
    "Each call has a `ref` that the client has not used on this socket; the reply repeats it.",
    "calls",
)
async def replies_by_their_refs(stage: Stage) -> None:
    """Each reply goes to its call, whatever comes between and in whatever order."""
    scene = await stage.connect()
    calls: dict[str, Frame] = {}
    for method in ("list_messages", "list_conversations", "mark_read"):
        await _call(stage, method, method)
        call = await scene.hear(f"a call of {method}")
        if call["method"] != method:
            raise Broken(f"a call of {method}", str(call))
        calls[method] = call
    for number, method in enumerate(("mark_read", "list_messages", "list_conversations"), 1):
        await scene.tell(f"1-{number}")
        await scene.reply(calls[method], {"of": method})
        expected = f"the call of {method} gets its own reply"
        await stage.line("reply", expected, key=method, data={"of": method})
    await stage.shown("1-1", "1-2", "1-3")


@scenario("Calls", "the reply repeats it", "calls")
async def refused_call(stage: Stage) -> None:
    """A call that is refused gets the error, and the next one is sent."""
    scene = await stage.connect()
    await _call(stage, "one", "edit_message")
    await scene.reply(await scene.hear(), error="ERR_BAD_REQUEST")
    line = await stage.line("reply", "the refusal of the call", key="one")
    if (line.get("error") or {}).get("code") != "ERR_BAD_REQUEST":
        raise Broken("the error ERR_BAD_REQUEST", str(line))
    await _call(stage, "two")
    await scene.reply(await scene.hear(), [])
    await stage.line("reply", "the reply to the next call", key="two", data=[])


@scenario("Calls", "tells the application of the others that the outcome is not known.", "calls")
async def outcome_is_not_known(stage: Stage) -> None:
    """A call that changes something, and had no reply before a cut, is not made again."""
    scene = await stage.connect()
    await _call(stage, "edit", "edit_message")
    await scene.hear("the call of edit_message")
    await scene.close(1012)
    scene = await stage.accept()
    await stage.line("unknown", "the outcome of edit_message is not known", key="edit")
    await scene.pong()
    if scene.calls():
        raise Broken("edit_message is not sent again", str(scene.calls()[0]))


@scenario(
    "Calls",
    "sends again what changes nothing the second time: reads, marks, messages with `muid`;",
    "calls",
)
async def reads_are_sent_again(stage: Stage) -> None:
    """A read and a mark without a reply before a cut are made again."""
    scene = await stage.connect()
    methods = {"list_messages", "mark_read"}
    for method in sorted(methods):
        await _call(stage, method, method)
        await scene.hear(f"the call of {method}")
    await scene.close(1012)
    scene = await stage.accept()
    for _ in range(2):
        call = await scene.hear("the calls are made again")
        await scene.reply(call, {"of": call["method"]})
    for _ in range(2):
        line = await stage.line("reply", "the replies to both calls")
        if line["key"] not in methods or line.get("data") != {"of": line["key"]}:
            raise Broken("the replies to both calls", str(line))
        methods.remove(line["key"])


@scenario(
    "Calls",
    "A client sends at most 50 frames a second, and 200 at once; the rest waits.",
    "calls",
    speed=1,
)
async def frames_a_second(stage: Stage) -> None:
    """Many calls at once are sent at the pace that the server takes, and all are answered."""
    scene = await stage.connect()
    began = time.monotonic()
    for number in range(MANY):
        await _call(stage, f"k{number}")
    for count in range(1, MANY + 1):
        call = await scene.hear(f"call {count}")
        _check_pace(stage, count, time.monotonic() - began)
        await scene.reply(call, [])
    for _ in range(MANY):
        await stage.line("reply", "a reply to each call", data=[])


def _check_pace(stage: Stage, count: int, seconds: float) -> None:
    most = AT_ONCE + PER_SECOND * seconds * stage.speed
    if count > most + 1:
        at = f"{seconds * stage.speed:.2f} s"
        raise Broken(f"{most:.0f} frames at most within {at}", f"{count} frames")
