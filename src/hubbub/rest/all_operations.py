"""Every area's operations: importing this module declares them all."""

from hubbub.rest import (
    apps,
    banned_users,
    blocked_users,
    contact_details,
    friends,
    groups,
    imports,
    keys,
    members,
    messages,
    permissions,
    providers,
    restricted_features,
    roles,
    tokens,
    users,
)

__all__ = [
    "apps",
    "banned_users",
    "blocked_users",
    "contact_details",
    "friends",
    "groups",
    "imports",
    "keys",
    "members",
    "messages",
    "permissions",
    "providers",
    "restricted_features",
    "roles",
    "tokens",
    "users",
]
