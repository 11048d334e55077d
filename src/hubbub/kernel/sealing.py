"""Secrets at rest: encrypted with keys of this installation, looked up by a keyed hash.

A sealed value is bound to its app, table, column and row: a copy elsewhere can't be opened. The
master key is outside the database, in a file of mode 0600 or in the environment.
"""

import base64
import binascii
import hashlib
import hmac
import json
import os
import secrets
from contextlib import suppress
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 32
NONCE_BYTES = 12


class NotOurSecret(Exception):
    """A sealed value can't be opened: the master key differs, or it was moved or changed."""


class BadMasterKey(Exception):
    """The given master key has no valid form."""


class MasterKeyMissing(Exception):
    """A store was made with a master key, and there is none."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"The master key of the store is missing: there is no {path}, and HUBBUB_SECRET_KEY is"
            " not set. Put the secret.key that the store was made with there, or set"
            " HUBBUB_SECRET_KEY to its text. A new key can't open the secrets of the store, so"
            " none was made."
        )


class Sealer:
    """Seals, opens and hashes secrets with keys derived from one master key."""

    def __init__(self, master_key: bytes) -> None:
        self._cipher = AESGCM(_derive(master_key, b"hubbub seal v1"))
        self._hash_key = _derive(master_key, b"hubbub hash v1")

    def hash(self, secret: str) -> str:
        """Return the keyed hash by which a secret is looked up: 64 hexadecimal digits."""
        hashing = self.begin_hash()
        hashing.update(secret.encode("utf-8", "surrogatepass"))
        return hashing.hexdigest()

    def begin_hash(self) -> "hashlib.blake2b":
        """Return the keyed hash of nothing yet, for what is hashed in pieces."""
        return hashlib.blake2b(key=self._hash_key, digest_size=32)

    def seal(self, secret: str, *location: str) -> str:
        """Encrypt `secret`; only the same `location` (app, table, column, row) opens it."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        sealed = self._cipher.encrypt(nonce, secret.encode(), _associated_data(location))
        return "v1." + base64.b64encode(nonce + sealed).decode()

    def open(self, sealed: str, *location: str) -> str:
        """Decrypt a sealed value.

        Raises:
            NotOurSecret: it was sealed with another master key or for another location.
        """
        try:
            raw = base64.b64decode(sealed.removeprefix("v1."), validate=True)
            secret = self._cipher.decrypt(
                raw[:NONCE_BYTES], raw[NONCE_BYTES:], _associated_data(location)
            )
        except (InvalidTag, ValueError) as failure:
            raise NotOurSecret(
                "A secret in the database can't be decrypted with this master key. "
                "Was HUBBUB_SECRET_KEY or the file secret.key changed?"
            ) from failure
        return secret.decode()


def _derive(master_key: bytes, purpose: bytes) -> bytes:
    return hmac.digest(master_key, purpose, "sha256")


def _associated_data(location: tuple[str, ...]) -> bytes:
    return json.dumps(location).encode()


def parse_master_key(text: str) -> bytes:
    """Parse a master key, written as 64 hexadecimal digits or as base64 of 32 bytes.

    Raises:
        BadMasterKey: the text is neither.
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
    """Return the master key in the file at `path`; create the file if there is none.

    Raises:
        BadMasterKey: the file does not contain a master key.
    """
    if not path.exists():
        _make_key_file(path)
    return parse_master_key(path.read_text("ascii", "replace"))


def _make_key_file(path: Path) -> None:
    """Create the file as a whole, or leave the one that another process has just created."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_hex(KEY_BYTES) + "\n")
        file.flush()
        os.fsync(file.fileno())
    with suppress(FileExistsError):
        os.link(draft, path)
    draft.unlink()
    folder = os.open(path.parent, os.O_RDONLY)
    os.fsync(folder)  # a store must never outlive the name of its key
    os.close(folder)
