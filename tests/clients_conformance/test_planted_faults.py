"""The suite finds what is wrong with a client: faults are planted in the example, one at a time."""

import asyncio
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.documents.blocks import ROOT

from conformance.command import run
from conformance.scenarios import SCENARIOS

EXAMPLE = ROOT / "examples/sockets"
AT_A_TIME = 12
PATIENCE_SECONDS = 3.0
"""A fault by which nothing comes is found after so long; if a machine needs longer, too."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A text of the example, another in its place, and the scenario that fails by it."""

    scenario: str
    text: str
    instead: str
    speed: float | None = None
    """How much faster than usual the clock is; less for a fault that a slow machine would hide."""


FAULTS = [
    Fault("first-frame", '"op": "connect", "authToken"', '"op": "connect", "token"'),
    Fault("first-frame", '"since": cursor', '"since": None'),
    Fault("lists-first", "self._cursor or await self._load()", 'self._cursor or "1-0"'),
    Fault("lists-fail-at-first", "(OSError, TimeoutError, Inv", "(TimeoutError, Inv"),
    Fault("connected-never-comes", "CONNECT_SECONDS = 10.0", "CONNECT_SECONDS = 2.5"),
    Fault("connected-never-comes", "CONNECT_SECONDS = 10.0", "CONNECT_SECONDS = 1e6"),
    Fault("connected-comes-late", "CONNECT_SECONDS = 10.0", "CONNECT_SECONDS = 2.0"),
    Fault("one-token-at-a-time", "self._token or await self._next", "await self._next"),
    Fault("refused-token-is-replaced", "self._token, self._is_token_second = None,", "_, _ = 0,"),
    Fault("token-refused-twice", "self._is_token_second):", "False):"),
    Fault("token-is-renewed", 'case {"op": "token_expiring"}', 'case {"op": "token_ends"}'),
    Fault("token-is-renewed", "self._token = await self._next", "_ = await self._next"),
    Fault("token-can-not-be-fetched", "(OSError, TimeoutError, Inv", "(TimeoutError, Inv"),
    Fault("ping-is-answered", 'await self._say(socket, {"op": "pong"})', "pass"),
    Fault("ping-after-a-heartbeat", "sleep(heartbeat / self._speed)", "sleep(1e6)"),
    Fault("silent-server", "self._within(2 * heartbeat)", "self._within(1e6)"),
    Fault("silent-server", "self._within(2 * heartbeat)", "self._within(heartbeat / 4)", 2),
    Fault("half-open-socket", "close_timeout=1,", "close_timeout=1e6,"),
    Fault("codes-after-which-it-waits", "ENDS = {", "ENDS = {4409, "),
    Fault("codes-after-which-it-ends", "1009, 4400", "1009"),
    Fault("cut-without-a-code", "TimeoutError, InvalidHandshake)", "TimeoutError)"),
    Fault("back-off", "2.0**self._tries", "2.0"),
    Fault("back-off", "LONGEST_WAIT = 20.0", "LONGEST_WAIT = 60.0"),
    Fault("back-off", "random.uniform(longest / 2, longest)", "longest"),
    Fault("back-off", "longest / 2, longest", "0, longest / 2"),
    Fault("back-off-measured", "asyncio.timeout(seconds / self", "asyncio.timeout(0 / self"),
    Fault("back-off-begins-anew", "= 0, False\n        if not", "= 9, False\n        if not"),
    Fault("online-tries-at-once", "self._is_online.set()", "pass"),
    Fault("cursor-of-the-last-event", 'in ("event", "pong")', 'in ("pong",)'),
    Fault("cursor-of-a-pong", 'in ("event", "pong")', 'in ("event",)'),
    Fault("cursor-of-a-pong", 'frame.get("cursor", self._cursor)', 'frame.get("cursor")'),
    Fault(
        "cursor-is-opaque",
        'self._cursor = frame.get("cursor", self._cursor)',
        'self._cursor = max(frame.get("cursor", ""), self._cursor or "")',
    ),
    Fault("lists-anew", 'if not connected["resumed"]:', "if False:"),
    Fault(
        "lists-that-can-not-be-loaded",
        'if not connected["resumed"]:\n',
        'self._cursor = connected["cursor"]\n        if not connected["resumed"]:\n',
    ),
    Fault("doubled-event", 'case {"op": "event", "id": id_} if id_ in', "case 1 if frame in"),
    Fault("replayed-events", "REMEMBERED = 1_000", "REMEMBERED = 10"),
    Fault("events-without-id", '[frame["id"]] if "id" in frame else []', '[frame["id"]]'),
    Fault("unknown-frames", 'if frame["op"] in ("event", "pong")', 'if "cursor" in frame'),
    Fault("unknown-frames", '"ref": ref} if ref in self._replies', '"ref": ref}'),
    Fault("replies-by-their-refs", "self._replies.pop(ref).set", "self._replies.popitem()[1].set"),
    Fault("refused-call", 'if "error" in reply:', 'if "errors" in reply:'),
    Fault("outcome-is-not-known", '("list_", "mark_",', '("list_", "edit_",'),
    Fault("reads-are-sent-again", '("list_", "mark_",', '("list_",'),
    Fault("frames-a-second", "if self._sent_until > now:", "if False:"),
    Fault("queue-before-connected", "next(iter(self._queue", "next(reversed(self._queue"),
    Fault(
        "one-after-the-other",
        'reply = await self._ask("send_message", message)\n',
        "every = [self._ask('send_message', each) for each, _ in self._queue.values()]\n"
        "            [reply, *_] = await asyncio.gather(*every)\n",
    ),
    Fault(
        "sent-again-after-a-cut",
        'self._ask("send_message", message)',
        'self._ask("send_message", {**message, "muid": uuid.uuid4().hex})',
    ),
    Fault(
        "queue-while-the-server-restarts",
        "            muid, (message, settled) = next(iter(self._queue.items()))\n",
        "            muid, (message, settled) = next(iter(self._queue.items()))\n"
        "            self._queue = {muid: (message, settled)}\n",
    ),
    Fault("server-that-restarts", "(OSError, TimeoutError, Inv", "(TimeoutError, Inv"),
    Fault(
        "disconnect",
        "self._is_token_second = 0, False\n        while",
        "self._cursor = 0, None\n        while",
    ),
    Fault(
        "missed-events-in-order",
        "self._show(frame)",
        "asyncio.get_running_loop().call_later(random.random() / 10, self._show, frame)",
    ),
    Fault(
        "unknown-events-and-fields",
        "self._show(frame)",
        '{"message_sent": self._show}[frame["event"]](frame)',
    ),
    Fault(
        "events-are-signs-of-life",
        "            while True:\n                async with self._within(2 * heartbeat):\n",
        "            async with self._within(2 * heartbeat):\n                while True:\n",
    ),
    Fault(
        "event-before-the-reply",
        "            del self._queue[muid]\n",
        "            self._queue[muid] = self._queue.pop(muid)\n",
    ),
    Fault("refused-message", 'NO_REFUSALS = {"', 'NO_REFUSALS = {"ERR_BAD_REQUEST", "'),
    Fault("errors-that-are-no-refusals", ', "ERR_OPERATION_FAILED"}', "}"),
]
WITHOUT_FAULT = {
    "event-in-parts": "the library `websockets` puts parts together",
    "messages-by-their-ids": "the example keeps no messages",
    "queue-after-a-restart": "the example has no store",
    "cursor-after-a-restart": "the example has no store",
}


def plant(fault: Fault, folder: Path) -> Path:
    """Copy the example with a fault into a folder; return its driver."""
    text = (EXAMPLE / "client.py").read_text()
    assert text.count(fault.text) == 1, f"the example has not once: {fault.text}"
    folder.mkdir()
    (folder / "client.py").write_text(text.replace(fault.text, fault.instead))
    return Path(shutil.copy(EXAMPLE / "driver.py", folder))


async def test_planted_faults_are_found(tmp_path: Path) -> None:
    """Each fault makes its scenario fail."""
    turns = asyncio.Semaphore(AT_A_TIME)

    async def find(number: int, fault: Fault) -> str:
        driver = plant(fault, tmp_path / str(number))
        scenario = SCENARIOS[fault.scenario]
        async with turns:
            verdict = await run(
                scenario,
                [sys.executable, str(driver)],
                speed=fault.speed or scenario.speed,
                patience=PATIENCE_SECONDS,
            )
        return verdict.kind

    kinds = await asyncio.gather(*(find(*each) for each in enumerate(FAULTS)))

    assert SCENARIOS.keys() - {fault.scenario for fault in FAULTS} == WITHOUT_FAULT.keys()
    assert [
        f"{fault.scenario}: {fault.text}"
        for fault, kind in zip(FAULTS, kinds, strict=True)
        if kind != "failed"
    ] == []
