"""The sources that are known, and which of them some files are."""

from hubbub.moving.sources.interface import Source, SourceUnreadable
from hubbub.moving.sources.lines import Lines
from hubbub.moving.tree import Tree

SOURCES: dict[str, Source] = {source.name: source for source in (Lines(),)}


def detect(tree: Tree) -> Source:
    """Return the source that files plainly are.

    Raises:
        SourceUnreadable: they are of none, or of several.
    """
    found = [source for source in SOURCES.values() if source.detect(tree)]
    if len(found) == 1:
        return found[0]
    said = f"may be from {' or '.join(source.title for source in found)}" if found else "is unknown"
    raise SourceUnreadable(f"{tree.name} {said}. Say what it is with --from: {', '.join(SOURCES)}.")
