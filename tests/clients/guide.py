"""The commands of `docs/clients.md`, run as a reader runs them."""

import subprocess

from tests.documents.blocks import ROOT, take_all
from tests.live import LiveNode, environment

EXAMPLES = ROOT / "examples" / "clients"
BLOCKS = take_all("docs/clients.md", "sh", "")
BEFORE = "Before you start"
PRINTED = "What they print"


class CommandFailed(Exception):
    """A command ended with an error; the message contains its output."""


def blocks_of(section: str) -> list[str]:
    """Return the texts of a section's blocks."""
    return [block.text for block in BLOCKS if block.heading == f"## {section}"]


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
