"""What a block is, and what can be wrong about blocks."""

from dataclasses import dataclass

from hubbub.kernel.errors import BadInput, Forbidden

MOST_BLOCKED_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Block:
    """`uid` has blocked `blocked`."""

    uid: str
    blocked: str
    blocked_at: int


class CannotBlockSelf(BadInput):
    """Nobody blocks himself."""

    code = "ERR_CANNOT_BLOCK_SELF"

    def __init__(self, uid: str) -> None:
        super().__init__(
            f"The user with UID {uid} can't block himself.",
            details={"blockedUids": [f"It must not hold {uid}."]},
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
