"""What docs/operating.md says about PostgreSQL and proxies, done."""

import asyncio
import json
import os
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
import httpx2
import pytest
from tests.certificate import Certificate, make_certificate
from tests.deploy.ready import wait_until_ready
from tests.deploy.release import ROOT
from tests.documents.blocks import take
from tests.files.uploads import File, fetch, send_files
from tests.live import STOP_SECONDS, LiveNode, environment
from tests.postgres import PostgresServer, free_port
from tests.wire import LOOPBACK
from tests.world import World
from websockets.asyncio.client import connect

from hubbub.config import Settings
from hubbub.storage.migrations import newest_version

ROLE = take("docs/operating.md", "## PostgreSQL", "sql")
NGINX_SITE = take("docs/operating.md", "## Ports, TLS and proxies", "nginx")
CADDY_SITE = take("docs/operating.md", "## Ports, TLS and proxies", "caddyfile")
LARGE = bytes(range(256)) * 4096 * 8
NGINX = """
daemon off; user root; pid nginx.pid; error_log stderr;
events {{}}
http {{
access_log off;
client_body_temp_path body; proxy_temp_path proxied;
fastcgi_temp_path other; scgi_temp_path other; uwsgi_temp_path other;
{}
}}
"""
CADDY = "{{\n\tadmin off\n\thttp_port {}\n\tauto_https disable_redirects\n}}\n{}"


async def test_the_role_of_the_document_is_enough(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    """A node starts with the role and the database that the document creates."""
    lines = ROLE.replace("hubbub", "operated")
    superuser = await asyncpg.connect(postgres_server.url("postgres"))
    for statement in lines.strip().split("\n"):
        await superuser.execute(statement)
    await superuser.close()
    url = postgres_server.url("operated").replace("postgres@", "operated:choose-one@")

    with LiveNode(Settings(data=tmp_path, database_url=url)) as node:
        world = await node.world()
        await world.user("anna")

        assert await world.uids("/users") == ["anna"]


def test_the_changelog_says_which_schema_a_release_has() -> None:
    """The latest release names its schema, which decides how to upgrade and roll back."""
    newest = (ROOT / "CHANGELOG.md").read_text().split("\n## ")[1]

    assert f"\nSchema version {newest_version()}.\n" in newest


@contextmanager
def running(command: list[str], folder: Path) -> Iterator[None]:
    """Run a proxy in a folder."""
    with (folder / "proxy.log").open("wb") as log:
        proxy = subprocess.Popen(
            command,
            cwd=folder,
            env=environment(HOME=str(folder)),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        yield
    finally:
        proxy.terminate()
        proxy.wait(STOP_SECONDS)


async def check_proxied(node: LiveNode, port: int) -> None:
    """Check that a node is used through a proxy: large files up and down, links that work."""
    through = LiveNode(Settings(data=node.data), "--tls-cert")
    through.port = port
    wait_until_ready(through)
    world = await through.world()
    await world.users("anna", "ben")
    sent = await send_files(world, File("a.bin", LARGE))
    url = sent["data"]["attachments"][0]["url"]

    assert url.startswith(f"{through.address}/")
    assert (await fetch(through, url)).body == LARGE
    await check_socket(world, f"wss://{LOOPBACK}:{port}/v3/realtime")
    # Over plain HTTP, what claims to come from elsewhere is refused.
    plain = httpx2.get(f"{node.address}/v3/users", headers={"apikey": world.key}, trust_env=False)
    assert plain.json()["error"]["code"] == "ERR_HTTPS_REQUIRED"


async def check_socket(world: World, address: str) -> None:
    """Check that a socket sends a message and is told of it."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    token = await world.token("anna")
    async with connect(address, ssl=trusting) as socket, asyncio.timeout(60):
        await socket.send(json.dumps({"op": "connect", "authToken": token}))
        assert json.loads(await socket.recv())["op"] == "connected"
        text = {"receiver": "ben", "receiverType": "user", "category": "message", "type": "text"}
        call = {"op": "call", "ref": "1", "method": "send_message"}
        await socket.send(json.dumps({**call, "params": {**text, "data": {"text": "Hello"}}}))
        assert json.loads(await socket.recv())["data"]["sender"] == "anna"
        assert json.loads(await socket.recv())["event"] == "message_sent"


def find(program: str) -> str:
    """Return the path of a proxy; skip the test where it is not installed."""
    found = shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin")
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


@pytest.fixture
def node(tmp_path: Path) -> Iterator[LiveNode]:
    """A node that trusts proxies on this machine."""
    settings = Settings(data=tmp_path / "data")
    with LiveNode(settings, HUBBUB_TRUSTED_PROXIES="127.0.0.1") as running:
        yield running


@pytest.fixture
def certificate(tmp_path: Path) -> Certificate:
    """A certificate for a proxy."""
    return make_certificate(tmp_path)


@pytest.mark.campaign
async def test_nginx_as_documented(
    node: LiveNode, certificate: Certificate, tmp_path: Path
) -> None:
    """The block for nginx serves a node."""
    nginx, port = find("nginx"), free_port()
    site = (
        NGINX_SITE.replace("127.0.0.1:8080", f"127.0.0.1:{node.port}")
        .replace("listen 443", f"listen 127.0.0.1:{port}")
        .replace("/etc/ssl/chat/cert.pem", str(certificate.cert))
        .replace("/etc/ssl/chat/key.pem", str(certificate.key))
    )
    (tmp_path / "nginx.conf").write_text(NGINX.format(site))

    with running([nginx, "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")], tmp_path):
        await check_proxied(node, port)


@pytest.mark.campaign
@pytest.mark.parametrize("source", ["document", "compose"])
async def test_caddy_as_documented(node: LiveNode, tmp_path: Path, source: str) -> None:
    """The block for Caddy serves a node, and so does the Caddyfile of the compose file."""
    caddy, port = find("caddy"), free_port()
    site = (
        CADDY_SITE
        if source == "document"
        else (ROOT / "deploy/Caddyfile").read_text().replace("{$DOMAIN}", "chat.example.com")
    )
    site = (
        site.replace("chat.example.com", f"https://127.0.0.1:{port}")
        .replace("127.0.0.1:8080", f"127.0.0.1:{node.port}")
        .replace("hubbub:8080", f"127.0.0.1:{node.port}")
    )
    (tmp_path / "Caddyfile").write_text(CADDY.format(free_port(), site))

    with running([caddy, "run", "--adapter", "caddyfile", "--config", "Caddyfile"], tmp_path):
        await check_proxied(node, port)
