"""`hubbub operator` and `hubbub audit`, beside a running node and without one."""

import json
import subprocess
from pathlib import Path

import httpx2
from tests.cli.command import Done, hubbub, new_folder
from tests.live import HUBBUB, LiveNode, environment

PASSWORD = "correct horse battery"


def with_password(*arguments: str, password: str = PASSWORD) -> Done:
    """Run a command that reads a password from its standard input."""
    done = subprocess.run(
        [*HUBBUB, *arguments],
        input=f"{password}\n".encode(),
        capture_output=True,
        env=environment(),
        timeout=60,
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def sign_in(live: LiveNode, password: str) -> int:
    """Return the status of an attempt to sign in as anna."""
    fields = {"name": "anna", "password": password}
    address = f"{live.address}/console/sign-in"
    return httpx2.post(address, data=fields, trust_env=False).status_code


def test_operators_beside_a_running_node(embedded: LiveNode) -> None:
    """Operators are added, listed, given another password and removed while a node runs."""
    option = ("--data", str(embedded.data))
    assert sign_in(embedded, PASSWORD) == 404

    assert with_password("operator", "add", "Anna", *option).code == 0
    assert sign_in(embedded, PASSWORD) == 303
    listed = hubbub("operator", "list", "--json", *option).json["operators"]
    assert [(each["name"], each["role"], each["app"]) for each in listed] == [
        ("anna", "owner", None)
    ]
    taken = with_password("operator", "add", "anna", *option)
    assert taken.sentence == "There is an operator anna already."

    assert with_password("operator", "password", "anna", *option, password="long enough!").code == 0
    assert [sign_in(embedded, each) for each in (PASSWORD, "long enough!")] == [401, 303]
    assert hubbub("operator", "remove", "anna", *option).code == 0
    assert sign_in(embedded, "long enough!") == 404

    entries = [json.loads(line) for line in hubbub("audit", *option, "--json").printed.splitlines()]
    assert [(each["action"], each["operator"]) for each in entries] == [
        ("operator.add", "(command line)"),
        ("operator.sign-in", "anna"),
        ("operator.password", "(command line)"),
        ("operator.sign-in", "anna"),
        ("operator.remove", "(command line)"),
    ]
    assert PASSWORD not in str(entries)


def test_what_is_wrong_with_an_operator_is_said(tmp_path: Path) -> None:
    """A bad name, a short password, an unknown app or operator are refused, each in a sentence."""
    option = new_folder(tmp_path / "data")

    assert "1 to 64 of a-z" in with_password("operator", "add", "no name", *option).sentence
    short = with_password("operator", "add", "anna", *option, password="short")
    assert "12 to 200 characters" in short.sentence
    nowhere = with_password("operator", "add", "anna", "--app", "none", *option)
    assert "The app none does not exist" in nowhere.sentence
    assert hubbub("operator", "remove", "ben", *option).sentence == "There is no operator ben."
    assert hubbub("operator", "list", "--json", *option).json == {"operators": []}


def test_the_audit_log_is_printed_from_a_time_on(tmp_path: Path) -> None:
    """Entries are lines; `--app` and `--since` leave out others; a time that is none is refused."""
    option = new_folder(tmp_path / "data")
    assert hubbub("app", "create", "--id", "hikers", *option).code == 0
    made = with_password("operator", "add", "anna", "--app", "hikers", *option, "--role", "admin")
    assert made.code == 0

    (line,) = hubbub("audit", *option).printed.splitlines()
    _, operator, app, action, subject, *_ = line.split("\t")
    assert (operator, app, action, subject) == ("(command line)", "", "operator.add", "anna")
    assert hubbub("audit", "--app", "hikers", *option).printed == ""
    assert hubbub("audit", "--since", "2099-01-01", *option).printed == ""
    assert hubbub("audit", "--since", "2020-01-01T00:00+01:00", *option).printed.count("\n") == 1
    assert hubbub("audit", "--since", "yesterday", *option).code == 2
