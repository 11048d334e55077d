"""`hubbub serve --workers`: several nodes of one machine on one port."""

import itertools
import json
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import psutil
import pytest
from tests.cli.command import hubbub
from tests.live import HUBBUB, LiveNode, environment
from tests.nats_server import NatsServer
from tests.postgres import PostgresServer
from tests.wire import LOOPBACK

from hubbub.config import Settings, environment_of, load_settings

SECONDS = 40.0
_databases = itertools.count(1)


@pytest.fixture
def settings(postgres_server: PostgresServer, tmp_path: Path) -> Settings:
    """The settings of an installation on PostgreSQL."""
    name = f"workers_{next(_databases)}"
    postgres_server.create_database(name)
    return Settings(data=tmp_path / "data", database_url=postgres_server.url(name))


@pytest.fixture
def live(settings: Settings) -> Iterator[LiveNode]:
    """Three nodes on one port."""
    with LiveNode(settings, "--workers", "3") as live:
        yield live


def wait_until(is_so: Callable[[], object]) -> None:
    """Wait until something is so in other processes."""
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def workers_of(live: LiveNode) -> list[psutil.Process]:
    """Return the processes of the nodes."""
    assert live.process is not None
    return list(psutil.Process(live.process.pid).children())


def events_of(live: LiveNode) -> list[str]:
    """Return what the log says, without requests and doubts about settings."""
    lines = [json.loads(line) for line in live.output.splitlines() if line.startswith("{")]
    return [line["event"] for line in lines if line["event"] not in {"request", "doubtful_setting"}]


def ready(live: LiveNode) -> dict[str, object]:
    """Return what a node says of itself, over a new connection."""
    return dict(httpx2.get(f"{live.address}/health/ready", trust_env=False).json())


async def test_several_nodes_on_one_port(live: LiveNode) -> None:
    """All nodes answer on the port, share the keys, and are connected to each other."""
    world = await live.world()
    await world.users("anna", "ben")
    listeners = [
        connection
        for worker in workers_of(live)
        for connection in worker.net_connections()
        if connection.status == psutil.CONN_LISTEN
    ]

    assert [each.laddr.port for each in listeners] == [live.port] * 3
    for _ in range(20):  # the kernel picks a node for each connection
        assert ready(live)["bus"] == "connected"
        assert {user["uid"] for user in await world.get("/users")} == {"anna", "ben"}
    for line in ("Hubbub: ", "Reference: ", "First keys: "):
        assert live.output.count(line) == 1
    assert stat.S_IMODE((live.data / "bus.sock").stat().st_mode) == 0o600


async def test_commands_reach_the_installation(live: LiveNode) -> None:
    """A command works beside the nodes, before and after one of them has died."""
    options = ("--data", str(live.data), "--database", live.database_url)
    workers_of(live)[0].kill()

    assert "First app" in hubbub("app", "list", *options).printed


async def test_a_node_that_dies_is_started_again(live: LiveNode) -> None:
    """The others go on meanwhile, and the log has one line for it."""
    before = set(workers_of(live))
    next(iter(before)).kill()
    wait_until(lambda: set(workers_of(live)) - before)
    [new] = set(workers_of(live)) - before
    wait_until(lambda: [each for each in new.net_connections() if each.laddr[1:] == (live.port,)])

    assert ready(live)["status"] == "ready"
    assert events_of(live) == ["worker_ended"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_stops_all(live: LiveNode, number: signal.Signals) -> None:
    """All nodes end gracefully, and nothing is left behind."""
    workers = workers_of(live)
    assert live.process is not None
    live.process.send_signal(number)

    assert live.process.wait(SECONDS) == 0
    assert not any(worker.is_running() for worker in workers)
    assert not list(live.data.glob("*.sock"))
    assert events_of(live) == ["node_stopped"]
    assert "Traceback" not in live.output


async def test_accepted_requests_are_finished(live: LiveNode) -> None:
    """A request whose body is still arriving when the nodes are stopped is answered."""
    key = next(
        line.removeprefix("fullAccess: ")
        for line in (live.data / "first-keys.txt").read_text().splitlines()
        if line.startswith("fullAccess: ")
    )
    body = b'{"uid": "anna", "name": "Anna"}'
    head = (
        f"POST /v3/users HTTP/1.1\r\nhost: {LOOPBACK}\r\napikey: {key}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection((LOOPBACK, live.port), timeout=SECONDS) as client:
        client.sendall(head.encode() + body[:10])
        assert live.process is not None
        live.process.terminate()
        wait_until(lambda: not is_listening(live.port))
        client.sendall(body[10:])
        answer = client.recv(65_536)

    assert answer.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201")), answer
    assert live.process.wait(SECONDS) == 0


def is_listening(port: int) -> bool:
    """Return whether somebody accepts connections at a port."""
    try:
        socket.create_connection((LOOPBACK, port), timeout=1).close()
    except OSError:
        return False
    return True


async def test_nodes_end_with_their_parent(live: LiveNode) -> None:
    """When the parent is killed, its nodes end by themselves; a new start is possible at once."""
    workers = workers_of(live)
    live.kill()
    wait_until(lambda: not any(worker.is_running() for worker in workers))
    live.start()

    assert len(workers_of(live)) == 3
    assert ready(live)["bus"] == "connected"


async def test_nodes_use_the_bus_of_the_operator(settings: Settings) -> None:
    """With `--bus` the nodes use NATS, and there is no hub."""
    with (
        NatsServer() as server,
        LiveNode(settings, "--workers", "2", "--bus", server.url) as live,
    ):
        assert not (live.data / "bus.sock").exists()
        assert ready(live)["bus"] == "connected"
        server.kill()
        wait_until(lambda: events_of(live).count("bus_lost") == 3)
        assert ready(live)["bus"] == "away"


def test_any_free_port(settings: Settings) -> None:
    """With port 0 all nodes share the same free port, which is printed."""
    options = ("--data", str(settings.data), "--database", settings.database_url)
    with subprocess.Popen(
        [*HUBBUB, "serve", "--workers", "2", "--port", "0", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(3)]
        address = lines[1].removeprefix("Hubbub: ").removesuffix("/v3\n")
        answer = httpx2.get(f"{address}/health/live", trust_env=False)
        process.terminate()

    assert process.returncode == 0
    assert not address.endswith(":0")
    assert answer.status_code == 200


@pytest.mark.parametrize("workers", ["0", "-1"])
def test_a_number_that_cannot_be(settings: Settings, workers: str) -> None:
    """There is at least one node."""
    options = ("--data", str(settings.data), "--database", settings.database_url)
    sentence = hubbub("serve", "--workers", workers, *options).sentence

    assert sentence == f"--workers must be at least 1, not {workers}."


def test_workers_need_postgresql(tmp_path: Path) -> None:
    """A node on SQLite is always alone."""
    sentence = hubbub("serve", "--workers", "2", "--data", str(tmp_path)).sentence

    assert sentence == "A node on SQLite is always alone: --workers needs PostgreSQL."


def test_a_port_that_is_taken(live: LiveNode, settings: Settings, tmp_path: Path) -> None:
    """No second installation shares the port, as the kernel would allow."""
    options = ("--data", str(tmp_path / "other"), "--database", settings.database_url)
    key = (live.data / "secret.key").read_text().strip()
    sentence = hubbub(
        "serve", "--workers", "2", "--port", str(live.port), *options, HUBBUB_SECRET_KEY=key
    ).complained.splitlines()[-1]

    assert "another program uses it" in sentence


def test_a_folder_that_is_taken(live: LiveNode) -> None:
    """No second parent serves the same data folder."""
    options = ("--data", str(live.data), "--database", live.database_url)
    sentence = hubbub("serve", "--workers", "2", "--port", "0", *options).sentence

    assert sentence.startswith("Another hubbub serve --workers runs on the data folder")


def test_a_certificate_that_is_none(settings: Settings, tmp_path: Path) -> None:
    """A certificate that no node could use is refused once, in a sentence."""
    broken = tmp_path / "cert.pem"
    broken.write_text("no certificate")
    options = ("--data", str(settings.data), "--database", settings.database_url)
    done = hubbub("serve", "--workers", "3", "--tls-cert", str(broken), *options)

    assert done.code == 1
    assert done.complained.count("TLS can't be set up") == 1
    assert "Traceback" not in done.complained


def test_settings_reach_the_nodes(tmp_path: Path) -> None:
    """The environment of a node gives the settings that its parent has, however they were set."""
    changed = Settings(
        data=tmp_path,
        host="::1",
        port=1,
        webhook_retries=(0.5, 86400.0),
        webhook_timeout=0.000001,
        log_requests=False,
        metrics_token="x y",
    )

    assert load_settings(environment_of(changed)) == changed
    assert load_settings(environment_of(Settings())) == Settings()
