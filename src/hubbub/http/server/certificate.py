"""The certificate of a node that ends TLS: renewed files are taken up while it serves."""

import asyncio
import ssl
from pathlib import Path

import structlog

log = structlog.get_logger()

LOOK_SECONDS = 1.0

Stamp = tuple[tuple[int, int, int], ...]


class CertificateFiles:
    """The files of a certificate and its key, and the context in use that they were loaded into."""

    def __init__(self, context: ssl.SSLContext, cert: str, key: str) -> None:
        self._context = context
        self._files = (cert, key or None)
        self._loaded = self._seen = self._stamp()

    async def follow(self) -> None:
        """Look for renewed files until cancelled; handshakes from then on have them."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self.look()

    def look(self) -> None:
        """Load the files if they have changed, and not since the last look.

        They are two files, written one after the other: halfway they do not belong together.
        """
        stamp = self._stamp()
        is_settled, self._seen = stamp == self._seen, stamp
        if stamp == self._loaded or not is_settled:
            return
        self._loaded = stamp
        try:
            # First into a new context: a key that does not fit would leave this one without a key.
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(*self._files)
            self._context.load_cert_chain(*self._files)
        except (OSError, ValueError) as failure:
            log.error("certificate_not_renewed", reason=str(failure))
            return
        log.info("certificate_renewed")

    def _stamp(self) -> Stamp:
        """Return what changes with the files."""
        return tuple(_stamp_of(Path(path)) for path in self._files if path)


def _stamp_of(path: Path) -> tuple[int, int, int]:
    try:
        found = path.stat()
    except OSError:  # it is being replaced
        return (0, 0, 0)
    return (found.st_mtime_ns, found.st_size, found.st_ino)
