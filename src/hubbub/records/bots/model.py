"""What can be wrong about bots."""

from hubbub.kernel.errors import Conflict, LimitReached, NotFound

LONGEST_UID = 50


class BotNotFound(NotFound):
    """There is no such bot."""

    code = "ERR_BOT_NOT_FOUND"

    def __init__(self, uid: str) -> None:
        super().__init__(f"There is no bot with UID {uid}.")


class BotAlreadyExists(Conflict):
    """The uid is a bot's already."""

    code = "ERR_BOT_ALREADY_EXISTS"

    def __init__(self, uid: str) -> None:
        super().__init__(f"A bot with UID {uid} exists already.")


class TooManyBots(LimitReached):
    """The app has as many bots as it may have."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"The app has {most} bots already.",
            details={"uid": [f"The limit is {most} bots per app."]},
        )
