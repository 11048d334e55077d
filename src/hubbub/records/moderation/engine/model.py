"""Why the custom engine of an app has not decided, as an event holds it."""

from collections.abc import Sequence

import msgspec


class EngineFailure(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """Why the engine has not decided on a condition."""

    category: str
    error_message: str
    failed_at: int
    rule: str
    rule_name: str
    condition: int
    condition_category: str
    http_status: int | None = None
    timeout_ms: int | None = None
    response_body: str | None = None
    response_body_truncated: bool = False


_encode = msgspec.json.Encoder().encode
decode_failures = msgspec.json.Decoder(list[EngineFailure]).decode


def encode_failures(failures: Sequence[EngineFailure]) -> str:
    """Return failures as the event holds them."""
    return _encode(failures).decode()
