#!/usr/bin/env python3
"""Fetch the viewer of the reference page from the npm registry, at its pinned version.

`viewer.json` beside the viewer has the version, the hash of the package as the registry announces
it, and the hash of the script. To take a newer version, change `version`, empty the two hashes, and
run `make viewer`: it fills them in. Nothing but this tool needs npm.
"""

import base64
import gzip
import hashlib
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import defaultdict
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "src/hubbub/http/pages/reference/viewer"
PIN = FOLDER / "viewer.json"
SCRIPT = "package/dist/browser/standalone.js"
_PACKAGE = re.compile(r".*node_modules/((?:@[^/]+/)?[^/]+)/")
_SCALARS = re.compile(r"^(?:\.\./)+([\w-]+)/dist/")
_COPYRIGHT = re.compile(
    r"^\s*(?:Portions )?Copyright (?:\(c\)|©|[12]\d{3}).*$", re.MULTILINE | re.IGNORECASE
)
MIT_OF_SCALAR = "Copyright (c) 2023-present Scalar"
ITS_AUTHORS = "its authors"


def main() -> None:
    """Write the script, its licences and its hashes."""
    pin = json.loads(PIN.read_text())
    name = f"{pin['package']}@{pin['version']}"
    with tempfile.TemporaryDirectory() as folder:
        packed = Path(folder) / _npm("pack", "--silent", name, folder=folder).split()[-1]
        integrity = (
            f"sha512-{base64.b64encode(hashlib.sha512(packed.read_bytes()).digest()).decode()}"
        )
        _check("the package", pin["integrity"], integrity)
        with tarfile.open(packed) as archive:
            script, sources = _read(archive, SCRIPT), _read(archive, f"{SCRIPT}.map")
        digest = hashlib.sha256(script).hexdigest()
        _check("the script", pin["sha256"], digest)
        _npm("install", "--silent", "--ignore-scripts", "--no-audit", name, folder=folder)
        licences = _licences(Path(folder) / "node_modules", _bundled(json.loads(sources)))
    (FOLDER / "viewer.js.gz").write_bytes(gzip.compress(script, 9, mtime=0))
    (FOLDER / "LICENSES.txt").write_text(
        f"{name}: the packages that its script holds.\n\n{licences}"
    )
    PIN.write_text(json.dumps({**pin, "integrity": integrity, "sha256": digest}, indent=2) + "\n")


def _npm(*arguments: str, folder: str) -> str:
    command = ["npm", *arguments]
    done = subprocess.run(command, cwd=folder, check=True, text=True, stdout=subprocess.PIPE)
    return done.stdout


def _check(what: str, pinned: str, found: str) -> None:
    if pinned and pinned != found:
        sys.exit(
            f"The hash of {what} is {found}, and {PIN.name} has {pinned}. Nothing was changed."
        )


def _read(archive: tarfile.TarFile, name: str) -> bytes:
    member = archive.extractfile(name)
    assert member is not None, name
    return member.read()


def _bundled(source_map: dict[str, list[str]]) -> list[str]:
    """Return the names of the packages that the script was made of."""
    found = {"@scalar/api-reference"}
    for source in source_map["sources"]:
        if named := _PACKAGE.match(source):
            found.add(named[1])
        elif own := _SCALARS.match(source):
            found.add(f"@scalar/{own[1]}")
    return sorted(found)


def _licences(modules: Path, names: list[str]) -> str:
    """Return the packages by licence with their copyright lines, and each licence's text once."""
    lines: dict[str, list[str]] = defaultdict(list)
    texts: dict[str, str] = {}
    for name in names:
        found = next(iter(modules.glob(f"**/{name}/package.json")), None)
        if found is None:
            lines["MIT"].append(f"{name}: {MIT_OF_SCALAR if '@scalar/' in name else ITS_AUTHORS}")
            continue
        described = json.loads(found.read_text())
        licence = str(described["license"])
        text = next((each.read_text() for each in found.parent.glob("LICEN[SC]E*")), "")
        if text:
            texts.setdefault(licence, text)
        owners = [each.strip() for each in _COPYRIGHT.findall(text)]
        author = described.get("author", "")
        owner = author.get("name", "") if isinstance(author, dict) else author
        fallback = MIT_OF_SCALAR if name.startswith("@scalar/") else owner
        lines[licence].append(
            f"{name} {described['version']}: {'; '.join(owners) or fallback or ITS_AUTHORS}"
        )
    parts = [
        f"{licence}\n{'=' * len(licence)}\n\n"
        + "\n".join(named)
        + f"\n\n{texts[licence].strip()}\n"
        for licence, named in sorted(lines.items())
    ]
    return "\n\n".join(parts)


if __name__ == "__main__":
    main()
