"""The receivers of webhooks in `examples/webhooks` accept what Hubbub signs, and nothing else."""

import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.documents.blocks import take
from tests.live import environment
from tests.postgres import free_port
from tests.wire import LOOPBACK

from hubbub.domain.webhooks.sign import sign_headers

FOLDER = Path(__file__).parents[2] / "examples" / "webhooks"
README = "examples/webhooks/README.md"
SHOWN_EVENT = take(README, "# Receivers of webhooks", "", "event")
SHOWN_LINES = take(README, "# Receivers of webhooks", "", "export")
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
GO_CACHE = str(Path.home() / ".cache" / "go-build")
BODY = '{"trigger":"message_sent","data":{"text":"Grüße \\u0000 %s"},"webhook":"w"}'.encode()
DECIDE = b'{"trigger": "before_message", "data": {}}'
COMMANDS: dict[str, tuple[str, ...]] = {
    "python": (sys.executable, "receiver.py", "{port}"),
    "node": ("node", "receiver.mjs", "{port}"),
    "php": ("php", "-S", LOOPBACK + ":{port}", "receiver.php"),
    "go": ("{built}", "{port}"),
    "shell": (
        "systemd-socket-activate", "--inetd", "--accept", f"--listen={LOOPBACK}:{{port}}",
        "-E", "WEBHOOK_SECRET", "-E", "WEBHOOK_SEEN", "./receiver.sh",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Receiver:
    """A receiver that runs."""

    port: int
    output: Path

    def post(self, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        """Return the status and the body of the answer to a call."""
        connection = http.client.HTTPConnection(LOOPBACK, self.port, timeout=60)
        with closing(connection):
            connection.request("POST", "/", body, {"Content-Type": "application/json", **headers})
            answer = connection.getresponse()
            return answer.status, answer.read()

    def events(self) -> list[str]:
        """Return the events that it has handled: their ids and triggers."""
        lines = self.output.read_text().splitlines()
        return [line.removeprefix("event ") for line in lines if line.startswith("event ")]


def need(program: str) -> str:
    """Return the path of a program; without it the test is skipped, but fails in CI."""
    found = shutil.which(program)
    if found is None:
        assert os.environ.get("CI") != "true", f"the receivers need {program}"
        pytest.skip(f"needs {program}")
    return found


def build(folder: Path) -> Path:
    """Return the receiver in Go, compiled."""
    built = folder / "receiver"
    subprocess.run(
        [need("go"), "build", "-o", built, "receiver.go"],
        cwd=FOLDER,
        env=environment(CGO_ENABLED="0", GOCACHE=os.environ.get("GOCACHE", GO_CACHE)),
        check=True,
        timeout=300,
    )
    return built


@contextmanager
def running(language: str, folder: Path) -> Iterator[Receiver]:
    """Yield a receiver that listens; end it afterwards."""
    port, output = free_port(), folder / "output"
    built = build(folder) if language == "go" else ""
    command = [part.format(port=port, built=built) for part in COMMANDS[language]]
    need(command[0])
    given = environment(WEBHOOK_SECRET=SECRET, WEBHOOK_SEEN=str(folder / "seen"))
    with output.open("w") as log:
        process = subprocess.Popen(command, cwd=FOLDER, env=given, stdout=log, stderr=log)
    try:
        await_port(process, port, output)
        yield Receiver(port, output)
    finally:
        process.terminate()
        process.wait(10)


def await_port(process: subprocess.Popen[bytes], port: int, output: Path) -> None:
    """Wait until a process listens on a port."""
    for _ in range(300):
        try:
            socket.create_connection((LOOPBACK, port), timeout=1).close()
        except OSError:
            assert process.poll() is None, output.read_text()
            time.sleep(0.05)
        else:
            return
    raise AssertionError(output.read_text())


@pytest.fixture(scope="module", params=list(COMMANDS))
def receiver(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Receiver]:
    """Each receiver in turn."""
    with running(request.param, tmp_path_factory.mktemp(request.param)) as found:
        yield found


def signed(
    id_: str, body: bytes = BODY, *secrets: str, age: int = 0, **changes: str
) -> dict[str, str]:
    """Return the headers of a call; `changes` replace some of them."""
    headers = sign_headers(secrets or [SECRET], id_, int(time.time()) - age, body)
    return {**headers, **{f"webhook-{name}": text for name, text in changes.items()}}


def test_genuine_calls(receiver: Receiver) -> None:
    """A signed call is accepted, and handled once, however often it comes."""
    before = receiver.events()
    assert receiver.post(BODY, signed("1")) == (204, b"")
    assert receiver.post(BODY, signed("1")) == (204, b"")
    assert receiver.post(BODY, signed("1-1")) == (204, b"")
    assert receiver.post(BODY, signed("a/../b; x")) == (204, b"")

    handled = receiver.events()[len(before) :]
    assert handled == [f"{id_} message_sent" for id_ in ("1", "1-1", "a/../b; x")]


def test_rotated_secrets(receiver: Receiver) -> None:
    """While two secrets are valid, a call has two signatures; each place will do."""
    assert receiver.post(BODY, signed("2", BODY, OTHER, SECRET))[0] == 204
    assert receiver.post(BODY, signed("3", BODY, SECRET, OTHER))[0] == 204


def test_old_and_early_calls(receiver: Receiver) -> None:
    """A call is valid for five minutes; clocks may differ as much."""
    assert receiver.post(BODY, signed("4", age=280))[0] == 204
    assert receiver.post(BODY, signed("5", age=-280))[0] == 204
    assert receiver.post(BODY, signed("6", age=320))[0] == 401
    assert receiver.post(BODY, signed("7", age=-320))[0] == 401


def signature_of(version: str) -> str:
    """Return a right signature with another version."""
    return signed("8")["webhook-signature"].replace("v1,", version)


FORGED: dict[str, Callable[[], dict[str, str]]] = {
    "no headers": dict,
    "another secret": lambda: signed("8", BODY, OTHER),
    "two other secrets": lambda: signed("8", BODY, OTHER, OTHER),
    "another body": lambda: signed("8", BODY + b" "),
    "another id": lambda: signed("8", id="9"),
    "another time": lambda: signed("8", timestamp=f"{int(time.time()) - 1}"),
    "no id": lambda: signed("8", id=""),
    "no time": lambda: signed("8", timestamp=""),
    "no number": lambda: signed("8", timestamp="now"),
    "a hexadecimal number": lambda: signed("8", timestamp="0x7fffffff"),
    "a long number": lambda: signed("8", timestamp="9" * 500),
    "code": lambda: signed("8", timestamp="a[$(touch /tmp/x)]"),
    "no signature": lambda: signed("8", signature=""),
    "an empty signature": lambda: signed("8", signature="v1,"),
    "a wildcard": lambda: signed("8", signature="* v1,*"),
    "another version": lambda: signed("8", signature=signature_of("v1a,")),
    "no version": lambda: signed("8", signature=signature_of("")),
    "blanks": lambda: signed("8", signature=" " * 1000),
    "a letter that is not ASCII": lambda: signed("8", signature="v1,\xe9"),
}


@pytest.mark.parametrize("forgery", FORGED)
def test_forged_calls(receiver: Receiver, forgery: str) -> None:
    """A call that is not signed as it must be is refused, and not handled."""
    before = receiver.events()
    assert receiver.post(BODY, FORGED[forgery]())[0] == 401
    assert receiver.events() == before


def test_bodies_that_are_too_large(receiver: Receiver) -> None:
    """A body of more than a megabyte is refused."""
    body = b'{"trigger":"message_sent","text":"' + b"x" * 1_000_000 + b'"}'
    assert receiver.post(body, signed("10", body))[0] == 204
    body += b" " * 50_000
    # It may answer and leave before all is sent.
    with suppress(BrokenPipeError, ConnectionResetError):
        assert receiver.post(body, signed("11", body))[0] == 413
    assert not [event for event in receiver.events() if event.startswith("11 ")]


def test_decisions(receiver: Receiver) -> None:
    """A call of before_message is answered with a decision."""
    status, content = receiver.post(DECIDE, signed("12", DECIDE))
    assert (status, json.loads(content)) == (200, {"action": "allow"})


def test_send_to_a_receiver(receiver: Receiver) -> None:
    """The script that sends a call, to try a receiver, signs it as Hubbub does."""
    for secret, shown in ((SECRET, "204"), (OTHER, "401")):
        done = subprocess.run(
            [FOLDER / "send.sh", f"http://{LOOPBACK}:{receiver.port}/"],
            env=environment(WEBHOOK_SECRET=secret),
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        assert done.stdout.strip() == shown, done.stderr


def test_the_lines_of_the_readme(tmp_path: Path) -> None:
    """The receiver prints an event, as the lines that try it and the line below them show."""
    port = free_port()
    lines = SHOWN_LINES.replace("9000", str(port)).replace("python ", f"exec {sys.executable} ")
    secret, start, send = lines.splitlines()
    need("openssl")
    output = tmp_path / "output"
    ready = f"until (echo > /dev/tcp/{LOOPBACK}/{port}) 2> /dev/null; do sleep 0.05; done"
    script = f"{secret}\n({start.removesuffix(' &')}) 2> {output} &\n{ready}\n{send}\nkill $!\n"
    subprocess.run(["bash", "-c", script], cwd=FOLDER, check=True, timeout=60)

    (event,) = [line for line in output.read_text().splitlines() if line.startswith("event")]
    assert len(event.split()) == len(SHOWN_EVENT.split())
