"""A node in its own process, run as an operator would, for tests that need real sockets."""

import os
import signal
import ssl
import subprocess
import sys
import time
from types import TracebackType
from typing import Any, Self

import httpx2
from tests.postgres import free_port
from tests.wire import LOOPBACK, Answer, Asked
from tests.world import Caller, World

from hubbub.config import Settings

START_SECONDS = 120.0
STOP_SECONDS = 120.0
HUBBUB = (sys.executable, "-m", "hubbub")


class NodeFailed(Exception):
    """The node did not start or stop; the message contains its output."""


def environment(**further: str) -> dict[str, str]:
    """Return an environment for a command, without the caller's settings."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("HUBBUB_")}
    return {**kept, "PYTHONUNBUFFERED": "1", **further}


class LiveNode:
    """`hubbub serve` on a free port of 127.0.0.1; with `send` it is a `Sender` of requests.

    Raises:
        NodeFailed: it does not start or stop in time.
    """

    def __init__(self, settings: Settings, *options: str, **environment: str) -> None:
        self.data = settings.data
        self.database_url = settings.database_url
        self.port = free_port()
        self.options = options
        self.program: tuple[str, ...] = HUBBUB
        self.process: subprocess.Popen[bytes] | None = None
        self._environment = environment
        self._output = self.data.with_name(f"{self.data.name}.out")

    @property
    def address(self) -> str:
        """Return the node's base URL, without a path."""
        scheme = "https" if "--tls-cert" in self.options else "http"
        return f"{scheme}://{LOOPBACK}:{self.port}"

    @property
    def output(self) -> str:
        """Return everything that the node printed, including its log."""
        return self._output.read_text()

    def start(self) -> Self:
        """Start the node and wait until it listens."""
        database = ("--database", self.database_url) if self.database_url else ()
        command = (*self.program, "serve", "--data", str(self.data), "--port", str(self.port))
        with self._output.open("ab") as output:
            self.process = subprocess.Popen(
                [*command, *database, *self.options],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environment(**self._environment),
            )
        self._wait_until_it_listens(self._output.stat().st_size)
        return self

    def _wait_until_it_listens(self, since: int) -> None:
        assert self.process is not None
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise NodeFailed(self.output)
            if b"Hubbub: http" in self._output.read_bytes()[since:] and self._is_reached():
                return
            time.sleep(0.02)
        raise NodeFailed(self.output)

    def _is_reached(self) -> bool:
        try:
            httpx2.get(f"{self.address}/health/live", verify=False, trust_env=False)
        except httpx2.TransportError:
            return False
        return True

    def stop(self) -> int:
        """Stop the node with SIGTERM, wait for it, and return its exit code."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self._wait()

    def kill(self) -> None:
        """Kill the node, as a crash would."""
        assert self.process is not None
        self.process.kill()
        self._wait()

    def _wait(self) -> int:
        assert self.process is not None
        try:
            return self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise NodeFailed(self.output) from None

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.__exit__(None, None, None)
            raise

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.process is not None and self.process.poll() is None:
            self.stop()

    @property
    def management(self) -> dict[str, str]:
        """Return the headers of management calls."""
        said = dict(_pairs((self.data / "first-keys.txt").read_text()))
        return {"key": said["key"], "secret": said["secret"]}

    async def world(self, **asked: Any) -> World:
        """Create an app and return its world."""
        app = await Caller(self, self.management).post("/apps", {"name": "A world", **asked})
        by_scope = {key["scope"]: key["apiKey"] for key in app["apiKeys"].values()}
        return World(self, app["id"], by_scope["fullAccess"], by_scope["authOnly"])

    async def send(self, asked: Asked, *, verify: ssl.SSLContext | bool = False) -> Answer:
        """Send a request over a new connection."""
        headers = {"content-type": "application/json", **asked.headers}
        async with httpx2.AsyncClient(verify=verify, trust_env=False, timeout=60) as client:
            answer = await client.request(
                asked.method,
                self.address + asked.target,
                headers=headers,
                content=asked.body,
                timeout=30,
            )
        names = {name.lower(): text for name, text in answer.headers.items()}
        return Answer(answer.status_code, names, answer.content)


def _pairs(text: str) -> list[tuple[str, str]]:
    lines = [line.partition(": ") for line in text.splitlines() if not line.startswith("#")]
    return [(name, value) for name, _, value in lines if value]
