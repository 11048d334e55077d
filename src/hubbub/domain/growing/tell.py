"""Tell sessions what is appended to a message: at most 20 times a second, merged."""

import asyncio

from hubbub.records.growing.buffer import Growth
from hubbub.records.growing.signals import MessageAppended
from hubbub.runtime import Runtime

FRAME_SECONDS = 0.05


def tell_append(runtime: Runtime, growth: Growth, text: str, now: float) -> None:
    """Tell an append now, or with those that follow if the last frame was a moment ago."""
    growth.untold.append(text)
    growing = runtime.growing
    if growth in growing.untold:
        return
    if now - growth.told_at >= FRAME_SECONDS and growth.stored >= growth.tell_after:
        tell_untold(runtime, growth, now)
        return
    growing.untold[growth] = None
    if growing.teller is None:
        loop = asyncio.get_running_loop()
        growing.teller = loop.call_later(FRAME_SECONDS, _tell_due, runtime)


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


def _tell_due(runtime: Runtime) -> None:
    """Tell those whose next frame is due; look again as long as there are others."""
    growing, now = runtime.growing, runtime.clock.monotonic()
    growing.teller = None
    for growth in list(growing.untold):
        if now - growth.told_at >= FRAME_SECONDS:
            tell_untold(runtime, growth, now)
    if growing.untold:
        loop = asyncio.get_running_loop()
        growing.teller = loop.call_later(FRAME_SECONDS, _tell_due, runtime)
