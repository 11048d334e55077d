"""`/bots`: read the request, call the domain, write the answer."""

from typing import Annotated

from msgspec import Meta

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.rates import Rate
from hubbub.domain.bots import manage
from hubbub.domain.users.update import ProfileChange
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.lists import make_rows
from hubbub.records.bots.model import LONGEST_UID, BotAlreadyExists, BotNotFound, TooManyBots
from hubbub.records.groups.model import GuidNotFound
from hubbub.records.messages.model import (
    BlockedByRule,
    BlockedByWebhook,
    MessageIdNotFound,
    WrongThread,
)
from hubbub.records.users.model import Profile, UidAlreadyExists, UidNotFound, UserDraft
from hubbub.rest.messages import messages
from hubbub.rest.messages.wire.send import SendMessageBody, SentMessage
from hubbub.rest.people.wire.users import UserShape, user_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import (
    Json,
    Link,
    Listing,
    Name,
    PageQuery,
    Shape,
    SuccessMessage,
    page_answer,
)

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


TAG = operation.Tag(
    "Bots",
    "Users that a program speaks for.",
)
BOTS, BOT = "/bots", "/bots/{uid}"


@operation.post(BOTS, tag=TAG, errors=(BotAlreadyExists, UidAlreadyExists, TooManyBots))
async def create_bot(call: Call, body: CreateBot) -> UserShape:
    """Create a bot: a user whose messages the server of the app sends.

    Send its messages with `POST /bots/{uid}/messages`. It is a user with `isBot`, and can be a
    member of groups. `limits.bots` says how many there may be.
    """
    return user_shape(await manage.create_bot(call.runtime, call.app_id, body.draft()))


@operation.get(BOTS, tag=TAG)
async def list_bots(call: Call, query: PageQuery) -> Listing[UserShape]:
    """List the app's bots, by uid.

    They are the users with `isBot`.
    """
    page = await manage.list_all_bots(call.runtime, call.app_id, query.request())
    return page_answer(page, await make_rows(call, page.items, user_shape))


@operation.get(BOT, tag=TAG, errors=(BotNotFound,))
async def get_bot(call: Call, uid: path.Uid) -> UserShape:
    """Get a bot.

    Users who are no bots are not found here.
    """
    return user_shape(await manage.get_bot(call.runtime, call.app_id, uid))


@operation.put(BOT, tag=TAG, errors=(BotNotFound,))
async def update_bot(call: Call, uid: path.Uid, body: UpdateBot) -> UserShape:
    """Change the profile of a bot; fields that are absent keep their values.

    Its messages show the new name and picture at once, the earlier ones too.
    """
    return user_shape(await manage.update_bot(call.runtime, call.app_id, uid, body.change()))


@operation.delete(BOT, tag=TAG, errors=(BotNotFound,))
async def delete_bot(call: Call, uid: path.Uid) -> SuccessMessage:
    """Delete a bot; its messages stay, with its name.

    It can't send any more, and its uid stays taken.
    """
    await manage.delete_bot(call.runtime, call.app_id, uid)
    return SuccessMessage(success=True, message=f"Bot with {uid} has been deleted successfully.")


@operation.post(
    BOT + "/messages",
    tag=messages.TAG,
    rate=Rate.SEND,
    errors=(
        BotNotFound,
        UidNotFound,
        GuidNotFound,
        MessageIdNotFound,
        WrongThread,
        BlockedByWebhook,
        BlockedByRule,
    ),
    codes=messages.SEND_CODES,
    takes_files=True,
)
async def send_bot_message(call: Call, uid: path.Uid, body: SendMessageBody) -> SentMessage:
    """Send a message as a bot.

    The bot need not be a member of the group. Files are uploaded as with any other message.
    """
    await manage.get_bot(call.runtime, call.app_id, uid)
    return await messages.send(call, Actor(uid), body)
