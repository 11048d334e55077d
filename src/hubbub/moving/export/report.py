"""The report of an export: what was written, and what was not."""

import msgspec


class ExportReport(msgspec.Struct, rename="camel"):
    """What an export wrote, as it is handed on."""

    app: str
    target: str
    user: str | None = None
    group: str | None = None
    kinds: dict[str, int] = {}
    """The lines of each kind."""
    bytes: int = 0
    """Of the files."""
    missing: list[str] = []
    """The first files that messages hold and that are not stored any more."""
    missing_files: int = 0
    dropped: dict[str, int] = {}
    """How often something was left out, by what it was."""
    seconds: float = 0.0

    @property
    def is_complete(self) -> bool:
        """Return whether no file is missing."""
        return not self.missing_files
