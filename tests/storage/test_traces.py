"""What was erased permanently is not in the files of the embedded store either."""

import asyncio
from pathlib import Path

from tests.clock import ManualClock
from tests.wire import InProcess
from tests.world import Node

from hubbub.background import running_workers
from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.http.app import make_app
from hubbub.rest.operations import OPERATIONS

MARK = b"edelweissblossom"


def files_with_mark(folder: Path) -> list[str]:
    """Return the files of a folder that hold the word in any case."""
    return [
        path.name
        for path in folder.rglob("*")
        if path.is_file() and MARK in path.read_bytes().lower()
    ]


async def test_an_erased_user_leaves_no_text_in_the_files(tmp_path: Path) -> None:
    """Texts, edits, names and metadata are overwritten in the file, and leave its log."""
    word = MARK.decode()
    settings = Settings(data=tmp_path, log_requests=False, events_keep=0.0)
    async with open_runtime(settings, ManualClock()) as runtime, running_workers(runtime):
        world = await Node(
            runtime, ManualClock(), InProcess(make_app(runtime, OPERATIONS)), {}
        ).world()
        await world.users("ben")
        await world.user("anna", name=word, metadata={"note": word}, link=f"https://x.y/{word}")
        message = {"receiver": "ben", "receiverType": "user", "category": "message", "type": "text"}
        for number in range(50):
            text = {"text": f"{word} {number} " + "and more of it " * 40}
            sent = await world.post("/messages", {**message, "data": text}, as_="anna")
        await world.put(f"/messages/{sent['id']}", {"data": {"text": f"{word} edited"}}, as_="anna")
        assert await asyncio.to_thread(files_with_mark, tmp_path)

        await world.delete("/users/anna", {"permanent": True})
        found = ["?"]
        async with asyncio.timeout(60):
            while found:
                await asyncio.sleep(0.2)
                found = await asyncio.to_thread(files_with_mark, tmp_path)
        assert not found
