"""Blocks between users, and the errors about them."""

from dataclasses import dataclass

from hubbub.kernel.errors import BadInput, Forbidden

MOST_BLOCKED_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Block:
    """The user `uid` has blocked the user `blocked`."""

    uid: str
    blocked: str
    blocked_at: int


class CannotBlockSelf(BadInput):
    """Users can't block themselves."""

    code = "ERR_CANNOT_BLOCK_SELF"

    def __init__(self, uid: str) -> None:
        super().__init__(
            f"The user with UID {uid} can't block themselves.",
            details={"blockedUids": [f"The list must not contain {uid}."]},
        )


class BlockedSender(Forbidden):
    """The receiver has blocked the sender."""

    code = "ERR_BLOCKED_SENDER"

    def __init__(self, sender: str, receiver: str) -> None:
        super().__init__(f"The user with UID {sender} is blocked by {receiver}.")


class BlockedReceiver(Forbidden):
    """The sender has blocked the receiver."""

    code = "ERR_BLOCKED_RECEIVER"

    def __init__(self, sender: str, receiver: str) -> None:
        super().__init__(f"The user with UID {sender} has blocked {receiver}.")
