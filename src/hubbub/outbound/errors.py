"""Why a call to another server has failed."""


class NotReached(Exception):
    """A call has failed; the text says why, for whoever named the address."""
