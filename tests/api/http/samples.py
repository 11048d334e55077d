"""A plausible request for each declared operation, so that tests can go through all of them."""

from tests.world import How

from hubbub.http.operation import Acting, Operation


def path_of(operation: Operation) -> str:
    """The operation's path, with the example of each parameter in its place."""
    parameters = operation.path_parameters.values()
    return operation.path.format_map({each.name: each.example for each in parameters})


def headers_for(operation: Operation, *, key: str) -> How:
    """How it is called with `key`."""
    if operation.acting is Acting.REQUIRED:
        return {"key": key, "as_": "anna"}
    return {"key": key}
