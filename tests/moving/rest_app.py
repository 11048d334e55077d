"""An app on a node in a process of its own, called over HTTP."""

import json
import time
from pathlib import Path
from typing import Any

import httpx2
from tests.live import LiveNode

PATIENCE_SECONDS = 120.0
UNENDED = ("waiting", "running")


class RestApp:
    """The app `hikers` of a node."""

    def __init__(self, node: LiveNode, key: str, folder: Path) -> None:
        self.node, self.folder = node, folder
        self._client = httpx2.Client(
            base_url=f"{node.address}/v3", headers={"apikey": key}, trust_env=False, timeout=60
        )

    def close(self) -> None:
        self._client.close()

    def ask(self, method: str, path: str, status: int = 200, **content: Any) -> Any:
        answer = self._client.request(method, path, **content)
        assert answer.status_code == status, answer.text
        return answer.json()["data" if status == 200 else "error"]

    def download(self, url: str, status: int = 200) -> bytes:
        """Return the content of a link."""
        answer = self._client.get(url, headers={"apikey": ""})
        assert answer.status_code == status, answer.text
        return answer.content

    def import_lines(self, lines: list[Any], **fields: str) -> Any:
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        return self.import_file("lines.jsonl", text.encode(), **fields)

    def import_file(self, name: str, content: bytes, **fields: str) -> Any:
        return self.ask("POST", "/imports", files={"file": (name, content)}, data=fields)

    def end_of(self, job: Any, kind: str = "imports") -> Any:
        """Return an import or export once it has ended."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while job["state"] in UNENDED and time.monotonic() < deadline:
            time.sleep(0.1)
            job = self.ask("GET", f"/{kind}/{job['id']}")
        return job
