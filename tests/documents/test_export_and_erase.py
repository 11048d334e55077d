"""The lines of docs/operating.md that export and erase, run beside a node that serves."""

import json
from pathlib import Path

from tests.documents.blocks import take
from tests.documents.shell import placed, run
from tests.live import LiveNode
from tests.world import World

from hubbub.config import Settings

LINES = take("docs/operating.md", "### Export and erase")


async def test_a_person_is_exported_and_erased(tmp_path: Path) -> None:
    """The lines write the app and what is stored about Anna, and leave nothing of them."""
    for name in ("backups", "srv"):
        (tmp_path / name).mkdir()
    with LiveNode(Settings(data=tmp_path / "srv/hubbub")) as node:
        made = run("hubbub app create --id my-app --json --data srv/hubbub", tmp_path)
        world = World(node, "my-app", json.loads(made)["apiKeys"][0]["apiKey"], "")
        await world.users("anna", "ben")
        body = {"receiver": "ben", "receiverType": "user", "data": {"text": "Hello"}}
        await world.post("/messages", body, as_="anna")
        run(placed(LINES, tmp_path), tmp_path)

        assert await world.uids("/users") == ["ben"]
    assert (tmp_path / "backups/my-app.zip").exists()
    assert "Hello" in (tmp_path / "backups/anna/index.html").read_text()
    assert json.loads((tmp_path / "backups/anna-erased.json").read_text())["isComplete"]
