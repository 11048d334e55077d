"""What a conversation is, its key, and the id that the wire shows."""

from dataclasses import dataclass

USER, GROUP = "user", "group"

Key = tuple[str, str, str]
"""(kind, left, right): ('user', lesser uid, greater uid) or ('group', guid, '')."""


def user_key(one: str, other: str) -> Key:
    """The key of the conversation of two people."""
    return (USER, one, other) if one <= other else (USER, other, one)


def group_key(guid: str) -> Key:
    """The key of a group's conversation."""
    return (GROUP, guid, "")


def conversation_id(key: Key) -> str:
    """The id on the wire; it is not unique, so nothing is ever found by it alone."""
    kind, left, right = key
    return f"group_{left}" if kind == GROUP else f"{left}_user_{right}"


def possible_keys(text: str) -> list[Key]:
    """The keys of all conversations that a wire id may mean; uids may hold `_user_` themselves."""
    keys = [group_key(text.removeprefix("group_"))] if text.startswith("group_") else []
    at = text.find("_user_")
    while at != -1:
        left, right = text[:at], text[at + len("_user_") :]
        if left and right and left <= right:
            keys.append((USER, left, right))
        at = text.find("_user_", at + 1)
    return keys


@dataclass(slots=True)
class Conversation:
    """A conversation's row; while messages are sent it moves on in memory, then is written."""

    number: int
    kind: str
    left_id: str
    right_id: str
    created_at: int
    updated_at: int
    last_id: int
    shown_id: int
    shown_at: int
    newest_sent_at: int
    counted: int

    @property
    def key(self) -> Key:
        return (self.kind, self.left_id, self.right_id)
