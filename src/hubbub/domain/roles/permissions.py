"""The permissions that roles and scopes can have, and the values of each."""

from collections.abc import Mapping
from dataclasses import dataclass

from hubbub.kernel.errors import BadInput, Refusal
from hubbub.kernel.text import normalise_id
from hubbub.records.conversations.model import GROUP, USER
from hubbub.records.groups.model import PASSWORD, PRIVATE, PUBLIC
from hubbub.records.members.model import SCOPES
from hubbub.records.messages.model import ACTION, CUSTOM, INTERACTIVE, MESSAGE
from hubbub.records.roles.model import ALL, ALLOW, DENY, FRIENDS, Value

MOST_ITEMS = 100
LONGEST_ITEM = 100

_VERB = (ALLOW, DENY)
_MODE = (ALL, FRIENDS)
_GROUP_TYPES = (PUBLIC, PRIVATE, PASSWORD)
_RECEIVERS = (USER, GROUP)
_MESSAGE_TYPES = ("text", "image", "audio", "video", "file")
_CATEGORIES = (MESSAGE, CUSTOM, INTERACTIVE)
_LISTED_CATEGORIES = (*_CATEGORIES, ACTION)  # users can't send action messages
_CALL_TYPES = ("audio", "video")
_ANY: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Permission:
    """One permission: a word, or a list of words."""

    id: str
    title: str
    words: tuple[str, ...]
    """The allowed words, the default of a single word first; empty: any word."""
    is_list: bool = False
    names_roles: bool = False
    takes_word: bool = False
    """Whether a list may be given as a single word, as the interface shows it for scopes."""

    @property
    def default(self) -> Value:
        """Return the value that holds if none is set: it restricts nothing."""
        return [] if self.is_list else self.words[0]


def _word(id_: str, title: str, words: tuple[str, ...] = _VERB) -> Permission:
    return Permission(id_, title, words)


def _list(id_: str, title: str, words: tuple[str, ...]) -> Permission:
    return Permission(id_, title, words, is_list=True)


def _list_or_word(id_: str, title: str, words: tuple[str, ...]) -> Permission:
    return Permission(id_, title, words, is_list=True, takes_word=True)


def _roles(id_: str, title: str) -> Permission:
    return Permission(id_, title, _ANY, is_list=True, names_roles=True)


def _by_id(*permissions: Permission) -> dict[str, Permission]:
    return {permission.id: permission for permission in permissions}


ROLE_PERMISSIONS = _by_id(
    _word("createGroup", "Create groups"),
    _list("createGroup.allowedGroupTypes", "Types of group that may be created", _GROUP_TYPES),
    _word("listUsers", "List users"),
    _word("listUsers.mode", "Whom lists of users show", _MODE),
    _roles("listUsers.allowedRoles", "Roles of the users that lists show"),
    _word("getUserDetails.mode", "Whose profile may be seen", _MODE),
    _roles("getUserDetails.allowedRoles", "Roles of the users whose profile may be seen"),
    _word("sendMessage", "Send messages"),
    _word("sendMessage.mode", "To whom messages may be sent", _MODE),
    _list("sendMessage.allowedReceiverTypes", "Types of receiver of messages", _RECEIVERS),
    _roles("sendMessage.allowedReceiverRoles", "Roles of the users who may be written to"),
    _list("sendMessage.allowedMessageTypes", "Types of message that may be sent", _MESSAGE_TYPES),
    _list(
        "sendMessage.allowedMessageCategories",
        "Categories of message that may be sent",
        _CATEGORIES,
    ),
    _list("sendMessage.allowedCustomTypes", "Types of custom message that may be sent", _ANY),
    _list("sendMessage.allowedMimeTypes", "MIME types of attachments that may be sent", _ANY),
    _word("editMessage", "Edit messages"),
    _list("editMessage.denyForScopes", "Scopes that may not edit messages in groups", SCOPES),
    _word("deleteMessage", "Delete messages"),
    _list("deleteMessage.denyForScopes", "Scopes that may not delete messages in groups", SCOPES),
    _word("initiateCall", "Start calls"),
    _word("initiateCall.mode", "Who may be called", _MODE),
    _roles("initiateCall.allowedReceiverRoles", "Roles of the users who may be called"),
    _word("listGroups", "List groups"),
    _list("listGroups.allowedGroupTypes", "Types of group that lists show", _GROUP_TYPES),
    _word("joinGroup", "Join groups"),
    _list("joinGroup.allowedGroupTypes", "Types of group that may be joined", _GROUP_TYPES),
    _list(
        "listMessages.allowedMessageCategories",
        "Categories of message that lists show",
        _LISTED_CATEGORIES,
    ),
    _list("listMessages.allowedMessageTypes", "Types of message that lists show", _MESSAGE_TYPES),
)
"""The permissions of roles, by id."""

SCOPE_PERMISSIONS = _by_id(
    _word("sendMessage", "Send messages"),
    _word("sendThreadedMessage", "Reply in threads"),
    _word("editMessage", "Edit messages"),
    _word("addReaction", "Add reactions"),
    _word("listMembers", "List the members"),
    _list_or_word("listMembers.allowedScopes", "Scopes of the members that lists show", SCOPES),
    _word("listReactions", "List reactions"),
    _list_or_word(
        "listReactions.allowedScopes", "Scopes of the members whose reactions show", SCOPES
    ),
    _word("initiateCall", "Start calls", (*_VERB, FRIENDS)),
    _list_or_word("initiateCall.allowedScopes", "Scopes of the members who may be called", SCOPES),
    _list_or_word("initiateCall.allowedType", "Types of call that may be started", _CALL_TYPES),
)
"""The permissions of scopes in a group, by id."""

Permissions = Mapping[str, Permission]
Values = dict[str, Value]


class PermissionUnknown(BadInput):
    """The permission does not exist."""

    def __init__(self, id_: str, field: str) -> None:
        super().__init__(
            "Failed to validate the data sent with the request.",
            details={field: [f"The permission {id_} does not exist here."]},
            dev_message="List the permissions to see which exist.",
        )


def access_permission(catalogue: Permissions, id_: str) -> Permission:
    """Return the permission with an id.

    Raises:
        PermissionUnknown: the permission does not exist.
    """
    if id_ not in catalogue:
        raise PermissionUnknown(id_, "permission")
    return catalogue[id_]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The permissions that a role or a scope can have, and the times to show for them."""

    permissions: Permissions
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True)
class CheckedValues:
    """The valid values and the refusals of the others, by id."""

    values: Values
    refusals: dict[str, Refusal]


@dataclass(frozen=True, slots=True)
class PermissionOutcome:
    """The values after a change, and the refusals of invalid ones, by id."""

    permissions: Values
    refusals: Mapping[str, Refusal]


def check_values(catalogue: Permissions, wanted: Mapping[str, object]) -> CheckedValues:
    """Split values into valid ones and refusals; a refusal does not affect the other values."""
    checked = CheckedValues({}, {})
    for id_, value in wanted.items():
        try:
            checked.values[id_] = _check_value(catalogue, id_, value)
        except BadInput as refusal:
            checked.refusals[id_] = refusal
    return checked


def without_permission(values: Values, permission: Permission) -> Values:
    """Return the values without those of a permission."""
    return {id_: value for id_, value in values.items() if id_ != permission.id}


def _check_value(catalogue: Permissions, id_: str, value: object) -> Value:
    """Return a value as stored.

    Raises:
        BadInput: the permission is unknown, or the value is of another type or not allowed.
    """
    field = f"permissions.{id_}"
    permission = catalogue.get(id_)
    if permission is None:
        raise PermissionUnknown(id_, field)
    if isinstance(value, str) and (permission.takes_word or not permission.is_list):
        return _check_word(permission, value, field)
    if not permission.is_list or not isinstance(value, list):
        raise BadInput.field(field, f"The {field} must be {_kind_of(permission)}.")
    if len(value) > MOST_ITEMS:
        raise BadInput.field(
            field, f"The {field} may have at most {MOST_ITEMS} items, not {len(value)}."
        )
    return [_check_word(permission, item, f"{field}.{place}") for place, item in enumerate(value)]


def _kind_of(permission: Permission) -> str:
    """Return what a value of a permission must be, with an example."""
    example = permission.words[0] if permission.words else "…"
    return f'a list of strings, such as ["{example}"]' if permission.is_list else "a string"


def _check_word(permission: Permission, item: object, field: str) -> str:
    if not isinstance(item, str):
        raise BadInput.field(field, f"The {field} must be a string.")
    if permission.names_roles:
        return normalise_id(item, field)
    if permission.words and item not in permission.words:
        raise BadInput.field(field, f"The {field} must be one of {', '.join(permission.words)}.")
    if not 0 < len(item) <= LONGEST_ITEM or "\0" in item:
        raise BadInput.field(
            field, f"The {field} must have 1 to {LONGEST_ITEM} characters, none of them U+0000."
        )
    return item
