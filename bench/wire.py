"""A `Wire` in a separate process: `python -m bench.wire PORT SECONDS` prints its port."""

import asyncio
import sys

from tests.storage.slow_wire import Wire


async def _carry(server_port: int, delay_seconds: float) -> None:
    async with Wire(server_port, delay_seconds=delay_seconds) as wire:
        print(wire.port, flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_carry(int(sys.argv[1]), float(sys.argv[2])))
