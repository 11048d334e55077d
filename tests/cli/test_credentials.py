"""`hubbub credentials`: further credentials of management calls, and those that are revoked."""

import httpx2
from tests.cli.command import hubbub
from tests.live import LiveNode


def status_of(live: LiveNode, credentials: dict[str, str]) -> int:
    """Return the status of a management call."""
    headers = {"key": credentials["key"], "secret": credentials["secret"]}
    return httpx2.get(f"{live.address}/v3/apps", headers=headers, trust_env=False).status_code


def test_new_credentials_take_the_place_of_the_first(embedded: LiveNode) -> None:
    """Beside a running node a further pair is valid at once; the first one ends when revoked."""
    option = ("--data", str(embedded.data))
    first = embedded.management
    made = hubbub("credentials", "new", "--json", *option).json
    assert made["number"] == 2
    assert [status_of(embedded, each) for each in (first, made)] == [200, 200]
    assert status_of(embedded, {**made, "secret": first["secret"]}) == 401

    listed = hubbub("credentials", "list", "--json", *option).json["credentials"]
    assert [each["number"] for each in listed] == [1, 2]
    assert made["secret"] not in str(listed)

    assert hubbub("credentials", "revoke", "1", *option).code == 0
    assert [status_of(embedded, each) for each in (first, made)] == [401, 200]


def test_the_last_credentials_stay(embedded: LiveNode) -> None:
    """The only pair can't be revoked, nor one that is not there."""
    option = ("--data", str(embedded.data))
    last = hubbub("credentials", "revoke", "1", *option)
    assert last.sentence == "These are the only credentials. Make new ones before."
    unknown = hubbub("credentials", "revoke", "7", *option)
    assert unknown.sentence == "There are no management credentials with the number 7."
    assert status_of(embedded, embedded.management) == 200


def test_credentials_of_a_store_without_a_node(store: tuple[str, ...]) -> None:
    """Before the first start, no pair is made: a node makes the first one."""
    early = hubbub("credentials", "new", *store)
    assert early.sentence == "The first credentials are made by hubbub serve, at its first start."
