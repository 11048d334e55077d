"""Verdicts as a person reads them."""

from collections.abc import Iterable
from itertools import groupby

from conformance.verdict import Scenario, Verdict

NAME_WIDTH = 36
SPECIFICATION = "docs/reference/client.md"


def render(verdict: Verdict, *, with_trace: bool) -> str:
    """Return a line, and below it what was promised if the promise is broken."""
    scenario = verdict.scenario
    line = f"{verdict.kind:8} {scenario.name:{NAME_WIDTH}} "
    if verdict.lacks:
        return f"{line}the driver has no {', '.join(sorted(verdict.lacks))}"
    line += scenario.sentence
    if verdict.broken is None:
        return line
    rows = [
        ("promised", f"{SPECIFICATION}, {scenario.section}: {scenario.promise}"),
        ("expected", verdict.broken.expected),
        ("came", verdict.broken.came),
    ]
    trace = ["", *verdict.trace, ""] if with_trace else []
    lines = [line, *(f"    {name:9} {text}" for name, text in rows)]
    return "\n".join([*lines, *(f"    {text}".rstrip() for text in trace)])


def render_list(scenarios: Iterable[Scenario]) -> str:
    """Return all scenarios by the sections of the specification, with what they need."""
    lines = list[str]()
    for section, group in groupby(scenarios, key=lambda each: each.section):
        lines.append(f"{section}:")
        for each in group:
            needs = f" ({', '.join(sorted(each.needs))})" if each.needs else ""
            lines.append(f"  {each.name:{NAME_WIDTH}} {each.sentence}{needs}")
    return "\n".join(lines)
