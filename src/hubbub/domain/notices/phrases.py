"""The bodies of notifications that have no template: reactions, edits, deletions, members, calls.

Like the default templates they follow the name of who did it, which is the title. The reference
leaves these texts open.
"""

from hubbub.domain.notices.occasions import Item, Occasion
from hubbub.domain.notices.templates import LONGEST_TEXT, cut, one_line

_LONGEST_NAME = 256
_MEMBERS = {
    Item.MEMBER_JOINED: "Has joined the group",
    Item.MEMBER_LEFT: "Has left the group",
    Item.MEMBER_ADDED: "Has added {name}",
    Item.MEMBER_KICKED: "Has removed {name}",
    Item.MEMBER_BANNED: "Has banned {name}",
    Item.MEMBER_UNBANNED: "Has lifted the ban of {name}",
    Item.MEMBER_SCOPE_CHANGED: "Has made {name} {scope}",
}
_SCOPES = {"admin": "an admin", "moderator": "a moderator", "participant": "a participant"}


def phrase(occasion: Occasion, *, body: str, is_own: bool, is_private: bool) -> str:
    """Return the body of what is no new message.

    `body` is that of the message by its template, `is_own` is for the sender of the message that
    has a reaction. For privacy, nothing is said of the content or of the reaction.
    """
    match occasion.item:
        case Item.REACTION:
            return _reaction(occasion, is_own=is_own, is_private=is_private)
        case Item.EDITED:
            return "Has edited a message" if is_private else cut(f"Edited: {body}", LONGEST_TEXT)
        case Item.DELETED:
            return "Has deleted a message"
        case item if item in _MEMBERS:
            return _member_action(occasion)
        case _:
            return f"{str(occasion.message.get('type', 'audio')).upper()} CALL"


def _reaction(occasion: Occasion, *, is_own: bool, is_private: bool) -> str:
    to = "to your message" if is_own else "to a message"
    if is_private:
        return f"Has reacted {to}"
    return f"Has reacted {cut(one_line(occasion.reaction), _LONGEST_NAME)} {to}"


def _member_action(occasion: Occasion) -> str:
    member = occasion.message["data"]["entities"]["on"]["entity"]
    scope = str(member.get("scope", ""))
    # One call of `replace` each, in this order: a name is never taken for a placeholder.
    said = _MEMBERS[occasion.item].replace("{scope}", _SCOPES.get(scope, scope))
    return said.replace("{name}", cut(one_line(str(member["name"])), _LONGEST_NAME))
