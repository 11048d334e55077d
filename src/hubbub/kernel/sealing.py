"""Secrets at rest: sealed so that only this installation opens them, found by a keyed hash.

A sealed value is bound to its app, table, column and row: copied elsewhere it does not open. The
master key lives outside the database, in a file of mode 0600 or in the environment.
"""

import base64
import binascii
import hashlib
import hmac
import json
import os
import secrets
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 32
NONCE_BYTES = 12


class NotOurSecret(Exception):
    """A sealed value does not open: another master key sealed it, or it was moved or changed."""


class BadMasterKey(Exception):
    """The master key that was given can't be one."""


class Sealer:
    """Seals, opens and hashes with keys derived from one master key."""

    def __init__(self, master_key: bytes) -> None:
        self._cipher = AESGCM(_derive(master_key, b"hubbub seal v1"))
        self._hash_key = _derive(master_key, b"hubbub hash v1")

    def hash(self, secret: str) -> str:
        """The keyed hash under which a secret is looked up: 64 hexadecimal digits."""
        return hashlib.blake2b(
            secret.encode("utf-8", "surrogatepass"), key=self._hash_key, digest_size=32
        ).hexdigest()

    def seal(self, secret: str, *place: str) -> str:
        """`secret` as text that opens only with the same `place` (app, table, column, row)."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        sealed = self._cipher.encrypt(nonce, secret.encode(), _bound_to(place))
        return "v1." + base64.b64encode(nonce + sealed).decode()

    def open(self, sealed: str, *place: str) -> str:
        """What was sealed.

        Raises:
            NotOurSecret: it does not open with this master key in this place.
        """
        try:
            raw = base64.b64decode(sealed.removeprefix("v1."), validate=True)
            secret = self._cipher.decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], _bound_to(place))
        except (InvalidTag, ValueError) as failure:
            raise NotOurSecret(
                "A secret in the store does not open with this master key. "
                "Was HUBBUB_SECRET_KEY or the file secret.key changed?"
            ) from failure
        return secret.decode()


def _derive(master_key: bytes, purpose: bytes) -> bytes:
    return hmac.digest(master_key, purpose, "sha256")


def _bound_to(place: tuple[str, ...]) -> bytes:
    return json.dumps(place).encode()


def parse_master_key(text: str) -> bytes:
    """The master key written as 64 hexadecimal digits or as base64 of 32 bytes.

    Raises:
        BadMasterKey: it is neither.
    """
    text = text.strip()
    try:
        key = bytes.fromhex(text) if len(text) == 2 * KEY_BYTES else base64.b64decode(text)
    except (ValueError, binascii.Error):
        key = b""
    if len(key) != KEY_BYTES:
        raise BadMasterKey(
            "The secret key must be 32 bytes, written as 64 hexadecimal digits or as base64."
        )
    return key


def load_or_make_key_file(path: Path) -> bytes:
    """The master key of the file at `path`; made at the first start.

    Raises:
        BadMasterKey: the file holds something else.
    """
    if not path.exists():
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(KEY_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
    return parse_master_key(path.read_text("ascii"))
