"""The reasons for which a person is not notified."""

from enum import StrEnum


class Reason(StrEnum):
    """Why nothing was sent to a person on a channel."""

    MESSAGES_PREFERENCE = "MESSAGES_PREFERENCE"
    REPLIES_PREFERENCE = "REPLIES_PREFERENCE"
    QUOTED_REPLIES_PREFERENCE = "QUOTED_REPLIES_PREFERENCE"
    MESSAGE_ACTIONS_PREFERENCE = "MESSAGE_ACTIONS_PREFERENCE"
    REACTIONS_PREFERENCE = "REACTIONS_PREFERENCE"
    GROUP_ACTIONS_PREFERENCE = "GROUP_ACTIONS_PREFERENCE"
    DND_PREFERENCE = "DND_PREFERENCE"
    MUTE_PREFERENCE = "MUTE_PREFERENCE"
    SCHEDULE_PREFERENCE = "SCHEDULE_PREFERENCE"
    CALL_PREFERENCE = "CALL_PREFERENCE"
    QUOTA_PREFERENCE = "QUOTA_PREFERENCE"
    """The greatest number of e-mails or short messages a day is reached."""
    MISSING_EMAIL = "MISSING_EMAIL"
    MISSING_PHNO = "MISSING_PHNO"
    INVALID_PUSH_PROVIDER_ID = "INVALID_PUSH_PROVIDER_ID"
    """The provider that a token is registered for does not exist, or is incomplete."""
    TIMED_OUT = "TIMED_OUT"
    """The provider was not reached until the notification was worth nothing any more."""
    NOT_FOUND = "NOT_FOUND"
    """The message was deleted meanwhile."""
    TWILIO_CREATE_ERROR = "TWILIO_CREATE_ERROR"
    ALREADY_READ = "ALREADY_READ"
    """The person was connected, and has read the message at once."""
