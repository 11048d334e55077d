"""What `hubbub serve` prints and logs when it starts."""

import os

import structlog

from hubbub.bootstrap import make_first_keys
from hubbub.cli.demo import fill_demo
from hubbub.config import find_unknown
from hubbub.runtime import Runtime

log = structlog.get_logger()


async def print_first_keys(runtime: Runtime) -> None:
    """Make the first keys if there are none, and print the path of their file."""
    keys_file = await make_first_keys(runtime)
    if keys_file is not None:
        print(f"First keys: {keys_file.resolve()}", flush=True)


async def greet(runtime: Runtime, port: int, *, is_demo: bool) -> None:
    """Log what may be a mistake in the settings, and print where to look."""
    settings = runtime.settings
    scheme = "https" if settings.tls_cert else "http"
    unknown = [" ".join(each) for each in find_unknown(os.environ)]
    for warning in [*settings.warnings, *unknown]:
        log.warning("doubtful_setting", warning=warning)
    address = f"{scheme}://{settings.host}:{port}"
    print(f"Hubbub: {address}/v3\nReference: {address}/docs", flush=True)
    if is_demo:
        print(await fill_demo(runtime), flush=True)
