"""The data of an example of each event: that of its payload, or one from here if it has none."""

from collections.abc import Mapping
from typing import Any

from hubbub.rest.payloads.samples.all import SAMPLES
from hubbub.rest.payloads.samples.records import NOW
from hubbub.rest.wire.shapes import Json

_TO_BEN: Json = {"sender": "anna", "receiver": "ben", "receiverType": "user"}
_EPHEMERAL: Mapping[str, Json] = {
    "typing_started": _TO_BEN,
    "typing_ended": _TO_BEN,
    "transient_message": {**_TO_BEN, "data": {"dice": [1, 6]}},
    "receipts_advanced": {
        "receiver": "hikers",
        "receiverType": "group",
        "deliveredToAllId": "101",
        "readByAllId": "100",
    },
    "user_presence_changed": {
        "user": {"uid": "ben", "name": "Ben Osei", "status": "available", "lastActiveAt": NOW}
    },
}
DATA: Mapping[str, Any] = {**SAMPLES, **_EPHEMERAL}
"""By event."""
