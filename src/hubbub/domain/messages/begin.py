"""The beginning of a message that grows."""

from typing import Any

import msgspec

from hubbub.kernel.errors import Refusal
from hubbub.records.growing.model import GrowingRow, text_too_long
from hubbub.records.growing.store import encode_text
from hubbub.records.messages.model import IS_GROWING, Draft

_decode = msgspec.json.Decoder(dict[str, Any]).decode


def begin(draft: Draft, limit: int) -> Draft | Refusal:
    """Return a draft that grows as it is stored at first, or why its text is not taken."""
    size = len(_text_of(draft).encode())
    if size > limit:
        return text_too_long("data.text", size, limit)
    return msgspec.structs.replace(
        draft,
        data=f'{draft.data[:-1]},"growing":{{"sequence":0}}}}',
        traits=draft.traits | IS_GROWING,
    )


def make_row(message_id: int, draft: Draft, event: int, now: int) -> GrowingRow:
    """Return what is stored of a message that begins to grow; `event` is that of its sending."""
    assert draft.growing is not None
    return GrowingRow(
        message=message_id,
        event=event,
        owner=draft.growing.owner,
        sequence=0,
        notifies=draft.growing.notifies,
        is_of_user=draft.is_of_user,
        stopped_by=None,
        touched_at=now * 1000,
        sender=draft.sender,
        text=encode_text(_text_of(draft)),
    )


def _text_of(draft: Draft) -> str:
    text: str = _decode(draft.data)["text"]
    return text
