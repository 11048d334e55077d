"""Waiting for a node that something else starts: systemd, or a proxy before it."""

import time

import httpx2
from tests.live import START_SECONDS, LiveNode


def wait_until_ready(node: LiveNode) -> None:
    """Wait until the address of a node answers that it is ready."""
    deadline = time.monotonic() + START_SECONDS
    while not is_ready(node):
        assert time.monotonic() < deadline, f"nothing is ready at {node.address}"
        time.sleep(0.05)


def is_ready(node: LiveNode) -> bool:
    """Return whether the address of a node answers that it is ready."""
    try:
        answer = httpx2.get(f"{node.address}/health/ready", verify=False, trust_env=False)
    except httpx2.TransportError:
        return False
    return answer.status_code == 200
