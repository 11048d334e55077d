"""An S3 server for tests: moto in a separate process, called over a socket."""

import re
import subprocess
import sys
import time
from types import TracebackType
from typing import Self
from urllib.parse import urlencode

import httpx2
from tests.postgres import free_port
from tests.wire import LOOPBACK

START_SECONDS = 60.0
BUCKET = "hubbub"


class S3:
    """A server with one bucket."""

    def __init__(self) -> None:
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """Return the files address for the settings."""
        said = {
            "region": "eu-central-1",
            "endpoint": self._endpoint,
            "access_key_id": "key",
            "secret_access_key": "secret",
        }
        return f"s3://{BUCKET}/chat?{urlencode(said)}"

    @property
    def _endpoint(self) -> str:
        return f"http://{LOOPBACK}:{self._port}"

    def objects(self) -> set[str]:
        """Return the keys of all stored objects."""
        return set(re.findall("<Key>([^<]+)</Key>", self._get("?list-type=2")))

    def unfinished(self) -> set[str]:
        """Return the keys of multipart uploads that were neither completed nor aborted."""
        return set(re.findall("<Key>([^<]+)</Key>", self._get("?uploads")))

    def _get(self, query: str) -> str:
        answer = httpx2.get(f"{self._endpoint}/{BUCKET}{query}", trust_env=False)
        assert answer.status_code == 200, answer.text
        return answer.text

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", LOOPBACK, "-p", str(self._port)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + START_SECONDS
        while not self._has_made_bucket():
            assert time.monotonic() < deadline, "moto did not come up"
            assert self._process.poll() is None, "moto ended"
            time.sleep(0.05)
        return self

    def _has_made_bucket(self) -> bool:
        try:
            answer = httpx2.put(f"{self._endpoint}/{BUCKET}", trust_env=False)
        except httpx2.TransportError:
            return False
        return answer.status_code == 200

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._process is not None
        self._process.terminate()
        self._process.wait()
