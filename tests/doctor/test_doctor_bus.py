"""What the doctor says of the bus."""

from pathlib import Path

from tests.doctor.conftest import findings_of
from tests.nats_server import NatsServer
from tests.postgres import free_port

from hubbub.config import Settings
from hubbub.doctor.finding import Finding, Severity


async def bus_of(settings: Settings) -> Finding:
    """Return what is said of the bus."""
    (found,) = [each for each in await findings_of(settings) if each.check == "bus"]
    return found


async def test_a_bus_that_answers(nats_server: NatsServer, tmp_path: Path) -> None:
    """A server that lets the node in is ok."""
    found = await bus_of(Settings(data=tmp_path, bus_url=nats_server.url))

    assert (found.state, found.sentence) == (Severity.OK, "a server answers")


async def test_a_bus_that_is_away(tmp_path: Path) -> None:
    """A server that is not reached is a warning with the reason, without the password."""
    url = f"nats://hubbub:hush@127.0.0.1:{free_port()}"
    found = await bus_of(Settings(data=tmp_path, bus_url=url))

    assert found.state == Severity.WARNING
    assert "No server is reached" in found.sentence
    assert "hush" not in found.sentence + found.remedy
