"""Scenarios of "Applying events": each once, in order, and what a client must ignore."""

from typing import Any

from conformance import frames
from conformance.stage import Scene, Stage
from conformance.verdict import Broken, scenario

ONCE = "An event of the log has an `id`; one with an id that was applied changes nothing."
IGNORED = "An event, a field or a frame that the client does not know is ignored"
BY_ID = (
    "A message is the one with its `id`. Messages are ordered by `id`, as numbers, not by their "
    "arrival."
)


@scenario("Applying events", ONCE)
async def doubled_event(stage: Stage) -> None:
    """An event that comes twice on a socket is shown once."""
    scene = await stage.connect()
    await scene.tell("1-1", "1-1", "1-2", "1-1", "1-3")
    await stage.shown("1-1", "1-2", "1-3")


@scenario("Applying events", ONCE)
async def replayed_events(stage: Stage) -> None:
    """Events that come again after a cut are not shown again."""
    scene = await stage.connect()
    shown = [f"1-{number}" for number in range(1, 31)]
    await scene.tell(*shown)
    await stage.shown(*shown)
    await scene.close(1012)
    scene = await stage.accept(since="1-30", cursor="1-30")
    await scene.tell(*shown, "1-31")
    await stage.shown("1-31")


@scenario("Applying events", "Events without `id` are not stored and not sent again")
async def events_without_id(stage: Stage) -> None:
    """Each event without an id is shown, however often the same comes; the cursor stays."""
    scene = await stage.connect(cursor="1-4")
    data = {"by": frames.PERSON, "receiver": "anna", "receiverType": "user", "data": {"a": 1}}
    ephemeral: dict[str, Any] = {"op": "event", "event": "transient_message", "at": frames.AT}
    for _ in range(3):
        await scene.say(**ephemeral, data=data)
    await scene.tell("1-5")
    for _ in range(3):
        await stage.line("event", "an event without id is shown", event="transient_message")
    await stage.shown("1-5")
    await scene.say(**ephemeral, data=data)
    await stage.line("event", "an event without id is shown", event="transient_message")
    await scene.close(1012)
    await stage.accept(since="1-5")


@scenario("Applying events", IGNORED)
async def unknown_frames(stage: Stage) -> None:
    """Frames of other kinds are ignored, a cursor in one too."""
    scene = await stage.connect(cursor="1-4")
    await scene.say(op="weather", cursor="6-6", ref="1", data={"sun": True})
    await scene.say(op="reply", ref="a call that nobody made", data={})
    await scene.say(op="reply", ref=None, error={"code": "ERR_BAD_REQUEST", "message": "No."})
    await scene.pong()
    await scene.close(1012)
    scene = await stage.accept(since="1-4")
    await _still_shows(stage, scene, "1-5")


@scenario("Applying events", IGNORED)
async def unknown_events_and_fields(stage: Stage) -> None:
    """Events and fields that the client does not know do no harm; their cursors count."""
    scene = await stage.connect(cursor="1-4")
    await scene.say(**frames.event("1-5", {"moon": [{"is": "full"}]}, name="moon_rose"))
    known = frames.event("1-6", {"message": frames.message("6", tide="high"), "wind": 3})
    await scene.say(**known, season="autumn")
    await scene.say(op="ping", urgency=3)
    await stage.until(lambda: bool(_shown(stage, "1-6")), "the event 1-6 is shown", "it is not")
    await scene.say(**frames.event("1-7", {"moon": 4}, name="moon_set"))
    await scene.pong()
    await scene.tell("1-8")
    await stage.until(lambda: bool(_shown(stage, "1-8")), "the event 1-8 is shown", "it is not")
    await scene.close(1012)
    await stage.accept(since="1-8")


def _shown(stage: Stage, id_: str) -> list[dict[str, Any]]:
    return [line for line in stage.said("event") if line.get("id") == id_]


async def _still_shows(stage: Stage, scene: Scene, id_: str) -> None:
    await scene.tell(id_)
    await stage.shown(id_)


@scenario("States", "events arrive, calls are sent")
async def event_in_parts(stage: Stage) -> None:
    """A frame that arrives in fragments, with pauses and a ping between them, is one frame."""
    scene = await stage.connect()
    event = frames.event("1-1", {"message": frames.message("1", "Grüße 👋 " * 300)})
    await scene.socket.say_in_parts(pause=0.2, **event)
    await scene.tell("1-2")
    await stage.shown("1-1", "1-2")


@scenario("Applying events", BY_ID, "messages")
async def messages_by_their_ids(stage: Stage) -> None:
    """A message that two events show is one, and the order is that of the ids, as numbers."""
    scene = await stage.connect()
    for event, id_ in (("1-1", "10"), ("1-2", "9"), ("1-3", "10"), ("1-4", "101")):
        await scene.say(**frames.event(event, {"message": frames.message(id_)}))
    await stage.until(lambda: bool(_shown(stage, "1-4")), "the event 1-4 is shown", "it is not")
    await stage.do("messages", receiver="ben", receiverType="user")
    answer = await stage.line("messages", "the messages of the conversation")
    ids = [each.get("id") for each in answer["messages"]]
    if ids != ["9", "10", "101"]:
        raise Broken("the messages 9, 10 and 101", f"{ids}")
