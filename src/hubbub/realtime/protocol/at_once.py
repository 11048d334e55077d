"""Calls that are answered at once, without a request of REST: appends, of which there are many.

A call that is not as nearly all are is no matter of this module: it becomes a request, which says
what is wrong with it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec

from hubbub.domain.access.rates import Rate, TooManyCalls, limits_of, take_call
from hubbub.domain.growing.append import FRAME_SECONDS, append_ready, find_ready
from hubbub.http.errors import refusal_answer
from hubbub.records.settings.model import AppSettings, settings_key
from hubbub.runtime import Runtime

LONGEST_ID = 18
AtOnce = Callable[[Runtime, str, str, msgspec.Raw], bytes | None]
"""Answers a call of an app's user with these parameters; None if it is to become a request."""


class _Append(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    text: str
    sequence: int


_decode = msgspec.json.Decoder(_Append).decode


def _append(runtime: Runtime, app_id: str, uid: str, params: msgspec.Raw) -> bytes | None:
    settings: AppSettings | None = runtime.cache.get(settings_key(app_id))
    try:
        given = _decode(params)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    id_ = given.id
    is_id = id_.isascii() and id_.isdigit() and len(id_) <= LONGEST_ID
    if settings is None or not is_id or "\0" in given.text:
        return None
    growth = find_ready(runtime, app_id, uid, int(id_), given.text, given.sequence)
    if growth is None:
        return None  # it is counted as a request
    try:
        take_call(runtime.rates, limits_of(settings, app_id, uid, Rate.APPEND))
    except TooManyCalls as refusal:
        return refusal_answer(refusal).body
    taken = append_ready(runtime, growth, given.text, given.sequence)
    return b'{"data":{"id":"%d","sequence":%d,"length":%d}}' % (
        int(id_),
        taken.sequence,
        taken.length,
    )


@dataclass(frozen=True, slots=True)
class Quick:
    """A method that can be answered at once, and what that takes of the event loop."""

    answer: AtOnce
    seconds: float


AT_ONCE: Mapping[str, Quick] = {"append_message": Quick(_append, FRAME_SECONDS)}
"""By method."""
