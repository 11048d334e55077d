"""Scenarios of "Sending": the queue, over cuts, refusals and restarts."""

from conformance import frames
from conformance.frames import Frame
from conformance.stage import Scene, Stage
from conformance.verdict import Broken, scenario

ORDER = (
    "The queue is sent in order, each message after the reply to the one before it in its "
    "conversation."
)
AGAIN = (
    "No reply by a cut settles nothing: the message is sent again with the same `muid`. The "
    "server stores it once, and answers with the stored message."
)
NO_REFUSALS = ("ERR_TOO_MANY_REQUESTS", "ERR_OPERATION_FAILED")


async def _hear_message(scene: Scene, text: str, *, muid: str = "") -> Frame:
    """Return the next call, which must send this message; with this `muid`, if it is given."""
    call = await scene.hear(f"the message {text} is sent")
    params = call.get("params", {})
    is_it = call["method"] == "send_message" and params.get("data", {}).get("text") == text
    if not is_it or not params.get("muid"):
        raise Broken(f"the message {text} is sent, with a `muid`", str(call))
    if muid and params["muid"] != muid:
        raise Broken(f"the message {text} is sent with the same `muid`, {muid}", str(call))
    return call


async def _store(stage: Stage, scene: Scene, *texts: str, first_id: int = 1) -> set[str]:
    """Take these messages, store each, and see it settled; return their muids."""
    muids = set[str]()
    for id_, text in enumerate(texts, first_id):
        call = await _hear_message(scene, text)
        await scene.store(call, str(id_))
        await stage.sent(text, str(id_))
        muids.add(call["params"]["muid"])
    if len(muids) < len(texts):
        raise Broken("a `muid` for each message", "one that was used before")
    return muids


@scenario(
    "States",
    "In every state but `connected`, what the person sends goes into the queue.",
    "queue",
)
async def queue_before_connected(stage: Stage) -> None:
    """Messages sent before the client is connected go in order when it is, and not before."""
    await stage.send("one", "two")
    await stage.do("connect")
    await stage.send("three")
    scene = await stage.accept(delay=1)
    await _store(stage, scene, "one", "two", "three")
    await stage.send("four")
    await _store(stage, scene, "four", first_id=4)


@scenario("Sending", ORDER, "queue")
async def one_after_the_other(stage: Stage) -> None:
    """A message waits for the reply to the one before it in its conversation."""
    scene = await stage.connect()
    await stage.send("one", "two", "three")
    for id_, text in enumerate(("one", "two", "three"), 1):
        call = await _hear_message(scene, text)
        for _ in range(3):
            await scene.pong()
        await stage.quiet(1, "no other socket")
        if scene.calls():
            raise Broken(f"no message before the reply to {text}", str(scene.calls()[0]))
        await scene.store(call, str(id_))
        await stage.sent(text, str(id_))


@scenario("Sending", AGAIN, "queue")
async def sent_again_after_a_cut(stage: Stage) -> None:
    """A message without a reply is sent again with its `muid`, before those behind it."""
    scene = await stage.connect()
    await stage.send("one", "two")
    muid = (await _hear_message(scene, "one"))["params"]["muid"]
    for how in (1011, 4429):
        await scene.close(how)
        scene = await stage.accept()
        call = await _hear_message(scene, "one", muid=muid)
    await scene.store(call, "1")
    await stage.sent("one", "1")
    await _store(stage, scene, "two", first_id=2)


@scenario(
    "Sending",
    "The event about it may come on another device's socket, or before the reply after a cut; "
    "both are known by the `muid`.",
    "queue",
)
async def event_before_the_reply(stage: Stage) -> None:
    """A message whose event comes before its reply is settled once."""
    scene = await stage.connect(cursor="1-0")
    await stage.send("one")
    call = await _hear_message(scene, "one")
    muid = call["params"]["muid"]
    await scene.close(1012)
    scene = await stage.accept(cursor="1-0")
    await scene.say(**frames.event("1-1", {"message": frames.stored(call, "7")}))
    await stage.send("two")
    later = await scene.hear("a message is sent")
    if later["params"].get("muid") == muid:
        await scene.store(later, "7")
        later = await _hear_message(scene, "two")
    await scene.store(later, "8")
    await stage.sent("one", "7")
    await stage.sent("two", "8")
    await scene.pong()
    if "messages" in stage.capabilities:
        await _check_messages(stage, "7", "8")
    if doubled := stage.said("sent") + stage.said("failed") + scene.calls():
        raise Broken("each message is sent and settled once", str(doubled[0]))


async def _check_messages(stage: Stage, *ids: str) -> None:
    await stage.do("messages", receiver="ben", receiverType="user")
    answer = await stage.line("messages", "the messages of the conversation")
    shown = [each.get("id") for each in answer["messages"]]
    if shown != list(ids):
        raise Broken(f"the messages {', '.join(ids)}, each once", str(shown))


@scenario("Sending", "A refusal settles it as *failed*, with the error's code.", "queue")
async def refused_message(stage: Stage) -> None:
    """A message that is refused fails with the code, and those behind it go on."""
    scene = await stage.connect()
    await stage.send("one", "two")
    await scene.reply(await _hear_message(scene, "one"), error="ERR_BAD_REQUEST")
    expected = "the message fails with ERR_BAD_REQUEST"
    await stage.line("failed", expected, key="one", code="ERR_BAD_REQUEST")
    await _store(stage, scene, "two")


@scenario(
    "Sending",
    "`ERR_TOO_MANY_REQUESTS` and `ERR_OPERATION_FAILED` are no refusals: the message stays "
    "first, and is sent again after a wait.",
    "queue",
)
async def errors_that_are_no_refusals(stage: Stage) -> None:
    """A message that the server can't take now is sent again, before those behind it."""
    scene = await stage.connect()
    await stage.send("one", "two")
    call = await _hear_message(scene, "one")
    for code in NO_REFUSALS:
        await scene.reply(call, error=code)
        call = await _hear_message(scene, "one", muid=call["params"]["muid"])
    if failed := stage.said("failed"):
        raise Broken("the message is not settled", str(failed[0]))
    await scene.store(call, "1")
    await stage.sent("one", "1")
    await _store(stage, scene, "two", first_id=2)


@scenario("Sending", AGAIN, "queue", speed=10)
async def queue_while_the_server_restarts(stage: Stage) -> None:
    """Messages sent while a server is away are sent in order, once each, when it is back."""
    scene = await stage.connect(cursor="1-3")
    await stage.send("one")
    muid = (await _hear_message(scene, "one"))["params"]["muid"]
    stage.server.stop_listening()
    scene.socket.cut()
    await stage.state("waiting")
    await stage.send("two", "three")
    for _ in range(2):
        await stage.state("waiting")
    await stage.server.listen()
    scene = await stage.accept(since="1-3")
    await scene.store(await _hear_message(scene, "one", muid=muid), "1")
    await stage.sent("one", "1")
    await _store(stage, scene, "two", "three", first_id=2)
    await scene.pong()
    if scene.calls():
        raise Broken("each message is sent once", str(scene.calls()[0]))


@scenario(
    "Sending",
    "It is put at the end of the queue, which survives a restart of the client where there is a "
    "store.",
    "queue",
    "store",
)
async def queue_after_a_restart(stage: Stage) -> None:
    """The queue survives a restart of the client: the same messages, in order."""
    scene = await stage.connect()
    await stage.send("one", "two")
    muid = (await _hear_message(scene, "one"))["params"]["muid"]
    await _restart(stage)
    scene = await stage.connect()
    await scene.store(await _hear_message(scene, "one", muid=muid), "1")
    await scene.store(await _hear_message(scene, "two"), "2")
    await scene.pong()
    if scene.calls():
        raise Broken("each message is sent once", str(scene.calls()[0]))


@scenario(
    "Cursors",
    "An event may then come twice after a crash, and none is missed.",
    "store",
)
async def cursor_after_a_restart(stage: Stage) -> None:
    """After a restart the client resumes from a cursor that it had received."""
    scene = await stage.connect(cursor="1-4")
    await scene.tell("1-5", "1-6")
    await stage.shown("1-5", "1-6")
    await _restart(stage)
    scene = await stage.connect(cursor="1-6")
    since = scene.first.get("since")
    if since not in ("1-4", "1-5", "1-6"):
        raise Broken("`since` is one of 1-4, 1-5, 1-6", f"{since!r}")


async def _restart(stage: Stage) -> None:
    await stage.do("restart")
    await stage.line("restarted", "the client is restarted")
