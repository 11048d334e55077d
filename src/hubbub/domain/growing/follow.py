"""Forget what a node holds of messages that have ended, as the events of its commits say."""

from functools import partial

from hubbub.records.growing.events import MessageGrown
from hubbub.records.messages.events import MessageDeleted, MessagesDeleted
from hubbub.runtime import Runtime
from hubbub.storage.interface import Announced, Event


def follow_ends(runtime: Runtime) -> None:
    """Forget messages that end in transactions of this node, from now on.

    What ends elsewhere is found out when this node stores, or asks for a new lease.
    """
    runtime.heads.listen(partial(_note, runtime))


def _note(runtime: Runtime, announced: Announced) -> None:
    if announced.app_id not in runtime.growing.held:
        return
    for event in announced.events:
        for message_id in _ended_by(event):
            growth = runtime.growing.find(announced.app_id, message_id)
            if growth is not None:
                runtime.growing.drop(growth)


def _ended_by(event: Event) -> list[int]:
    match event:
        case MessageGrown():
            return [event.message]
        case MessageDeleted():
            return [event.on]
        case MessagesDeleted():
            return event.messages
    return []
