"""The suite: the example passes it, its promises stand in the specification, its report reads."""

import json
import re
import subprocess
import sys

import pytest
from tests.clients_conformance.test_planted_faults import WITHOUT_FAULT
from tests.documents.blocks import ROOT, take
from tests.documents.shell import run

from conformance.command import main, run_all
from conformance.report import NAME_WIDTH, render
from conformance.scenarios import SCENARIOS, SECTIONS
from conformance.verdict import Broken, NoDriver, Verdict

README = "clients/conformance/README.md"
COMMAND = take(README, "# Conformance of clients")
SPECIFICATION = (ROOT / "docs/reference/client.md").read_text()
FAILURE = take(README, "# Conformance of clients", "text")
DIALOGUE = take(README, "## An example", "text")
STORED_DRIVER = "tests/clients_conformance/stored_driver.py"
OF_A_STORE = {"messages-by-their-ids", "queue-after-a-restart", "cursor-after-a-restart"}
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_LINE = re.compile(r"^\| `(\{.*?\})`", re.MULTILINE)
_CAPABILITY = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)


def section(text: str, heading: str) -> str:
    """Return what stands below a heading, with its words on one line."""
    found = re.split(rf"^#+ {heading}\n", text, flags=re.MULTILINE)
    assert len(found) == 2, heading
    return " ".join(re.split(r"^#+ ", found[1], flags=re.MULTILINE)[0].split())


def suite(*arguments: str, code: int) -> str:
    """Run the suite, which ends with a code; return what it prints."""
    done = subprocess.run(
        [sys.executable, "clients/conformance", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == code, done.stdout
    return done.stdout


def verdicts(printed: str) -> dict[str, str]:
    """Return the verdicts that a report has, by the names of the scenarios."""
    rows = [line.split() for line in printed.splitlines() if line.startswith(KINDS)]
    return {name: kind for kind, name, *_ in rows}


KINDS = ("passed ", "failed ", "skipped ")


def test_the_example_passes() -> None:
    """The client of the examples keeps each promise, but for those of clients with a store."""
    found = verdicts(run(COMMAND, ROOT))

    assert list(found) == list(SCENARIOS)
    assert {name: kind for name, kind in found.items() if kind != "passed"} == dict.fromkeys(
        OF_A_STORE, "skipped"
    )


def test_a_client_with_a_store_passes() -> None:
    """A driver with more capabilities is asked for what the example's is not."""
    names = sorted(OF_A_STORE | {"event-before-the-reply"})

    printed = suite(*names, "--", sys.executable, STORED_DRIVER, code=0)

    assert verdicts(printed) == dict.fromkeys(names, "passed")


def test_promises_stand_in_the_specification() -> None:
    """Each scenario quotes the section of the specification that it names."""
    specification = _LINK.sub(r"\1", SPECIFICATION)

    assert [
        each.promise
        for each in SCENARIOS.values()
        if each.promise not in section(specification, each.section)
    ] == []


def test_each_section_is_checked() -> None:
    """Scenarios come in the order of the sections, and each section has one."""
    sections = list(dict.fromkeys(each.section for each in SCENARIOS.values()))

    assert sections == list(SECTIONS)
    beside = {"Messages that grow", "A local store", "Checking a client"}  # of what is shown
    headings = re.findall("^## (.*)$", SPECIFICATION, re.MULTILINE)
    assert [each for each in headings if each not in beside] == list(SECTIONS)
    assert beside <= set(headings)


def test_names_and_sentences_make_a_line() -> None:
    """A name fits its column, and a scenario says in one sentence what a client does."""
    assert [
        each.name
        for each in SCENARIOS.values()
        if len(each.name) > NAME_WIDTH or not each.sentence.endswith(".")
    ] == []


def test_a_failure_says_what_was_promised() -> None:
    """Below the line of a failure stand the promise, what was expected and what came."""
    came = str({"saw": "event", "event": "message_sent", "id": "1-1"})
    broken = Broken("the event 1-2 is shown next", came)
    verdict = Verdict(SCENARIOS["doubled-event"], broken=broken, trace=["0.1  suite:  connect"])

    assert render(verdict, with_trace=False) == FAILURE.rstrip()
    assert "    0.1  suite:  connect" in render(verdict, with_trace=True).splitlines()


def test_scenarios_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """`--list` has each scenario with what it needs, below its section."""
    assert main(["--list"]) == 0

    printed = capsys.readouterr().out
    for scenario in SCENARIOS.values():
        [line] = [line for line in printed.splitlines() if line.split()[0] == scenario.name]
        assert scenario.sentence in line
        assert all(need in line for need in scenario.needs)


@pytest.mark.parametrize(
    ("arguments", "code", "texts"),
    [
        (["--help"], 0, ["--list", "--trace", "--speed", "--patience", "--jobs", COMMAND]),
        (["first", "--", "true"], 2, ["no scenario 'first'"]),
        (["first-frame"], 2, ["follows `--`"]),
    ],
)
def test_help_teaches(
    arguments: list[str], code: int, texts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """`--help` names each option and shows commands; wrong arguments are explained."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)

    printed = capsys.readouterr()
    assert ended.value.code == code
    assert [text for text in texts if text not in printed.out + printed.err] == []


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (["true"], "has ended"),
        (["echo", "hello"], "no line of the protocol"),
        (["./no-such-driver"], "can't be started"),
    ],
)
async def test_a_command_that_is_no_driver(command: list[str], text: str) -> None:
    """The suite says why a command is no driver."""
    chosen = [SCENARIOS["first-frame"], SCENARIOS["doubled-event"]]

    with pytest.raises(NoDriver, match=text):
        [verdict async for verdict in run_all(chosen, command)]


def test_the_exit_code_of_a_command_that_is_no_driver() -> None:
    """The suite ends with 2."""
    assert "has ended" in suite("first-frame", "--", "true", code=2)


def test_capabilities_are_documented() -> None:
    """The document has each capability that a scenario needs."""
    documented = set(_CAPABILITY.findall((ROOT / README).read_text()))

    assert documented == {need for scenario in SCENARIOS.values() for need in scenario.needs}
    assert WITHOUT_FAULT.keys() > OF_A_STORE


def test_the_dialogue_speaks_the_protocol() -> None:
    """The lines of the example have the names and the fields that the tables have."""
    shown = [
        json.loads(line) for line in _LINE.findall((ROOT / README).read_text().replace("…", "0"))
    ]
    fields: dict[str, set[str]] = {}
    for line in shown:
        fields.setdefault(_name(line), set()).update(line)

    for text in DIALOGUE.splitlines():
        line = json.loads(text[2:])
        assert text[:2] == ("> " if "do" in line else "< ")
        assert line.keys() - {"seconds"} <= fields[_name(line)]


def _name(line: dict[str, object]) -> str:
    return f"do {line['do']}" if "do" in line else f"saw {line['saw']}"
