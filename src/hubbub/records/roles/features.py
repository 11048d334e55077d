"""The features that can be restricted for a role: their keys, titles and calls."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.kernel.errors import BadInput
from hubbub.records.roles.model import PermissionDenied

PREFIX = "u."


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature; `path` is that of its call, as the interface spells it."""

    key: str
    title: str
    path: str

    @property
    def public_key(self) -> str:
        """Return the key as the interface shows it."""
        return PREFIX + self.key


class FeatureRestricted(PermissionDenied):
    """The feature is restricted for the role of the acting user."""

    def __init__(self, role: str, key: str) -> None:
        super().__init__(
            PREFIX + key, f"The feature {PREFIX}{key} is restricted for the role {role}."
        )


_GROUP = "/v3/groups/{{guid}}"
_MEMBERS = f"{_GROUP}/members"
_MEMBER = f"{_MEMBERS}/{{{{uid}}}}"
_BAN = f"{_GROUP}/bannedusers/{{{{uid}}}}"
_USER = "/v3/users/{{uid}}"
_MESSAGE = "/v3/messages/{{id}}"
_CALLS = "/v3/calls"

_TABLE = (
    ("addMember", "Add a member to a group", _MEMBERS),
    ("ban", "Ban a user from a group", _BAN),
    ("blockUser", "Block users", f"{_USER}/blockedusers"),
    ("changeScope", "Change the scope of a member", _MEMBER),
    ("createCall", "Start a call", _CALLS),
    ("createGroup", "Create a group", "/v3/groups"),
    ("createMessage", "Send a message", "/v3/messages"),
    ("createMessageThread", "Reply in a thread", f"{_MESSAGE}/thread"),
    ("deleteCall", "Delete a call", f"{_CALLS}/{{{{sessionId}}}}"),
    ("deleteConversationForUser", "Delete an own conversation", f"{_USER}/conversation"),
    ("deleteGroup", "Delete a group", _GROUP),
    ("deleteGroupMessages", "Delete the messages of a group", f"{_GROUP}/messages"),
    ("deleteMessage", "Delete a message", _MESSAGE),
    ("getBlockedUsers", "List blocked users", f"{_USER}/blockedusers"),
    ("getCall", "Get a call", f"{_CALLS}/{{{{sessionId}}}}"),
    ("getConversation", "Get a conversation", f"{_USER}/conversation"),
    ("getGroup", "Get a group", _GROUP),
    ("getGroupMessages", "List the messages of a group", f"{_GROUP}/messages"),
    ("getMember", "Get a member of a group", _MEMBER),
    ("getMessage", "Get a message", _MESSAGE),
    ("getMyDetails", "Get one's own profile", _USER),
    ("getUser", "Get a user", _USER),
    ("getUserMessages", "List the messages with a user", f"{_USER}/messages"),
    ("joinGroup", "Join a group", _MEMBERS),
    ("kickMember", "Remove a member from a group", _MEMBER),
    ("leaveGroup", "Leave a group", _MEMBER),
    ("listBannedUsers", "List the users banned from a group", f"{_GROUP}/bannedusers"),
    ("listCalls", "List calls", _CALLS),
    ("listConversations", "List conversations", "/v3/conversations"),
    ("listGroupMembers", "List the members of a group", _MEMBERS),
    ("listGroups", "List groups", "/v3/groups"),
    ("listMessages", "List messages", "/v3/messages"),
    ("listSettings", "List the settings of the app", "/v3/settings"),
    ("listThreadedMessages", "List the replies in a thread", f"{_MESSAGE}/thread"),
    ("listUsers", "List users", "/v3/users"),
    ("logout", "Log out", f"{_USER}/auth_tokens/{{{{authToken}}}}"),
    ("massMemberOperate", "Add or ban several members at once", _MEMBERS),
    ("patchOwner", "Hand on the ownership of a group", _GROUP),
    ("unban", "Lift a ban", _BAN),
    ("unblockUser", "Unblock users", f"{_USER}/blockedusers"),
    ("updateAuthToken", "Update an auth token", f"{_USER}/auth_tokens/{{{{authToken}}}}"),
    ("updateCall", "Update a call", f"{_CALLS}/{{{{sessionId}}}}"),
    ("updateGroup", "Update a group", _GROUP),
    ("updateMessage", "Edit a message", _MESSAGE),
)

FEATURES = {key: Feature(key, title, path) for key, title, path in _TABLE}


def find_feature(key: str) -> Feature | None:
    """Return the feature of a key, which may have the prefix `u.` or not."""
    return FEATURES.get(key.removeprefix(PREFIX))


def access_features(keys: Sequence[str], field: str) -> list[Feature]:
    """Return the features of the keys in `field`.

    Raises:
        BadInput: some keys are unknown; the details name each by its index.
    """
    found = [find_feature(key) for key in keys]
    unknown = {
        f"{field}.{place}": [f"The feature {key} does not exist."]
        for place, key in enumerate(keys)
        if found[place] is None
    }
    if unknown:
        raise BadInput.fields(unknown)
    return [feature for feature in found if feature is not None]
