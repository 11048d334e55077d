"""The codes of preferences: 1 is always off."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from hubbub.records.notifications.items import MessageLevel, ReactionLevel, Switch

MessageCode = Annotated[
    int, Meta(ge=1, le=3, description="1: none; 2: all; 3: those that mention the person.")
]
ReactionCode = Annotated[
    int, Meta(ge=1, le=3, description="1: none; 2: to the person's own messages; 3: all.")
]
SwitchCode = Annotated[int, Meta(ge=1, le=2, description="1: off; 2: on.")]
CODES: Mapping[type, Any] = {
    MessageLevel: MessageCode,
    ReactionLevel: ReactionCode,
    Switch: SwitchCode,
}
"""The types on the wire of those of the records."""
TemplateCode = Annotated[
    int,
    Meta(
        ge=1,
        le=3,
        description="1: the default templates; 2: the privacy templates; 3: each user chooses,"
        " without a choice the default ones.",
    ),
]
