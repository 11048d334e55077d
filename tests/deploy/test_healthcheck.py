"""The health check of the image: its exit code says whether the node of the container is ready."""

import subprocess
import sys
from pathlib import Path

from tests.certificate import make_certificate
from tests.deploy.release import ROOT
from tests.live import LiveNode, environment
from tests.postgres import PostgresServer

from hubbub.config import Settings


def check(**settings: str) -> int:
    """Return the exit code of the check in a container with these settings."""
    command = (sys.executable, "-I", ROOT / "deploy/healthcheck.py")
    return subprocess.run(
        command, env=environment(**settings), capture_output=True, timeout=60, check=False
    ).returncode


def test_a_node_is_healthy_while_it_runs(tmp_path: Path) -> None:
    """A ready node is healthy; the port of a node that has stopped is not."""
    with LiveNode(Settings(data=tmp_path)) as node:
        assert check(HUBBUB_PORT=str(node.port)) == 0

    assert check(HUBBUB_PORT=str(node.port)) == 1


def test_a_node_with_tls_is_healthy(tmp_path: Path) -> None:
    """With a certificate it is asked over HTTPS, whatever name the certificate is for."""
    made = make_certificate(tmp_path)
    tls = ("--tls-cert", str(made.cert), "--tls-key", str(made.key))
    with LiveNode(Settings(data=tmp_path / "data"), *tls) as node:
        assert check(HUBBUB_PORT=str(node.port), HUBBUB_TLS_CERT=str(made.cert)) == 0
        assert check(HUBBUB_PORT=str(node.port)) == 1


def test_a_node_without_its_store_is_not_healthy(tmp_path: Path) -> None:
    """A node that answers 503 is not healthy."""
    with PostgresServer() as server:
        server.create_database("hubbub")
        with LiveNode(Settings(data=tmp_path, database_url=server.url("hubbub"))) as node:
            assert check(HUBBUB_PORT=str(node.port)) == 0
            server.stop()
            assert check(HUBBUB_PORT=str(node.port)) == 1
