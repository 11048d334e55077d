"""Samples of the triggers about calls and meetings, which have no source in Hubbub."""

from hubbub.rest.payloads.samples import NOW, PAIR, RECEIVER, user_entity
from hubbub.rest.wire.shapes import Json

_SESSION = "v1.us.a-session"
_OCCUPANT: Json = {"joined_at": NOW, "audio_call": "true", "name": "Anna"}
_GONE: Json = {**_OCCUPANT, "left_at": NOW + 90}
_STARTED: Json = {"created_at": NOW, "sessionId": _SESSION}
_JOINED: Json = {"occupant": _OCCUPANT, "sessionId": _SESSION}
_LEFT: Json = {"occupant": _GONE, "sessionId": _SESSION}
_ENDED: Json = {
    "all_occupants": [_GONE, {**_GONE, "name": "Ben"}],
    "created_at": NOW,
    "destroyed_at": NOW + 90,
    "sessionId": _SESSION,
}


def _call(action: str) -> Json:
    """Return the data of a call of Anna to Ben."""
    call = {
        "id": "104",
        "conversationId": PAIR,
        "sender": "anna",
        "receiverType": "user",
        "receiver": "ben",
        "category": "call",
        "type": "audio",
        "data": {
            "action": action,
            "entities": {
                "by": user_entity("anna"),
                "on": {
                    "entity": {"sessionid": _SESSION, "status": action, "type": "audio"},
                    "entityType": "call",
                },
                "for": RECEIVER,
            },
        },
        "sentAt": NOW,
        "updatedAt": NOW,
    }
    return {"call": call}


SAMPLES: dict[str, Json] = {
    "call_initiated": _call("initiated"),
    "call_started": _STARTED,
    "call_participant_joined": _JOINED,
    "call_participant_left": _LEFT,
    "call_ended": _ENDED,
    "call_busy": _call("busy"),
    "call_cancelled": _call("cancelled"),
    "call_rejected": _call("rejected"),
    "call_unanswered": _call("unanswered"),
    "meeting_started": _STARTED,
    "meeting_participant_joined": _JOINED,
    "meeting_participant_left": _LEFT,
    "meeting_ended": _ENDED,
    "recording_generated": {
        "recordingDate": "2026-09-21",
        "duration": "90",
        "startTime": str(NOW),
        "sessionId": _SESSION,
        "recording_url": "https://example.com/recordings/a-session.mp4",
    },
    "transcription_generated": {
        "sessionId": _SESSION,
        "tid": "a-transcription",
        "transcriptDate": "2026-09-21",
        "transcript_url": "https://example.com/transcripts/a-session.txt",
        "startTime": NOW,
        "endTime": NOW + 90,
    },
}
