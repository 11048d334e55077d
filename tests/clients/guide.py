"""The commands of `docs/clients.md`, run as a reader runs them."""

import re
import subprocess
from pathlib import Path

from tests.live import LiveNode, environment

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "clients"
_SECTION = re.compile(r"^## (.+?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECTIONS = dict(_SECTION.findall((ROOT / "docs" / "clients.md").read_text()))
BEFORE = "Before you start"
PRINTED = "What they print"


class CommandFailed(Exception):
    """A command ended with an error; the message contains its output."""


def blocks_of(section: str) -> list[str]:
    """Return the texts of a section's blocks."""
    return [text for _, text in _BLOCK.findall(SECTIONS[section])]


def commands_of(generator: str) -> str:
    """Return the commands that generate a client, check its program and run it."""
    read_key, _ = blocks_of(BEFORE)
    (commands,) = blocks_of(generator)
    return read_key + commands


def run(commands: str, node: LiveNode | None = None) -> str:
    """Run commands in the root of the checkout, with this node; return what they print.

    Raises:
        CommandFailed: one ended with an error; those after it were not run.
    """
    if node is not None:
        commands = commands.replace("http://127.0.0.1:8080", node.address)
        commands = commands.replace("hubbub-data", str(node.data))
    done = subprocess.run(
        ["bash", "-eu", "-c", commands],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        text=True,
        timeout=300,
    )
    if done.returncode != 0:
        raise CommandFailed(f"{commands}\n{done.stdout}")
    return done.stdout
