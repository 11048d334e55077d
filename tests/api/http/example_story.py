"""The calls of the examples in the document: one story, told on an empty installation.

Each operation is called, most of them once. A call that needs the id of an earlier message names
the call that sent it: `{"id": "@text"}` is the id in the answer to the call `text`.
"""

from dataclasses import dataclass, field, replace
from typing import Any

PEM = "-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n"
"""Stands in the examples for a key, which is another one each time."""


@dataclass(frozen=True, slots=True)
class Step:
    """A call of an operation."""

    operation: str
    body: Any = None
    path: dict[str, str] = field(default_factory=dict)
    query: dict[str, Any] = field(default_factory=dict)
    as_: str | None = None
    name: str = "example"
    """The name of the example, unique among those of an operation."""


def user(uid: str, name: str, example: str = "example") -> Step:
    """Return a call that creates a user."""
    return Step("create_user", {"uid": uid, "name": name}, name=example)


def send(name: str, message: dict[str, Any], as_: str = "anna") -> Step:
    """Return a call that sends a message to Ben, unless it names its receivers."""
    to_ben = {"receiver": "ben", "receiverType": "user"}
    to = {} if "multipleReceivers" in message or "receiver" in message else to_ben
    return Step("send_message", {**to, **message}, as_=as_, name=name)


def custom_provider(channel: str, more: dict[str, Any]) -> list[Step]:
    """Return the calls about the custom provider of a channel."""
    provider = {
        "isEnabled": True,
        "webhookURL": "https://example.com/notify",
        "useBasicAuth": True,
        "basicAuthUsername": "chat",
        "basicAuthPassword": "a secret",
        **more,
    }
    return [
        Step(f"save_custom_{channel}_provider", provider),
        Step(f"update_custom_{channel}_provider", {"isEnabled": False}),
        Step(f"get_custom_{channel}_provider"),
        Step(f"delete_custom_{channel}_provider"),
    ]


GUIDE, HIKERS, BEN = {"role": "guide"}, {"guid": "hikers"}, {"uid": "ben"}
DAI, KEY, TOKEN = {"uid": "dai"}, {"apiKey": "@create_apikey"}, {"authToken": "@create_authtoken"}
MODERATORS = {"guid": "hikers", "scope": "moderator"}
FCM = {"providerId": "my-fcm"}
APNS = {"providerId": "my-apns"}
PAGE = {"perPage": 2}
ANNA_ASKED = {"uid": "anna"}
ANNAS_AND_BENS = {"conversationId": "anna_user_ben"}
BENS_TOKEN = {"authToken": "@create_authtoken"}
PUSH_TOKEN = {"platform": "fcm_android", "fcmToken": "f9aHc1Q", "timezone": "Asia/Kolkata"}
MUTED = {"id": "hikers", "type": "group"}
NOTIFICATIONS = (
    Step(
        "update_notification_settings",
        {
            "preferences": {
                "group": {"messagesSetting": 3, "memberJoinedSetting": 2},
                "email": {"intervalInSeconds": 3600},
            }
        },
    ),
    Step("get_notification_settings"),
    Step(
        "update_notification_preferences",
        {
            "groupPreferences": {"groupMessages": 2},
            "mutePreferences": {"schedule": {"sunday": {"dnd": True}}},
        },
        query=ANNA_ASKED,
    ),
    Step("get_notification_preferences", query=ANNA_ASKED),
    Step("reset_notification_preferences", query=ANNA_ASKED),
    Step("reset_notification_settings"),
    Step(
        "mute_conversations",
        {"conversations": [{**MUTED, "until": 1_900_000_000_000}]},
        query=ANNA_ASKED,
    ),
    Step("list_muted_conversations", query=ANNA_ASKED),
    Step("unmute_conversations", {"conversations": [MUTED]}, query=ANNA_ASKED),
    Step("update_timezone", {"timezone": "Asia/Kolkata"}, query=ANNA_ASKED),
    Step("get_timezone", query=ANNA_ASKED),
    Step("create_authtoken", {"force": True}, {"uid": "ben"}, name=""),
    Step("register_push_token", PUSH_TOKEN | BENS_TOKEN),
    Step("list_push_tokens", query=BENS_TOKEN),
    Step("delete_push_token", BENS_TOKEN, {"pushToken": "f9aHc1Q"}),
    Step("unregister_push_tokens", BENS_TOKEN, query={"all": "true"}),
)
POLL = {
    "category": "interactive",
    "type": "poll",
    "data": {"question": "Which way?", "options": ["By the river", "Over the hill"]},
}
FORM = {
    "category": "interactive",
    "type": "form",
    "data": {
        "interactiveData": {
            "title": "Your stay",
            "formFields": [
                {
                    "elementType": "textInput",
                    "elementId": "name",
                    "label": "Your name",
                    "optional": False,
                },
                {
                    "elementType": "dropdown",
                    "elementId": "room",
                    "label": "Room",
                    "options": [
                        {"value": "single", "label": "Single room"},
                        {"value": "double", "label": "Double room"},
                    ],
                },
            ],
            "submitElement": {
                "elementType": "button",
                "elementId": "submit",
                "buttonText": "Book",
                "action": {"actionType": "customAction"},
            },
        },
        "interactionGoal": {"type": "anyOf", "elementIds": ["submit"]},
    },
}
CARD = {
    "category": "interactive",
    "type": "card",
    "data": {
        "interactiveData": {
            "text": "The path over the ridge",
            "imageUrl": "https://example.com/ridge.jpg",
            "cardActions": [
                {
                    "elementType": "button",
                    "elementId": "map",
                    "buttonText": "Open the map",
                    "action": {"actionType": "urlNavigation", "url": "https://example.com/map"},
                }
            ],
        }
    },
}
SCHEDULER = {
    "category": "interactive",
    "type": "scheduler",
    "data": {
        "interactiveData": {
            "title": "Meet a guide",
            "duration": 30,
            "timezoneCode": "Europe/Berlin",
            "availability": {"monday": [{"from": "0900", "to": "1700"}]},
            "scheduleElement": {
                "elementType": "button",
                "elementId": "book",
                "buttonText": "Book",
                "action": {"actionType": "apiAction", "url": "https://example.com/book"},
            },
        }
    },
}
IMAGE = {
    "type": "image",
    "data": {
        "text": "The view from the top",
        "attachments": [
            {
                "url": "https://example.com/top.jpg",
                "name": "top.jpg",
                "mimeType": "image/jpeg",
                "extension": "jpg",
                "size": 120000,
            }
        ],
    },
}
TEXT = {"data": {"text": "Hello, Ben!"}, "muid": "greeting-1"}
PAST = 1_710_000_000
HOOK = {"webhookId": "my-server"}
SAMPLE = HOOK | {"deliveryId": "@sample"}
WEBHOOKS = [
    Step("list_triggers", query=PAGE),
    Step(
        "create_webhook",
        {
            "id": "my-server",
            "name": "My server",
            "webhookURL": "https://example.com/hubbub",
            "useBasicAuth": True,
            "username": "hubbub",
            "password": "open sesame",
        },
    ),
    Step("list_webhooks", query=PAGE),
    Step("get_webhook", path=HOOK),
    Step("attach_triggers", {"triggerIds": ["message_sent", "group_created"]}, HOOK),
    Step("list_attached_triggers", path=HOOK, query=PAGE),
    Step("get_webhook_secret", path=HOOK),
    Step("rotate_webhook_secret", {"overlapSeconds": 3600}, HOOK),
    Step("test_webhook", path=HOOK),
    Step("list_webhook_deliveries", path=HOOK, query=PAGE | {"state": "failed"}),
    Step("get_webhook_delivery", path=SAMPLE),
    Step("replay_webhook_delivery", path=SAMPLE),
    Step(
        "replay_webhook_deliveries",
        {"fromTimestamp": PAST, "toTimestamp": PAST + 10**9, "state": "failed"},
        HOOK,
    ),
    Step("update_webhook", {"retryOnFailure": True}, HOOK),
    Step("detach_triggers", {"triggerIds": ["group_created"]}, HOOK),
    Step("delete_webhook", path=HOOK),
]


def of_app(step: Step) -> Step:
    """Return the same call, by a manager."""
    path = {"appId": "my-app", **step.path}
    return replace(step, operation=f"{step.operation}_of_app", path=path)


SEPTEMBER = {"fromDate": 1_788_220_800, "toDate": 1_790_812_799}

STORY = [
    Step("create_app", {"id": "my-app", "name": "My app"}),
    Step("list_apps"),
    Step("get_app", path={"appId": "my-app"}),
    user("anna", "Anna Keller"),
    user("ben", "Ben Osei", ""),
    user("chiara", "Chiara Rossi", ""),
    user("dai", "Dai Evans", ""),
    Step("list_users", query=PAGE),
    Step("get_user", path={"uid": "anna"}),
    Step("update_user", {"statusMessage": "Out hiking", "tags": ["guides"]}, {"uid": "anna"}),
    Step("create_authtoken", {"expiresIn": 604_800, "device": "Ben's phone"}, BEN),
    Step("list_authtokens", path=BEN, query=PAGE),
    Step("get_authtoken", path=BEN | TOKEN),
    Step("update_authtoken", {"platform": "android", "userAgent": "Chat/1.0"}, BEN | TOKEN),
    Step("delete_authtoken", path=BEN | TOKEN),
    Step("create_authtoken", {"force": True}, BEN, name=""),
    Step("list_sessions", path=BEN, query=PAGE),
    Step("end_session", path=BEN | {"sessionId": "@session"}),
    Step("flush_authtokens", path=BEN),
    Step(
        "set_identity_provider",
        {
            "issuer": "https://id.example.com/",
            "audience": "chat",
            "jwksUrl": "https://id.example.com/.well-known/jwks.json",
            "createUsers": True,
        },
    ),
    Step("get_identity_provider"),
    Step("revoke_jwts"),
    Step("delete_identity_provider"),
    Step("create_apikey", {"name": "Sign-in on the web", "scope": "authOnly"}),
    Step("list_apikeys"),
    Step("get_apikey", path=KEY),
    Step("update_apikey", {"name": "Sign-in on phones"}, KEY),
    Step("delete_apikey", path=KEY),
    Step("set_settings", {"settings": {"limits.groupMembers": 500}}),
    Step("list_settings"),
    Step("reset_settings", {"keys": ["limits.groupMembers"]}),
    Step("create_role", {"role": "guide", "name": "Guide"}),
    Step("list_roles", query=PAGE),
    Step("get_role", path=GUIDE),
    Step("update_role", {"description": "Leads tours"}, GUIDE),
    Step("set_role_permissions", {"permissions": {"sendMessage": "deny"}}, GUIDE),
    Step("list_role_permissions", path=GUIDE),
    Step("unset_role_permissions", path=GUIDE | {"permission": "sendMessage"}),
    Step("restrict_features", {"featuresToRestrict": ["u.createGroup"]}, GUIDE),
    Step("get_restrictedfeatures", path=GUIDE),
    Step("allow_features", {"featuresToAllow": ["u.createGroup"]}, GUIDE),
    Step("delete_role", path=GUIDE),
    Step("create_group", {"guid": "hikers", "name": "Hikers", "type": "public"}, as_="anna"),
    Step("list_groups", query=PAGE, as_="anna"),
    Step("get_group", path=HIKERS, as_="anna"),
    Step("update_group", {"name": "Hikers of the north"}, HIKERS, as_="anna"),
    Step(
        "add_group_members",
        {"moderators": ["ben"], "participants": ["chiara", "dai"]},
        HIKERS,
        as_="anna",
    ),
    Step("list_group_members", path=HIKERS, query=PAGE, as_="anna"),
    Step("change_group_member_scope", {"scope": "admin"}, HIKERS | BEN, as_="anna"),
    Step("set_scope_permissions", {"permissions": {"sendMessage": "deny"}}, MODERATORS),
    Step("list_scope_permissions", path=MODERATORS),
    Step("unset_scope_permissions", path=MODERATORS | {"permission": "sendMessage"}),
    Step("ban_group_user", path=HIKERS | DAI, as_="anna"),
    Step("list_banned_group_users", path=HIKERS, query=PAGE, as_="anna"),
    Step("unban_group_user", path=HIKERS | DAI, as_="anna"),
    Step("ban_group_member", path=HIKERS | DAI, as_="anna"),
    Step("list_banned_group_members", path=HIKERS, query=PAGE, as_="anna"),
    Step("unban_group_member", path=HIKERS | DAI, as_="anna"),
    Step("kick_group_member", path=HIKERS | {"uid": "chiara"}, as_="anna"),
    send("text", TEXT),
    send("image", IMAGE),
    send("custom", {"category": "custom", "type": "place", "data": {"customData": {"lat": 52.5}}}),
    send("form", FORM),
    send("poll", POLL),
    send("card", CARD),
    send("scheduler", SCHEDULER),
    send(
        "customInteractive",
        {
            "category": "interactive",
            "type": "customInteractive",
            "data": {"interactiveData": {"quiz": "Which peak is this?"}},
        },
    ),
    send(
        "toMany",
        {
            "multipleReceivers": {"uids": ["ben"], "guids": ["hikers"]},
            "data": {"text": "See you on Sunday"},
        },
    ),
    send(
        "toGroup",
        {"receiver": "hikers", "receiverType": "group", "data": {"text": "Who comes along?"}},
    ),
    Step("get_message_details", path={"id": "@text"}, as_="anna"),
    Step("list_all_messages", query={"limit": 1, "affix": "prepend"}, as_="anna"),
    Step(
        "list_user_messages",
        path={"uid": "anna"},
        query={"limit": 2, "affix": "prepend"},
        as_="ben",
        name="newest",
    ),
    Step(
        "list_user_messages", path={"uid": "anna"}, query={"count": "true"}, as_="ben", name="count"
    ),
    Step("list_group_messages", path=HIKERS, query={"limit": 1, "affix": "prepend"}, as_="ben"),
    Step("update_message", {"data": {"text": "Hello again, Ben!"}}, {"id": "@text"}, as_="anna"),
    Step("list_message_versions", path={"id": "@text"}),
    Step("send_thread_message", {"data": {"text": "Hello, Anna!"}}, {"id": "@text"}, as_="ben"),
    Step("list_all_thread_messages", path={"id": "@text"}, query={"limit": 2}, as_="anna"),
    Step("count_replies", query={"ids": "@text"}, as_="anna"),
    Step("add_message_reactions", path={"id": "@text", "reaction": "👍"}, as_="ben"),
    Step("list_all_reactions", path={"id": "@text"}, query={"limit": 2}, as_="anna"),
    Step("get_message_reactions", path={"id": "@text", "reaction": "👍"}, as_="anna"),
    Step("remove_message_reactions", path={"id": "@text", "reaction": "👍"}, as_="ben"),
    Step("create_reason", {"id": "spam", "name": "Spam", "description": "Advertising."}),
    Step("list_reasons"),
    Step("get_reason_details", path={"id": "spam"}),
    Step("update_reason_details", {"name": "Spam or scam"}, {"id": "spam"}),
    Step(
        "flag_message",
        {"reasonId": "spam", "remark": "Third time today."},
        {"id": "@text"},
        as_="ben",
    ),
    Step("list_flagged_messages", query=PAGE),
    Step("review_flagged_message", {"status": "approved"}, {"id": "@text"}),
    Step("list_reviewed_messages", query=PAGE),
    Step("delete_reason", path={"id": "spam"}),
    Step("list_moderation_blocked_messages", query=PAGE),
    Step("appeal_blocked_message", {"remark": "It is a quote."}, {"id": "@blocked"}, as_="anna"),
    Step("review_blocked_message", {"status": "approved"}, {"id": "@blocked"}),
    Step("pin_message", path={"id": "@text"}, as_="anna"),
    Step("unpin_message", path={"id": "@text"}, as_="anna"),
    Step("save_message", path={"id": "@text"}, as_="ben"),
    Step("unsave_message", path={"id": "@text"}, as_="ben"),
    Step("mark_interacted", {"interactions": ["map"]}, {"id": "@card"}, as_="ben"),
    Step(
        "submit_message_form",
        {"formData": {"name": "Ben", "room": "single"}},
        {"id": "@form"},
        as_="ben",
    ),
    Step("list_message_submissions", path={"id": "@form"}, query={"limit": 2}, as_="anna"),
    Step("vote_in_poll", {"options": [1]}, {"id": "@poll"}, as_="ben"),
    Step("list_poll_votes", path={"id": "@poll"}, query={"limit": 2}, as_="anna"),
    Step("take_votes_back", path={"id": "@poll"}, as_="ben"),
    Step("close_message_poll", path={"id": "@poll"}, as_="anna"),
    Step("mark_conversation_as_delivered", {"messageId": "@form"}, {"uid": "anna"}, as_="ben"),
    Step("mark_conversation_as_read", {"messageId": "@form"}, {"uid": "anna"}, as_="ben"),
    Step("mark_conversation_as_unread", {"messageId": "@image"}, {"uid": "anna"}, as_="ben"),
    Step("mark_group_conversation_as_delivered", {}, HIKERS, as_="ben"),
    Step("mark_group_conversation_as_read", {}, HIKERS, as_="ben"),
    Step("mark_group_conversation_as_unread", {"messageId": "@toGroup"}, HIKERS, as_="ben"),
    Step("list_message_receipts", path={"id": "@text"}, query={"limit": 2}, as_="anna"),
    Step("list_all_conversations", query=PAGE, as_="ben"),
    Step("get_user_conversation", path={"uid": "anna"}, as_="ben"),
    Step("set_user_retention", {"disappearAfter": 3600, "disappearFrom": "read"}, BEN, as_="anna"),
    Step("get_user_retention", path=BEN, as_="anna"),
    Step("get_group_conversation", path=HIKERS, as_="ben"),
    Step("get_conversation", path=ANNAS_AND_BENS, as_="ben"),
    Step("update_user_conversation", {"tags": ["family"]}, {"uid": "anna"}, as_="ben"),
    Step("update_group_conversation", {"tags": ["weekend"]}, HIKERS, as_="ben"),
    Step("pin_user_conversation", path={"uid": "anna"}, as_="ben"),
    Step("unpin_user_conversation", path={"uid": "anna"}, as_="ben"),
    Step("pin_group_conversation", path=HIKERS, as_="ben"),
    Step("unpin_group_conversation", path=HIKERS, as_="ben"),
    Step("delete_message", {"permanent": True}, {"id": "@image"}, as_="anna"),
    Step("reset_user_conversation", {}, {"uid": "anna"}, as_="ben"),
    Step("reset_group_conversation", {}, HIKERS, as_="ben"),
    Step("delete_conversation", path=ANNAS_AND_BENS, as_="anna"),
    Step(
        "update_contact_details", {"email": "anna@example.com", "phno": "+14155552671"}, as_="anna"
    ),
    Step("get_contact_details", as_="anna"),
    Step("delete_contact_details", as_="anna"),
    *NOTIFICATIONS,
    Step(
        "add_fcm_provider",
        {
            "providerId": "my-fcm",
            "serviceAccountCreds": {
                "project_id": "my-project",
                "client_email": "push@my-project.iam.gserviceaccount.com",
                "private_key": PEM,
                "private_key_id": "1a2b3c",
            },
        },
    ),
    Step("update_fcm_provider", {"providerId": "my-fcm", "serviceAccountFilename": "push.json"}),
    Step("list_fcm_providers"),
    Step("choose_default_fcm_provider", path=FCM),
    Step("delete_fcm_provider", path=FCM),
    Step(
        "add_apns_provider",
        {
            "providerId": "my-apns",
            "keyId": "ABC123DEFG",
            "teamId": "ABCDE12345",
            "bundleId": "com.example.chat",
            "p8Key": PEM,
        },
    ),
    Step("update_apns_provider", {"providerId": "my-apns", "productionMode": True}),
    Step("list_apns_providers"),
    Step("choose_default_apns_provider", path=APNS),
    Step("delete_apns_provider", path=APNS),
    Step("add_webpush_provider", {"providerId": "my-web", "subject": "mailto:chat@example.com"}),
    Step("list_webpush_providers"),
    Step("delete_webpush_provider", path={"providerId": "my-web"}),
    *custom_provider("push", {}),
    Step(
        "save_sendgrid_provider",
        {
            "sendGridApiKey": "SG.1a2b3c",
            "sendGridTemplateID": "d-1a2b3c4d5e6f",
            "sendGridUnsubscribeGroupID": "12345",
            "senderName": "Example Chat",
            "senderEmail": "chat@example.com",
            "allowEmailReplies": True,
            "senderEmailForReplies": "chat@replies.example.com",
            "isEnabled": True,
        },
    ),
    Step("update_sendgrid_provider", {"senderName": "Chat"}),
    Step("get_sendgrid_provider"),
    Step("delete_sendgrid_provider"),
    Step(
        "save_smtp_provider",
        {
            "host": "mail.example.com",
            "port": 587,
            "username": "chat",
            "password": "a secret",
            "security": "starttls",
            "senderName": "Example Chat",
            "senderEmail": "chat@example.com",
        },
    ),
    Step("update_smtp_provider", {"port": 465, "security": "tls"}),
    Step("get_smtp_provider"),
    Step("delete_smtp_provider"),
    *custom_provider("email", {"useStoredEmailID": True}),
    Step(
        "save_twilio_provider",
        {
            "twilioAccountSID": "AC00000000000000000000000000000000",
            "twilioAuthToken": "a-secret",
            "twilioSenderPhoneNumber": "+14155552671",
            "isEnabled": True,
        },
    ),
    Step("test_notification", {"uid": "ben", "messageId": "@toGroup"}),
    Step("update_twilio_provider", {"isEnabled": False}),
    Step("get_twilio_provider"),
    Step("delete_twilio_provider"),
    *custom_provider("sms", {"useStoredPhNo": True}),
    Step("list_notification_logs", query={"channel": "push", "receiver": "ben"}),
    *WEBHOOKS,
    *map(of_app, WEBHOOKS),
    Step("block_users", {"blockedUids": ["dai"]}, {"uid": "anna"}),
    Step("list_blocked_users", path={"uid": "anna"}, query=PAGE),
    Step("unblock_users", {"blockedUids": ["dai"]}, {"uid": "anna"}),
    Step("create_bot", {"uid": "weather", "name": "Weather"}),
    Step("list_bots", query=PAGE),
    Step("get_bot", path={"uid": "weather"}),
    Step("update_bot", {"name": "Weather report"}, {"uid": "weather"}),
    Step(
        "send_bot_message",
        {"receiver": "hikers", "receiverType": "group", "data": {"text": "Sunny, 14 °C"}},
        {"uid": "weather"},
    ),
    Step("delete_bot", path={"uid": "weather"}),
    Step("add_friend", {"accepted": ["ben"]}, {"uid": "anna"}),
    Step("list_all_friends", path={"uid": "anna"}, query=PAGE),
    Step("remove_friend", {"friends": ["ben"]}, {"uid": "anna"}),
    Step("import_users", {"users": {"ella": {"uid": "ella", "name": "Ella", "createdAt": PAST}}}),
    Step(
        "import_groups",
        {
            "groups": {
                "readers": {
                    "guid": "readers",
                    "name": "Readers",
                    "type": "public",
                    "owner": "ella",
                    "createdAt": PAST,
                }
            }
        },
    ),
    Step(
        "import_members",
        {
            "members": {
                "readers_member_ben": {
                    "memberId": "readers_member_ben",
                    "guid": "readers",
                    "uid": "ben",
                    "joinedAt": PAST + 60,
                }
            }
        },
    ),
    Step(
        "import_messages",
        {
            "messages": {
                "old-1": {
                    "muid": "old-1",
                    "sender": "ella",
                    "receiverType": "group",
                    "receiver": "readers",
                    "sentAt": PAST + 120,
                    "data": {"text": "Which book is next?"},
                }
            }
        },
    ),
    Step("ask_for_import", {"url": "https://example.com/export.zip", "from": "slack"}),
    Step("list_imports"),
    Step("get_import", path={"importId": "@ask_for_import"}),
    Step("list_refused_rows", path={"importId": "@ask_for_import"}),
    Step("cancel_import", path={"importId": "@ask_for_import"}),
    Step("ask_for_export", {"group": "readers"}),
    Step("list_exports"),
    Step("get_export", path={"exportId": "@ask_for_export"}),
    Step("delete_export", path={"exportId": "@ask_for_export"}),
    Step(
        "create_rule_keyword",
        {"id": "advertising", "category": "word", "searchTerms": ["buy now", "free money"]},
    ),
    Step("list_rule_keywords", query={"limit": 1}),
    Step("get_rule_keyword", path={"keywordId": "advertising"}),
    Step(
        "update_rule_keyword",
        {"searchTerms": ["buy now", "free money", "limited offer"]},
        {"keywordId": "advertising"},
    ),
    Step(
        "create_rule",
        {
            "id": "no-advertising",
            "name": "No advertising",
            "description": "Please don't advertise here.",
            "filters": [
                {
                    "type": "sender",
                    "entity": "user",
                    "operand": "role",
                    "operator": "equals",
                    "value": "staff",
                    "exempt": True,
                }
            ],
            "conditions": [
                {
                    "category": "word",
                    "value": ["advertising"],
                    "isKeywordsReferencePresent": True,
                },
                {"operand": "rate", "value": "10/60"},
            ],
            "action": ["blockMessage"],
        },
    ),
    Step("list_rules", query={"limit": 1}),
    Step("get_rule", path={"ruleId": "no-advertising"}),
    Step("update_rule", {"action": ["flagMessage"]}, {"ruleId": "no-advertising"}),
    Step("list_rule_revisions", path={"ruleId": "no-advertising"}),
    Step("try_moderation_rule", {"limit": 1000}, {"ruleId": "no-advertising"}),
    Step("delete_rule", path={"ruleId": "no-advertising"}),
    Step("delete_rule_keyword", path={"keywordId": "advertising"}),
    Step("set_group_retention", {"days": 365}, path=HIKERS),
    Step("get_group_retention", path=HIKERS),
    Step("set_user_hold", {"hold": True}, BEN),
    Step("set_group_hold", {"hold": True}, HIKERS),
    Step("set_app_hold", {"hold": False}),
    Step("list_legal_holds"),
    Step("list_retention_runs"),
    Step("get_usage_metrics", query=SEPTEMBER),
    Step("get_message_metrics"),
    Step("deactivate_users", {"uidsToDeactivate": ["dai"]}),
    Step("reactivate_users", {"uidsToActivate": ["dai"]}),
    Step("delete_user", {"permanent": True}, DAI),
    Step("list_events", name="begin"),
    Step("delete_group", path=HIKERS, as_="anna"),
    Step("list_events", query={"since": "@cursor", "wait": 20}, name="goOn"),
    Step("list_set_aside_events", query=PAGE),
    send("scheduled", {"data": {"text": "Good morning!"}, "sendAt": 1_795_000_000}),
    Step("list_scheduled_messages", query=PAGE, as_="anna"),
    Step("get_scheduled_message", path={"id": "@scheduled"}, as_="anna"),
    Step("change_scheduled_message", {"sendAt": 1_795_003_600}, {"id": "@scheduled"}, as_="anna"),
    Step("send_scheduled_message", path={"id": "@scheduled"}, as_="anna"),
    send("cancelled", {"data": {"text": "Lunch?"}, "sendAt": 1_795_000_000}),
    Step("cancel_scheduled_message", path={"id": "@cancelled"}, as_="anna"),
    send("wanted", {"data": {"text": "Shall we meet on Monday?"}}),
    Step("set_reminder", {"at": 1_795_000_000}, {"id": "@wanted"}, as_="ben"),
    Step("list_reminders", query=PAGE, as_="ben"),
    Step("remove_reminder", path={"id": "@wanted"}, as_="ben"),
    Step("put_draft", {"data": {"text": "Dear Anna, "}}, ANNAS_AND_BENS, as_="ben"),
    Step("get_draft", path=ANNAS_AND_BENS, as_="ben"),
    Step("list_drafts", query=PAGE, as_="ben"),
    Step("remove_draft", path=ANNAS_AND_BENS, as_="ben"),
    send("growing", {"growing": True, "data": {"text": "Once"}, "notify": "finished"}),
    Step(
        "append_message",
        {"text": " upon a time", "sequence": 1},
        {"id": "@growing"},
        as_="anna",
    ),
    Step(
        "append_messages",
        {"appends": [{"id": "@growing", "text": ", there was a bot.", "sequence": 2}]},
        as_="anna",
    ),
    Step("stop_message", path={"id": "@growing"}, as_="ben"),
    Step("finish_message", {"status": "done"}, {"id": "@growing"}, as_="anna"),
    Step("delete_app", path={"appId": "my-app"}),
]
"""A step whose example has no name is a preparation only."""
