"""Errors about bots."""

from hubbub.kernel.errors import Conflict, LimitReached, NotFound

LONGEST_UID = 50


class BotNotFound(NotFound):
    """The bot does not exist."""

    code = "ERR_BOT_NOT_FOUND"

    def __init__(self, uid: str) -> None:
        super().__init__(f"There is no bot with UID {uid}.")


class BotAlreadyExists(Conflict):
    """Another bot has the uid."""

    code = "ERR_BOT_ALREADY_EXISTS"

    def __init__(self, uid: str) -> None:
        super().__init__(f"A bot with UID {uid} already exists.")


class TooManyBots(LimitReached):
    """The app has as many bots as its settings allow."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"The app already has {most} bots.",
            details={"uid": [f"The limit is {most} bots per app."]},
        )
