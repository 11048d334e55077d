"""The lines of docs/operating.md for Docker and Docker Compose, run by a real engine.

The images of others can't be had everywhere, so these stand in for them: Debian bookworm for
`python:3.11-slim-bookworm`, with Debian's Caddy for `caddy:2`, and with the PostgreSQL 18 of the
tests for `postgres:18`.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.certificate import make_certificate
from tests.deploy.debian import skip_without
from tests.deploy.engine import BASE, PROGRAMS, Engine, running_engine, wait_until
from tests.deploy.release import ROOT
from tests.documents.blocks import take
from tests.documents.shell import placed
from tests.postgres import find_installation

pytestmark = pytest.mark.campaign
OPERATING = "docs/operating.md"
START = take(OPERATING, "### With Docker", beginning="docker build")
LOOK = take(OPERATING, "### With Docker", beginning="docker exec")
COMPOSE = take(OPERATING, "### With Docker Compose, on PostgreSQL")
CADDY = f"""
FROM {BASE}
RUN apt-get update && apt-get install --yes --no-install-recommends caddy
ENV XDG_DATA_HOME=/data
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
"""
POSTGRES = f"""
FROM {BASE}
RUN useradd postgres && install --directory --owner postgres /var/lib/postgresql
COPY postgres /opt/postgres
COPY start /start
ENV PATH=/opt/postgres/{{programs}}:/usr/bin:/bin PGDATA=/var/lib/postgresql/18/docker
USER postgres
CMD ["sh", "-eu", "/start"]
"""
START_POSTGRES = """
if [ ! -e "$PGDATA" ]; then
    echo "$POSTGRES_PASSWORD" > /tmp/password
    initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --auth=scram-sha-256 --encoding=UTF8
    echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
    echo "CREATE DATABASE $POSTGRES_USER" | postgres --single postgres
fi
exec postgres -c "listen_addresses=*" -c unix_socket_directories=/tmp
"""


@pytest.fixture(scope="module")
def engine(debian: Path) -> Iterator[Engine]:
    """An engine with the base image."""
    skip_without(PROGRAMS)
    with running_engine() as engine:
        engine.import_base(debian)
        yield engine


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what the repository holds."""
    archive = f"git -C {ROOT} ls-files -z | tar -C {ROOT} --null --files-from=- -c"
    subprocess.run(["bash", "-c", f"{archive} | tar -C {tmp_path} -x"], check=True)
    return tmp_path


def test_docker_as_documented(engine: Engine, checkout: Path) -> None:
    """The image is built and runs confined; it serves TLS, and its commands work."""
    certificates = checkout / "etc/ssl/chat"
    certificates.mkdir(parents=True)
    make_certificate(certificates).key.chmod(0o644)

    engine.run(placed(START, checkout), checkout)
    wait_until_healthy(engine, "hubbub")
    printed = engine.run(LOOK, checkout)

    assert printed.count("fullAccess") == 2, "in the file of the first keys, and in the list"
    assert create_user(engine, "https://127.0.0.1", printed) == "anna"

    engine.run("docker restart hubbub", checkout)
    wait_until_healthy(engine, "hubbub")
    assert json.loads(ask(engine, "https://127.0.0.1/v3/users", printed))["data"]
    engine.run("docker rm --force hubbub; docker rmi --force hubbub", checkout)


def test_compose_as_documented(engine: Engine, checkout: Path, tmp_path: Path) -> None:
    """The services build, start in order, and serve through the proxy, also after an upgrade."""
    try:
        engine.run("docker compose version", tmp_path)
    except AssertionError:
        pytest.skip("it needs Docker Compose")
    make_images(engine, tmp_path)
    filled = "chmod 600 .env\nsed --in-place --expression 's/^DOMAIN=.*/DOMAIN=localhost/' "
    filled += "--expression 's/^POSTGRES_PASSWORD=.*/POSTGRES_PASSWORD=a1b2c3/' .env\n"
    lines = re.sub(r"chmod 600 .env .*\n", filled.replace("\\", r"\\"), COMPOSE)
    assert filled in lines

    printed = engine.run(lines, checkout)

    assert create_user(engine, "https://localhost", printed) == "anna"
    direct = engine.run(
        "docker inspect --format '{{.NetworkSettings.Networks.hubbub_front.IPAddress}}' "
        "hubbub-hubbub-1",
        checkout,
    ).strip()
    refused = json.loads(ask(engine, f"http://{direct}:8080/v3/users", printed))
    assert refused["error"]["code"] == "ERR_HTTPS_REQUIRED"

    deploy = checkout / "deploy"
    engine.run("docker compose build && docker compose up --detach --force-recreate", deploy)
    assert json.loads(ask(engine, "https://localhost/v3/users", printed))["data"]
    engine.run("docker compose down --volumes", deploy)


def make_images(engine: Engine, folder: Path) -> None:
    """Build what stands in for the images of Caddy and PostgreSQL."""
    programs = find_installation().programs
    context = folder / "postgres-image"
    shutil.copytree(programs.parents[2], context / "postgres", symlinks=True)
    (context / "start").write_text(START_POSTGRES)
    inside = programs.relative_to(programs.parents[2])
    (context / "Dockerfile").write_text(POSTGRES.format(programs=inside))
    engine.run("docker build --tag postgres:18 .", context)
    (folder / "caddy-image").mkdir()
    (folder / "caddy-image/Dockerfile").write_text(CADDY)
    engine.run("docker build --tag caddy:2 .", folder / "caddy-image")


def wait_until_healthy(engine: Engine, container: str) -> None:
    """Wait until the health check of a container succeeds."""
    status = f"docker inspect --format '{{{{.State.Health.Status}}}}' {container}"
    wait_until(lambda: engine.run(status, engine.folder) == "healthy\n", engine.folder / "log")


def create_user(engine: Engine, address: str, printed: str) -> str:
    """Create a user with the key that was printed; return the uid of the answer."""
    body = ("--data", '{"uid": "anna", "name": "Anna"}')
    created = json.loads(ask(engine, f"{address}/v3/users", printed, *body))
    return str(created["data"]["uid"])


def ask(engine: Engine, url: str, printed: str, *options: str) -> str:
    """Call with the key of full access that was printed, in the network of the engine."""
    (key,) = re.findall(r"^fullAccess: (\w+)$", printed, re.MULTILINE)
    call = ("curl", "--silent", "--show-error", "--insecure", "--header", f"apikey: {key}")
    patience = ("--retry", "20", "--retry-delay", "1", "--retry-all-errors")
    return engine.inside(*call, *patience, *options, url)
