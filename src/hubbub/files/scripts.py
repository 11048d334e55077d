"""Scripts and programs in files, which must not pass for images, sounds or videos."""

import re
from typing import BinaryIO
from xml.parsers import expat

LARGEST_SVG = 1024 * 1024
"""A larger SVG is not checked; it can be sent as a file."""
_PROGRAMS = (
    b"MZ",
    b"\x7fELF",
    *(b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe"),  # Mach-O
    b"\xca\xfe\xba\xbe",  # Mach-O for several processors, and Java
    b"\0asm",
    b"dex\n",
)
_SCRIPT = re.compile(rb"<\?php|<script\b|<html\b|\A#!", re.IGNORECASE)
_RUNNING_ELEMENTS = frozenset({"script", "handler", "listener", "iframe", "object", "embed"})
_RUNNING_URL = re.compile(r"(?:java|vb)script:")
_RUNNING_TYPE = re.compile(r"html|xml|script")
_IGNORED_IN_URLS = re.compile(r"[\x00-\x20]+")


def begins_with_script(head: bytes) -> bool:
    """Return whether the beginning of a file that is no readable media has a script or program.

    UTF-16 is found, too.
    """
    return head.startswith(_PROGRAMS) or _SCRIPT.search(head.replace(b"\0", b"")) is not None


def has_svg_script(file: BinaryIO) -> bool:
    """Return whether an SVG could run a script; one that can't be read or is too large might."""
    content = file.read(LARGEST_SVG + 1)
    parser = expat.ParserCreate()
    parser.StartElementHandler = _check_element
    parser.EntityDeclHandler = _refuse_parameter
    parser.ProcessingInstructionHandler = _check_instruction
    try:
        parser.Parse(content, True)
    except (_ScriptFoundError, expat.ExpatError, ValueError):
        return True
    return len(content) > LARGEST_SVG


class _ScriptFoundError(Exception):
    """Ends the parsing."""


def _check_element(name: str, attributes: dict[str, str]) -> None:
    if name.rpartition(":")[2].lower() in _RUNNING_ELEMENTS:
        raise _ScriptFoundError
    for attribute, value in attributes.items():
        url = _IGNORED_IN_URLS.sub("", value).lower()
        is_handler = attribute.lower().startswith("on")
        sets_handler = attribute == "attributeName" and url.startswith("on")
        if is_handler or sets_handler or _runs(url):
            raise _ScriptFoundError


def _check_instruction(target: str, _: str) -> None:
    if target.lower() == "xml-stylesheet":  # it may be a transformation, which can add anything
        raise _ScriptFoundError


def _runs(url: str) -> bool:
    if _RUNNING_URL.search(url):
        return True
    found = ((part, part.find("data:")) for part in url.split(","))
    return any(at >= 0 and _RUNNING_TYPE.search(part, at) for part, at in found)


def _refuse_parameter(name: str, is_parameter: int, *_: object) -> None:
    if is_parameter:
        raise _ScriptFoundError
