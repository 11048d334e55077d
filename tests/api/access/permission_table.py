"""The effects of role permissions, written by hand; `test_permission_effects.py` runs all of it.

A rule begins with a permission of Anna's role and its value. Below it are her calls and their
outcomes: `open` succeeds, `denied` is refused and names the permission, `hidden` is answered as if
the object did not exist.

Fred and Gina are her friends, Ben and Greta are not; Gina and Greta are guests like her, the others
have no role of their own. All of them are in the club. What is created or joined is a new group of
that type; `town.py` lists what can be sent.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

EFFECTS = """
createGroup "deny"
    denied  create public
    denied  create private
    denied  create password
    open    join public
    open    list groups

createGroup "allow"
    open    create public

createGroup.allowedGroupTypes ["public"]
    open    create public
    denied  create private
    denied  create password

createGroup.allowedGroupTypes ["password", "private"]
    denied  create public
    open    create private
    open    create password

createGroup.allowedGroupTypes []
    open    create public
    open    create private
    open    create password

listGroups "deny"
    denied  list groups
    denied  list public
    open    see club
    open    join public

joinGroup "deny"
    denied  join public
    denied  join password
    open    create public
    open    list groups

joinGroup.allowedGroupTypes ["public"]
    open    join public
    denied  join password

joinGroup.allowedGroupTypes ["password"]
    denied  join public
    open    join password

joinGroup.allowedGroupTypes []
    open    join public
    open    join password

listUsers "deny"
    denied  list users
    open    see ben
    open    send text to ben

getUserDetails.mode "friends"
    open    see anna
    open    see fred
    open    see gina
    hidden  see ben
    hidden  see greta
    open    list users

getUserDetails.mode "all"
    open    see ben

getUserDetails.allowedRoles ["guest"]
    open    see anna
    open    see gina
    open    see greta
    hidden  see ben
    hidden  see fred

getUserDetails.allowedRoles ["default"]
    open    see anna
    hidden  see gina
    hidden  see greta
    open    see ben
    open    see fred

getUserDetails.allowedRoles []
    open    see ben
    open    see greta

sendMessage "deny"
    denied  send text to ben
    denied  send text to fred
    denied  send place to ben
    denied  send form to ben
    denied  send text to club
    open    list users

sendMessage.mode "friends"
    denied  send text to ben
    denied  send place to greta
    open    send text to fred
    open    send text to gina
    open    send text to club

sendMessage.mode "all"
    open    send text to ben

sendMessage.allowedReceiverTypes ["group"]
    denied  send text to ben
    denied  send text to fred
    open    send text to club

sendMessage.allowedReceiverTypes ["user"]
    open    send text to ben
    denied  send text to club

sendMessage.allowedReceiverTypes []
    open    send text to ben
    open    send text to club

sendMessage.allowedReceiverRoles ["guest"]
    denied  send text to ben
    denied  send text to fred
    open    send text to gina
    open    send text to greta
    open    send text to club

sendMessage.allowedReceiverRoles ["default"]
    open    send text to ben
    denied  send text to gina

sendMessage.allowedMessageTypes ["text"]
    open    send text to ben
    denied  send photo to ben
    denied  send film to club
    open    send place to ben
    open    send form to ben

sendMessage.allowedMessageTypes ["image", "video"]
    denied  send text to ben
    open    send photo to ben
    open    send film to club

sendMessage.allowedMessageCategories ["message"]
    open    send text to ben
    open    send photo to club
    denied  send place to ben
    denied  send form to club

sendMessage.allowedMessageCategories ["custom", "interactive"]
    denied  send text to ben
    open    send place to ben
    open    send form to club

sendMessage.allowedCustomTypes ["place"]
    open    send place to ben
    denied  send poll to ben
    denied  send poll to club
    open    send text to ben
    open    send form to ben

sendMessage.allowedMimeTypes ["image/png"]
    open    send drawing to ben
    open    send scan to ben
    denied  send photo to ben
    denied  send film to club
    denied  send album to ben
    open    send text to ben
    open    send place to ben

sendMessage.allowedMimeTypes ["Image/PNG"]
    open    send drawing to ben
    open    send scan to club
    denied  send photo to ben

sendMessage.allowedMimeTypes ["image/png", "image/jpeg"]
    open    send album to ben
    denied  send film to ben
"""


@dataclass(frozen=True, slots=True)
class Effect:
    """A call of a user, and its outcome."""

    verdict: str
    call: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A permission with a value."""

    permission: str
    value: Any
    effects: tuple[Effect, ...]

    def __str__(self) -> str:
        return f"{self.permission} {self.value}"


def read_rules(text: str) -> Iterator[Rule]:
    """Yield the rules of a text, which are separated by empty lines."""
    for block in text.strip().split("\n\n"):
        heading, *lines = block.split("\n")
        permission, value = heading.split(" ", 1)
        effects = (Effect(*line.split(maxsplit=1)) for line in lines)
        yield Rule(permission, json.loads(value), tuple(effects))
