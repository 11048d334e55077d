"""Samples of the triggers about campaigns, which have no source in Hubbub."""

from typing import Any

from hubbub.rest.payloads.samples import NOW
from hubbub.rest.wire.shapes import Json

_TEMPLATE: Json = {"templateId": "offer", "templateVersion": 1}
_ABOUT: Json = {
    "notificationId": "notification-1",
    "campaignId": "autumn",
    "receiver": "anna",
    **_TEMPLATE,
    "channelType": "in-app",
    "channelId": "feed",
    "templateCategory": "promotion",
    "categoryId": "promotions",
    "label": "Offers",
    "tags": ["autumn"],
    "alternativeText": "An offer for you",
    "dataType": "card",
}


def _campaign(status: str, *, sent: int) -> Json:
    return {
        "campaignId": "autumn",
        "appId": "my-app",
        "name": "Autumn",
        "status": status,
        **_TEMPLATE,
        "totalTargets": 100,
        "sentCount": sent,
        "failedCount": 100 - sent,
        "tag": "autumn",
        "scheduledAt": NOW - 60,
        "sentAt": NOW,
        "completedAt": NOW + 60,
        "createdAt": NOW - 3600,
        "updatedAt": NOW + 60,
    }


def _feed_item(status: str, **times: int) -> Json:
    return {
        "id": "item-1",
        **_ABOUT,
        "status": status,
        "sentAt": NOW,
        **times,
        "realtimeFanout": ["anna"],
        "content": {"text": "An offer for you"},
    }


def _push(status: str, **fields: Any) -> Json:
    return {
        "pushNotificationId": "push-1",
        **_ABOUT,
        "channelType": "push",
        "status": status,
        "tag": "autumn",
        "metadata": {"source": "autumn"},
        "sentAt": NOW,
        **fields,
    }


SAMPLES: dict[str, Json] = {
    "after_campaign_completed": _campaign("completed", sent=100),
    "after_campaign_failed": _campaign("failed", sent=0),
    "after_notification_created": {
        "notificationId": "notification-1",
        "appId": "my-app",
        **_TEMPLATE,
        "category": "promotion",
        "label": "Offers",
        "tags": ["autumn"],
        "sendMode": "immediate",
        "campaignId": "autumn",
        "priority": "normal",
        "channels": ["in-app", "push"],
        "dataType": "card",
        "status": "created",
        "totalTargets": 100,
        "sentCount": 0,
        "failedCount": 0,
        "createdAt": NOW,
    },
    "after_feed_item_sent": _feed_item("sent"),
    "after_feed_item_delivered": _feed_item("delivered", deliveredAt=NOW + 1),
    "after_feed_item_read": _feed_item("read", deliveredAt=NOW + 1, readAt=NOW + 10),
    "after_feed_item_interacted": _feed_item(
        "interacted",
        deliveredAt=NOW + 1,
        readAt=NOW + 10,
        engagedAt=NOW + 20,
        interactedAt=NOW + 20,
    ),
    "after_push_notification_sent": _push("sent"),
    "after_push_notification_delivered": _push("delivered", deliveredAt=NOW + 1),
    "after_push_notification_clicked": _push("clicked", deliveredAt=NOW + 1, clickedAt=NOW + 20),
}
