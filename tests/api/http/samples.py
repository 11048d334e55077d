"""A plausible request for each declared operation, so that tests can go through all of them."""

from tests.world import How

from hubbub.http.operation import Acting, Operation

SAMPLES = {
    "apiKey": "0" * 40,
    "appId": "nobodys-app",
    "authToken": "anna_1800000000" + "0" * 30,
    "conversationId": "anna_user_ben",
    "guid": "hikers",
    "id": "1",
    "permission": "sendMessage",
    "providerId": "push",
    "reaction": "%F0%9F%91%8D",
    "role": "default",
    "scope": "participant",
    "uid": "anna",
}


def path_of(operation: Operation) -> str:
    """The operation's path, with something that may stand at each place."""
    return operation.path.format_map({name: SAMPLES.get(name, "1") for name in _names(operation)})


def _names(operation: Operation) -> tuple[str, ...]:
    return operation.path_names


def headers_for(operation: Operation, *, key: str) -> How:
    """How it is called with `key`."""
    if operation.acting is Acting.REQUIRED:
        return {"key": key, "as_": "anna"}
    return {"key": key}
