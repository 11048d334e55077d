"""Exports that were asked for, and the errors about them."""

import msgspec

from hubbub.kernel.errors import LimitReached, NotFound

KEPT_SECONDS = 7 * 86_400
"""How long the file of an export is kept, and what is said of one that has failed."""
MOST_EXPORTS = 20
"""So many exports of an app there are at once: their files are large."""


class ExportNotFound(NotFound):
    """The app has no such export, or its file was deleted after a week."""

    code = "ERR_EXPORT_NOT_FOUND"

    def __init__(self, export_id: str) -> None:
        super().__init__(f"The export with id {export_id} does not exist.")


class TooManyExports(LimitReached):
    """The app has as many exports as it may have at once."""

    def __init__(self) -> None:
        super().__init__(
            f"The app has {MOST_EXPORTS} exports already.",
            details={"id": [f"The limit is {MOST_EXPORTS} per app. Delete one, or wait a week."]},
        )


class ExportOrder(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is to be exported: all of the app, or of a person or group; times in seconds."""

    user: str | None = None
    group: str | None = None
    since: int | None = None
    until: int | None = None


class StoredExport(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `exports`; times in seconds."""

    id: str
    wanted: str
    state: str
    size: int = 0
    report: str | None = None
    error: str | None = None
    started_at: int
    updated_at: int

    def order(self) -> ExportOrder:
        """Return what is to be exported."""
        return _decode(self.wanted)


_decode = msgspec.json.Decoder(ExportOrder).decode
_encode = msgspec.json.Encoder().encode


def encode_order(order: ExportOrder) -> str:
    """Return an order as stored."""
    return _encode(order).decode()
