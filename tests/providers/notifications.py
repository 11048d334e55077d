"""Notifications to send."""

from typing import Any

from hubbub.providers.interface import Mail, Push, Sms

ANNA = {"uid": "anna", "avatar": "https://example.com/anna.png", "name": "Anna"}
FIELDS = {
    "title": "Anna",
    "body": "Grüße 👋",
    "sender": "anna",
    "senderName": "Anna",
    "receiver": "ben",
    "receiverName": "Ben",
    "receiverType": "user",
    "tag": "17",
    "conversationId": "anna_user_ben",
    "type": "chat",
    "sentAt": "1800000000000",
}
UNSUBSCRIBE = "https://chat.example/v3/notifications/unsubscribe/8f2c"


def make_push(
    uid: str = "ben", *, platform: str = "custom", token: str = "", **fields: Any
) -> Push:
    """Return a push of a chat message."""
    return Push(uid, platform, token, {**FIELDS, **fields}, 3, "c" * 64, 1_800_003_600)


def make_mail(email: str = "ben@example.com", **data: Any) -> Mail:
    """Return a mail about two messages of Anna."""
    shown = {
        "to": {"uid": "ben", "email": email, "name": "Ben"},
        "messages": [
            {"sender": ANNA, "message": "Grüße 👋"},
            {"sender": ANNA, "message": "<b>1 < 2</b> & more\nsecond line"},
        ],
        "senderDetails": ANNA,
        "subject": "2 new messages from Anna",
        **data,
    }
    return Mail(shown, email, UNSUBSCRIBE, "17.ben")


def make_sms(number: str = "+14155552671", content: str = "Anna: 2 new messages") -> Sms:
    """Return a short message about a message of Anna."""
    to = {"uid": "ben", "phno": number, "name": "Ben"}
    messages = [{"sender": ANNA, "message": "Grüße 👋"}]
    data = {"to": to, "messages": messages, "senderDetails": ANNA, "smsContent": content}
    return Sms(data, number)
