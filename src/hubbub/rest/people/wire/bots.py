"""The shapes of bots; a bot is shown as a user."""

from typing import Annotated

from msgspec import Meta

from hubbub.domain.users.update import ProfileChange
from hubbub.records.bots.model import LONGEST_UID
from hubbub.records.users.model import Profile, UserDraft
from hubbub.rest.wire.shapes import Json, Link, Name, Shape

BotUid = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=LONGEST_UID,
        pattern=r"^[A-Za-z0-9_-]+$(?!\n)",
        description="a-z, 0-9, _ and -; upper case is changed to lower case.",
    ),
]


class CreateBot(Shape):
    """The bot to create."""

    uid: BotUid
    name: Name
    avatar: Link | None = None
    metadata: Json | None = None

    def draft(self) -> UserDraft:
        profile = Profile(name=self.name, avatar=self.avatar, metadata=self.metadata)
        return UserDraft(self.uid.lower(), profile, is_bot=True)


class UpdateBot(Shape):
    """The changes to a bot; fields that are absent keep their values."""

    name: Name | None = None
    avatar: Link | None = None
    metadata: Json | None = None

    def change(self) -> ProfileChange:
        return ProfileChange(Profile(name=self.name, avatar=self.avatar, metadata=self.metadata))
