"""Pages that are long enough to hold up others."""

from collections.abc import Sequence

import pytest
from tests.world import World

from hubbub.records.messages.model import Message
from hubbub.rest.messages.wire.page import PageRenderer


async def test_a_long_page_is_written_in_pieces(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After fifty messages of a long page, other calls have a turn; the answer is complete."""
    await world.users("anna", "ben")
    for first in (0, 50, 100, 150, 200):
        rows = {
            f"m{number}": {
                "muid": f"m{number}",
                "sender": "anna",
                "receiver": "ben",
                "receiverType": "user",
                "category": "message",
                "type": "text",
                "data": {"text": "hello"},
                "sentAt": 1_700_000_000 + number,
            }
            for number in range(first, first + 50)
        }
        await world.post("/data_import/messages", {"messages": rows})
    sizes: list[int] = []
    render = PageRenderer.render_some

    def counted(renderer: PageRenderer, messages: Sequence[Message]) -> list[bytes]:
        sizes.append(len(messages))
        return render(renderer, messages)

    monkeypatch.setattr(PageRenderer, "render_some", counted)
    shown = await world.get("/messages?limit=1000")

    assert [message["muid"] for message in shown] == [f"m{number}" for number in range(250)]
    assert sizes == [50, 50, 50, 50, 50]
