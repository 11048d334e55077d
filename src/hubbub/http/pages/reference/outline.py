"""The order of the reference: areas in groups, short titles, and the words that find them."""

import re
from collections.abc import Iterable, Iterator, Sequence

GROUPS = {
    "Chat": ("Messages", "Scheduled Messages", "Reminders", "Conversations", "Drafts"),
    "People": ("Users", "Auth Tokens", "Identity Provider", "Friends", "Blocked Users", "Bots"),
    "Groups": ("Groups", "Group Members", "Banned Users"),
    "Moving in": ("Imports", "Exports", "Data Import"),
    "Rights": ("Roles", "RBAC", "Restrict Features"),
    "Events": ("Events", "Webhooks"),
    "Moderation": (
        "Moderation",
        "Moderation - Reasons",
        "Moderation - Flagged Messages",
        "Moderation - Blocked Messages",
        "Moderation - Reviewed Messages",
    ),
    "Administration": ("Apps", "API Keys", "Settings", "Retention", "Notifications", "Metrics"),
}
"""The areas in the order in which a newcomer needs them."""
OTHERS = "More"
WORDS = {
    "Upload files": "image, picture, photo, video, audio, attachment, media",
    "Sign users in and out": "sign in, sign out, sign-in, password, session",
    "Rate limits": "rate limit, throttling, quota, 429",
    "Pages of other origins": "CORS, browser, cross-origin, Access-Control-Allow-Origin",
    "Scale": "scale, scaling, cluster, nodes, workers, performance, high availability",
    "Realtime": "realtime, websocket, socket, push, live, typing, presence",
    "Retry safely": "idempotency, idempotent, duplicate, timeout",
    "Pages of a list": "pagination, paging, cursor, limit",
    "send_message": "send, post, chat, direct message",
    "delete_user": "delete user, delete account, GDPR, erase, erasure, privacy",
    "create_authtoken": "token, login, log in, auth token, session",
    "set_identity_provider": "JWT, JWKS, OIDC, OpenID, SSO, Auth0, Keycloak, single sign-on",
    "list_sessions": "sessions, devices, logged in",
    "delete_authtoken": "logout, log out, revoke",
    "send_thread_message": "reply, answer, thread",
    "count_replies": "number of replies, reply count, thread",
    "list_all_conversations": "unread, unread count, inbox, chats",
    "create_user": "sign up, register, account",
    "create_group": "room, channel, group chat",
    "mark_conversation_as_read": "seen, read, unread badge",
    "register_push_token": "device, push notification, FCM, APNs",
    "update_message": "edit",
    "vote_in_poll": "poll, survey, vote, ballot",
    "add_message_reactions": "emoji, like, reaction",
}
"""What newcomers type who look for a guide, by its heading, or for an operation, by its id."""
_ASIDE = re.compile(r"[.,:;](?:\s|$)")


def title_of(summary: str) -> str:
    """Return the part of a summary that fits into a list of operations."""
    return _ASIDE.split(summary)[0].replace("`", "")


def tag_groups(tags: Sequence[str]) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield the groups of areas; an area that has no group yet is in the last one."""
    placed = {tag for group in GROUPS.values() for tag in group}
    for name, group in {**GROUPS, OTHERS: [tag for tag in tags if tag not in placed]}.items():
        if named := [tag for tag in group if tag in tags]:
            yield name, named
