"""All samples, by event or trigger."""

from collections.abc import Mapping
from typing import Any

import msgspec

from hubbub.rest.payloads.samples import (
    calls,
    campaigns,
    conversations,
    messages,
    moderation,
    people,
)

SAMPLES: Mapping[str, dict[str, Any]] = {
    **messages.SAMPLES,
    **people.SAMPLES,
    **conversations.SAMPLES,
    **calls.SAMPLES,
    **moderation.SAMPLES,
    **campaigns.SAMPLES,
}
"""The data of each event that clients are told of, and of each trigger of webhooks."""

ENCODED: Mapping[str, bytes] = {name: msgspec.json.encode(data) for name, data in SAMPLES.items()}
