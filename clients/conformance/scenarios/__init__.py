"""The scenarios, in modules; each has the section of docs/reference/client.md that it is about."""

from conformance.scenarios import (  # noqa: F401  # they declare them
    calls,
    closes,
    connecting,
    cursors,
    events,
    life,
    sending,
    tokens,
)
from conformance.verdict import DECLARED, Scenario

SECTIONS = (
    "States",
    "Connecting",
    "Signs of life",
    "After a close",
    "Cursors",
    "Applying events",
    "Calls",
    "Sending",
)
SCENARIOS: dict[str, Scenario] = {
    each.name: each
    for each in sorted(DECLARED, key=lambda scenario: SECTIONS.index(scenario.section))
}
"""All scenarios by their names, in the order of the specification."""
