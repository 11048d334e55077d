"""A plausible request for each declared operation, for tests of all operations."""

from tests.world import CallOptions

from hubbub.http.operation import Acting, Operation


def path_of(operation: Operation) -> str:
    """Return the operation's path with valid values in it."""
    parameters = operation.path_parameters.values()
    return operation.path.format_map({each.name: each.example for each in parameters})


def headers_for(operation: Operation, *, key: str) -> CallOptions:
    """Return the headers of a call with `key`."""
    if operation.acting is Acting.REQUIRED:
        return {"key": key, "as_": "anna"}
    return {"key": key}
