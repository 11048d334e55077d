"""What a connection reads and writes at the pace of the slower side, and whose it is."""

import asyncio


class Flow:
    """Whether a connection is read from, and whether its client keeps up with what is written."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self.read_paused = self.write_paused = False
        self._is_writable = asyncio.Event()
        self._is_writable.set()

    async def drain(self) -> None:
        """Wait until the client has read most of what was written."""
        await self._is_writable.wait()

    def pause_reading(self) -> None:
        """Read nothing for now: the client waits at the latest when the buffers are full."""
        if not self.read_paused:
            self.read_paused = True
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Read again."""
        if self.read_paused:
            self.read_paused = False
            self._transport.resume_reading()

    def pause_writing(self) -> None:
        """Note that much of what was written waits for the client."""
        self.write_paused = True
        self._is_writable.clear()

    def resume_writing(self) -> None:
        """Note that little of what was written waits for the client."""
        self.write_paused = False
        self._is_writable.set()


def remote_host(transport: asyncio.Transport) -> str:
    """Return the address of the client; empty if the connection has none, or is gone."""
    address = transport.get_extra_info("peername")
    return str(address[0]) if isinstance(address, (tuple, list)) else ""
