"""All samples, by trigger."""

from collections.abc import Mapping
from typing import Any

import msgspec

from hubbub.rest.payloads.samples import calls, campaigns, messages, moderation, people

SAMPLES: Mapping[str, dict[str, Any]] = {
    **messages.SAMPLES,
    **people.SAMPLES,
    **calls.SAMPLES,
    **moderation.SAMPLES,
    **campaigns.SAMPLES,
}
"""The data of each trigger, by the trigger's id."""

ENCODED: Mapping[str, bytes] = {
    trigger_id: msgspec.json.encode(data) for trigger_id, data in SAMPLES.items()
}
