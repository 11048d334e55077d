"""What `hubbub serve` prints and logs when it starts, and the demo app of `--demo`."""

import os

import structlog

from hubbub.bootstrap import make_first_keys
from hubbub.config import find_unknown
from hubbub.domain.apps.manage import create_app, get_app
from hubbub.domain.users.create import create_user
from hubbub.records.apps.model import AppNotFound
from hubbub.records.users.model import Profile, UserDraft
from hubbub.runtime import Runtime

log = structlog.get_logger()
APP_ID = "demo"
PEOPLE = {"anna": "Anna Keller", "ben": "Ben Osei", "chiara": "Chiara Conti", "dai": "Dai 大"}


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
        print(f"Demo chat: {address}/demo", flush=True)


async def fill_demo(runtime: Runtime) -> str:
    """Create the app `demo` with a few users, once; return a text that says what to try first."""
    try:
        _, keys = await get_app(runtime, APP_ID)
    except AppNotFound:
        _, keys = await create_app(runtime, name="Demo", region="us", app_id=APP_ID)
        for uid, name in PEOPLE.items():
            await create_user(runtime, APP_ID, UserDraft(uid, Profile(name)))
    key = next(key.api_key for key in keys if key.scope == "fullAccess")
    path = runtime.settings.data.resolve() / "demo-key.txt"
    path.touch(mode=0o600)
    path.write_text(f"{key}\n")
    scheme = "https" if runtime.settings.tls_cert else "http"
    address = f"{scheme}://{runtime.settings.host}:{runtime.settings.port}/v3"
    return (
        f"Demo app: {APP_ID}, with {', '.join(PEOPLE)}. Its API key: {path}\n"
        "Try:\n"
        f'  curl {address}/messages -H "apikey: $(cat {path})" -H "onBehalfOf: anna" \\\n'
        """    -d '{"receiver":"ben","receiverType":"user","data":{"text":"Hello, Ben!"}}'\n"""
    )
