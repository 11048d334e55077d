"""Header fields as HPACK (RFC 7541), by the library hpack, which only this module uses.

A block of header fields that only names entries of the table of the connection changes nothing in
that table. The next equal block is the same bytes, so it is encoded and decoded only once.
"""

from typing import Any

from hpack import Decoder, Encoder, HPACKError
from hpack.hpack import DEFAULT_MAX_HEADER_LIST_SIZE

from hubbub.outbound.http2.frames import Code, Violation

Fields = tuple[tuple[bytes, bytes], ...]
"""Names, in lower case, and values."""

LARGEST_TABLE = 4096
MOST_KEPT = 64
_PATH = b"\x04"
"""A literal of the name `:path`, that the table does not get."""
_LITERAL = b"\x00"


class Headers(dict[str, str]):
    """The header fields of an answer, by name in lower case; asked for in either case."""

    def get(self, name: str, otherwise: Any = None) -> Any:
        return super().get(name.lower(), otherwise)

    def __getitem__(self, name: str) -> str:
        return super().__getitem__(name.lower())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and super().__contains__(name.lower())


class FieldWriter:
    """Encodes the header fields of requests on one connection."""

    def __init__(self) -> None:
        self._encoder = Encoder()
        self._kept: dict[Fields, bytes] = {}
        self._change = b""

    def limit_table(self, size: int) -> None:
        """Use no larger table than the peer allows; the next block begins with that change."""
        self._kept.clear()
        self._encoder.header_table_size = min(size, LARGEST_TABLE)
        self._change += self._encoder.encode(())

    def write(self, path: bytes, common: Fields, own: Fields) -> bytes:
        """Return the block of a request.

        `common` are the fields that other requests have, too: these get into the table.
        """
        block = (
            self._change + _PATH + _text(path) + (self._kept.get(common) or self._encode(common))
        )
        self._change = b""
        for name, value in own:
            block += _LITERAL + _text(name) + _text(value)
        return block

    def _encode(self, common: Fields) -> bytes:
        block = self._encoder.encode(common)
        if changes_table(block):
            self._kept.clear()
        elif len(self._kept) < MOST_KEPT:
            self._kept[common] = block
        return block


class FieldReader:
    """Decodes the header fields of answers on one connection."""

    def __init__(self) -> None:
        self._decoder = Decoder(DEFAULT_MAX_HEADER_LIST_SIZE)
        self._kept: dict[bytes, Headers] = {}

    def read(self, block: bytes) -> Headers:
        """Return the fields of a block; every block must be read, in order.

        Raises:
            Violation: it is not valid, and so no later one can be read.
        """
        kept = self._kept.get(block)
        if kept is not None:
            return kept
        try:
            pairs = self._decoder.decode(block, raw=True)
        except HPACKError as failure:
            raise Violation(Code.COMPRESSION_ERROR, f"{failure}") from None
        fields = Headers(
            (bytes(name).decode("latin-1"), bytes(value).decode("latin-1")) for name, value in pairs
        )
        if changes_table(block):
            self._kept.clear()
        elif len(self._kept) < MOST_KEPT:
            self._kept[block] = fields
        return fields


def changes_table(block: bytes) -> bool:
    """Return whether a block may have done more than name entries of the table, each in a byte."""
    return min(block, default=0) < 0x80 or 0xFF in block


def _text(value: bytes) -> bytes:
    """Return a string literal without Huffman coding."""
    length = len(value)
    if length < 0x7F:
        return length.to_bytes(1) + value
    prefix, rest = bytearray(b"\x7f"), length - 0x7F
    while rest >= 0x80:
        prefix.append(rest & 0x7F | 0x80)
        rest >>= 7
    prefix.append(rest)
    return bytes(prefix) + value
