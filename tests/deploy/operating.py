"""The lines of docs/operating.md that tests run."""

import re

from tests.deploy.release import ROOT

OPERATING = (ROOT / "docs/operating.md").read_text()


def block_below(heading: str, language: str) -> str:
    """Return the first block of this language below a heading."""
    _, _, below = OPERATING.partition(f"\n{heading}\n")
    section = re.split(r"^#+ ", below, maxsplit=1, flags=re.MULTILINE)[0]
    found = re.search(rf"^```{language}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert found is not None, heading
    return found[1]
