"""Why PostgreSQL can't be used, in words for the operator."""

import os
from urllib.parse import urlsplit

import asyncpg

EXAMPLE = "postgresql://user:password@host:5432/database"


def explain_failure(failure: BaseException | None, url: str) -> str:
    """Return in a sentence why the database at an address can't be used; the password is not in it.

    `failure` is what the driver raised when it connected, or made the tables.
    """
    try:
        parts = urlsplit(url)
        host, database = parts.netloc.rpartition("@")[2], parts.path.lstrip("/") or parts.username
        is_address = parts.scheme in ("postgresql", "postgres") and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        return f"The address of the database is not valid. It looks like {EXAMPLE}."
    match failure:
        case asyncpg.InvalidCatalogNameError():
            return (
                f"PostgreSQL at {host} has no database {database}. Create it: createdb {database}"
            )
        case asyncpg.InvalidAuthorizationSpecificationError():
            return f"PostgreSQL at {host} refuses the log-in: {failure}."
        case asyncpg.InsufficientPrivilegeError():
            return f"The role may not make Hubbub's tables in {database} at {host}: {failure}."
        case TimeoutError():
            reason = "it does not answer"
        case OSError(errno=int(number)) if number > 0:
            reason = os.strerror(number)
        case OSError(strerror=str(reason)):
            pass
        case _:
            reason = str(failure)
    return f"PostgreSQL can't be reached at {host}: {reason}."
