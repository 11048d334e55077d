"""The shapes of bots; a bot is shown as a user."""

from typing import Annotated

from msgspec import Meta

from hubbub.domain.users.update import ProfileChange
from hubbub.records.bots.model import LONGEST_UID
from hubbub.records.users.model import Profile, UserDraft
from hubbub.rest.wire.shapes import Free, Link, Name, Shape

BotUid = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=LONGEST_UID,
        pattern=r"^[A-Za-z0-9_-]+$(?!\n)",
        description="a-z, 0-9, _ and -; upper case is lowered.",
    ),
]


class CreateBot(Shape):
    """A bot to be."""

    uid: BotUid
    name: Name
    avatar: Link | None = None
    metadata: Free | None = None

    def draft(self) -> UserDraft:
        profile = Profile(name=self.name, avatar=self.avatar, metadata=self.metadata)
        return UserDraft(self.uid.lower(), profile, is_bot=True)


class UpdateBot(Shape):
    """What is to change of a bot; what is not given stays."""

    name: Name | None = None
    avatar: Link | None = None
    metadata: Free | None = None

    def change(self) -> ProfileChange:
        return ProfileChange(Profile(name=self.name, avatar=self.avatar, metadata=self.metadata))
