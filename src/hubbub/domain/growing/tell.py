"""Tell sessions what is appended to a message: at most 20 times a second, merged.

An append is told as it comes, if its app may take the time for it. Otherwise frames have turns of
the event loop; if they wait there, each has more text.
"""

import asyncio
from collections.abc import Sequence
from functools import partial

import structlog

from hubbub.kernel.turns import QueueFull
from hubbub.records.growing.buffer import Growth
from hubbub.records.growing.signals import MessageAppended
from hubbub.runtime import Runtime

log = structlog.get_logger()

FRAME_SECONDS = 0.05
LOOK_SECONDS = 0.01
TELL_SECONDS = 0.000015
"""What a frame takes of the event loop: measured."""
AT_ONCE = 8
"""The frames of a turn of the event loop: about a tenth of a millisecond."""


def tell_append(runtime: Runtime, growth: Growth, text: str, now: float) -> None:
    """Tell an append now, or with those that follow if the last frame was a moment ago."""
    growth.untold.append(text)
    growing = runtime.growing
    if growth in growing.untold:
        return
    growing.untold[growth] = None
    if _is_due(growth, now) and runtime.frame_allowances.take(growth.app_id, TELL_SECONDS):
        tell_untold(runtime, growth, now)
    else:
        _look_later(runtime)


def _is_due(growth: Growth, now: float) -> bool:
    return now - growth.told_at >= FRAME_SECONDS and growth.stored >= growth.tell_after


def tell_untold(runtime: Runtime, growth: Growth, now: float) -> None:
    """Tell what was appended since the last frame; what is to be on disk first is told later."""
    if growth.stored < growth.tell_after:
        return
    runtime.growing.untold.pop(growth, None)
    offset, text = growth.take_untold()
    if not text:
        return
    growth.told_at = now
    message = growth.message
    signal = MessageAppended(
        message=message.id,
        sender=message.sender,
        receiver=message.receiver,
        receiver_type=message.receiver_type,
        conversation=message.conversation,
        conversation_id=growth.conversation_id,
        sequence=growth.sequence,
        offset=offset,
        text=text,
        after=growth.event,
        at=runtime.clock.now(),
    )
    runtime.signals.send(growth.app_id, signal)


def _look_later(runtime: Runtime) -> None:
    growing = runtime.growing
    if growing.teller is None:
        loop = asyncio.get_running_loop()
        growing.teller = loop.call_later(LOOK_SECONDS, _tell_due, runtime)


def _tell_due(runtime: Runtime) -> None:
    """Begin to tell those whose next frame is due; look again as long as there are others."""
    growing, now = runtime.growing, runtime.clock.monotonic()
    growing.teller = None
    due: dict[str, list[Growth]] = {}
    for growth in growing.untold:
        if growth.app_id not in growing.telling and _is_due(growth, now):
            due.setdefault(growth.app_id, []).append(growth)
    for app_id, growths in due.items():
        task = asyncio.create_task(_tell_all(runtime, app_id, growths))
        growing.telling[app_id] = task
        task.add_done_callback(partial(_end_telling, runtime, app_id))
    if growing.untold:
        _look_later(runtime)


async def _tell_all(runtime: Runtime, app_id: str, growths: Sequence[Growth]) -> None:
    """Tell what was appended to messages of an app, some at a time, in turns of the apps."""
    for at in range(0, len(growths), AT_ONCE):
        some = growths[at : at + AT_ONCE]
        await runtime.frame_allowances.wait(app_id, TELL_SECONDS * len(some))
        try:
            await runtime.pieces.do(app_id, partial(_tell_some, runtime, some))
        except QueueFull:
            return  # the next look begins with these


def _tell_some(runtime: Runtime, growths: Sequence[Growth]) -> None:
    now = runtime.clock.monotonic()
    for growth in growths:
        if growth in runtime.growing.untold:  # it may have ended meanwhile
            tell_untold(runtime, growth, now)


def _end_telling(runtime: Runtime, app_id: str, task: asyncio.Task[None]) -> None:
    del runtime.growing.telling[app_id]
    if not task.cancelled() and (failure := task.exception()):
        log.error("appends_not_told", app=app_id, exc_info=failure)
