"""What goes wrong between an engine and its store, as far as others must tell it apart."""


class SchemaTooNew(Exception):
    """The store's schema is newer than this code; a newer Hubbub wrote it."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(
            f"The store has schema version {found}, this Hubbub knows up to {known}. "
            "Start the newer Hubbub that migrated it, or restore a backup."
        )


class StoreUnusable(Exception):
    """What lies where the store should be can't be opened as one."""


class OperationSuspended(RuntimeError):
    """An operation awaited something other than its transaction: a defect of ours."""

    def __init__(self) -> None:
        super().__init__("A database operation may await nothing but its transaction.")


class StatementSwallowed(RuntimeError):
    """An operation went on after a statement of it had failed: a defect of ours, nothing stored."""

    def __init__(self) -> None:
        super().__init__("A statement failed and its operation did not; nothing was stored.")


class CountersNotLocked(RuntimeError):
    """An operation announced without holding the app's counters: a defect of ours."""

    def __init__(self) -> None:
        super().__init__("A database operation that announces takes the numbers first.")
