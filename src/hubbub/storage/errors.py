"""Errors of the engines that callers or tests must distinguish."""


class SchemaTooNew(Exception):
    """The schema of the database is newer than this code; a newer Hubbub migrated it."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(
            f"The schema of the database has version {found}; this Hubbub knows up to {known}. "
            "Start the newer Hubbub that migrated it, or restore a backup."
        )


class StoreUnusable(Exception):
    """The database can't be used; the message says why, and what to do."""


class StoreAway(Exception):
    """The database can't be reached at the moment, or is in use; the same may be done later."""


class RowsNotStored(Exception):
    """An engine does not take a row of another store; the message names the table."""

    def __init__(self, table: str, reason: object) -> None:
        super().__init__(f"A row of the table {table} can't be stored: {reason}.")


class CopyUnfinished(StoreUnusable):
    """Another store is being copied into the database, or was until the copy was interrupted."""

    def __init__(self) -> None:
        super().__init__(
            "A copy into this database is not complete. Give the same hubbub copy again, which goes"
            " on with it, or empty the database."
        )


class OperationSuspended(RuntimeError):
    """A defect in Hubbub: an operation awaited something other than its transaction."""

    def __init__(self) -> None:
        super().__init__("A database operation may await nothing but its transaction.")


class StatementSwallowed(RuntimeError):
    """A defect in Hubbub: an operation ignored a failed statement; nothing was stored."""

    def __init__(self) -> None:
        super().__init__("An operation ignored a failed statement; nothing was stored.")


class CountersNotLocked(RuntimeError):
    """A defect in Hubbub: an operation announced an event without locking the app's counters."""

    def __init__(self) -> None:
        super().__init__("A database operation that announces events must lock the counters first.")


class NoStore(Exception):
    """There is no store where a command looks for one."""

    def __init__(self, where: object) -> None:
        super().__init__(
            f"There is no Hubbub in {where}. Is that the right --data or --database?"
            " A new one is made by: hubbub serve"
        )
