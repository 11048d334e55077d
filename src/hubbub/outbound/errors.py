"""Why a call to another server has failed."""

MOST_DETAIL_LETTERS = 200


class NotReached(Exception):
    """A call has failed; the text says why, for whoever named the address.

    `detail` is for the operator: it may have addresses that a name resolves to in this network, and
    whether somebody listens there, which is nobody else's business.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.detail = detail[:MOST_DETAIL_LETTERS] or reason


class NoAnswerInTime(NotReached):
    """The other server did not answer in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"It took more than {seconds:g} seconds.")


class ConnectionLost(NotReached):
    """A connection that was kept open broke: perhaps the server had closed it before the call."""


def not_connected(failure: OSError) -> NotReached:
    """Return the one reason for whatever keeps a connection from being made."""
    return NotReached(
        "It can't be connected to: its name has no address that may be called, or nobody answers. "
        "Private addresses are opened by the operator, with HUBBUB_OUTBOUND_ALLOW.",
        f"{failure.strerror or failure}",
    )
