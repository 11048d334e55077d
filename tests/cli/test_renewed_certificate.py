"""A certificate that is renewed while the node serves."""

import ssl
from pathlib import Path

from tests.certificate import make_certificate
from tests.live import LiveNode
from tests.soon import until
from tests.wire import LOOPBACK

from hubbub.config import Settings


def shown(live: LiveNode) -> str:
    """Return the certificate that a new connection is shown."""
    return ssl.get_server_certificate((LOOPBACK, live.port))


async def test_a_renewed_certificate(tmp_path: Path) -> None:
    """New connections get the renewed certificate; files that do not fit leave the old one."""
    made = make_certificate(tmp_path)
    options = ("--tls-cert", str(made.cert), "--tls-key", str(made.key))
    with LiveNode(Settings(data=tmp_path / "data"), *options) as live:
        assert shown(live) == made.cert.read_text()

        made.key.write_text("halfway")
        await until(lambda: "certificate_not_renewed" in live.output)
        first = shown(live)
        assert first == made.cert.read_text()

        renewed = make_certificate(tmp_path).cert.read_text()
        assert renewed != first
        await until(lambda: "certificate_renewed" in live.output)
        assert shown(live) == renewed
