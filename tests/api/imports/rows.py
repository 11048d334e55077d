"""Rows to import, valid ones of every kind."""

from tests.api.messages.talk import past, to_user
from tests.clock import START
from tests.world import Json

BAD = "ERR_BAD_REQUEST"
KINDS = ["users", "groups", "members", "messages"]


def row_of(kind: str, number: int) -> tuple[str, Json]:
    """Return a valid row, with its key."""
    if kind == "users":
        return f"u{number}", {"uid": f"u{number}", "name": "U"}
    if kind == "groups":
        return f"g{number}", {"guid": f"g{number}", "name": "G", "type": "public"}
    if kind == "members":
        key = f"hikers_member_u{number}"
        return key, {"memberId": key, "guid": "hikers", "uid": f"u{number}", "joinedAt": START}
    return f"m{number}", {"muid": f"m{number}", **past("anna", to_user("ben"), START)}


def rows_of(kind: str, count: int) -> Json:
    """Return a number of valid rows."""
    return dict(row_of(kind, number) for number in range(count))


ANNA: Json = {
    "uid": "anna",
    "name": "Anna Keller",
    "avatar": "https://example.com/anna.png",
    "link": "https://example.com/~anna",
    "metadata": {"deep": [1, {"x": None}]},
    "tags": ["hiker", "Zürich", "hiker"],
    "createdAt": "1500000000",
    "lastActiveAt": 1600000000,
}


HIKERS: Json = {
    "guid": "hikers",
    "name": "The Hikers",
    "type": "private",
    "icon": "https://example.com/h.png",
    "metadata": {"a": 1},
    "tags": ["out", "door"],
    "createdAt": "1400000000",
}
