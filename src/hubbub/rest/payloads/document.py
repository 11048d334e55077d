"""What the document says of the payloads: the data of each event and trigger, with samples."""

from hubbub.http.documented import EVENT_DATA, SENT_CALLS, SentCall
from hubbub.outbox.registry import STRUCTS
from hubbub.records.webhooks.triggers import TRIGGERS
from hubbub.rest.payloads.all import PAYLOADS, SAMPLES, SHOWN

_kinds = sorted((STRUCTS[event] for event in SHOWN), key=lambda kind: kind.trigger is None)
"""Those of which webhooks are told come first."""
EVENT_DATA.update({kind.name: PAYLOADS[kind.name].shape for kind in _kinds})
SENT_CALLS.update(
    {
        name: SentCall(TRIGGERS[name].description, payload.shape, SAMPLES[name])
        for name, payload in PAYLOADS.items()
        if name in TRIGGERS
    }
)
