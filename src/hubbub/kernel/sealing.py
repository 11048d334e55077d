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
SEALED_PREFIX = "v1."


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


class DerivedKeys:
    """What is derived from one master key."""

    __slots__ = ("cipher", "hash_key", "mark")

    def __init__(self, master_key: bytes) -> None:
        self.cipher = AESGCM(_derive(master_key, b"hubbub seal v1"))
        self.hash_key = _derive(master_key, b"hubbub hash v1")
        self.mark = _hash(self.hash_key, "the mark of the master key").hexdigest()
        """By which a store recognizes its master key."""


class Sealer:
    """Seals, opens and hashes secrets with keys derived from one master key.

    While a store gets a new master key there are two: it opens what either has sealed.
    """

    def __init__(self, master_key: bytes, *others: bytes) -> None:
        self._current = DerivedKeys(master_key)
        self._hash_key = self._current.hash_key
        self._known = {self._current.mark: self._current}
        for other in others:
            self.add(other)

    @property
    def mark(self) -> str:
        """Return the mark of the key that seals."""
        return self._current.mark

    @property
    def marks(self) -> frozenset[str]:
        """Return the marks of all keys that it has."""
        return frozenset(self._known)

    def add(self, master_key: bytes) -> str:
        """Open also what another master key has sealed; return the mark of that."""
        keys = DerivedKeys(master_key)
        self._known.setdefault(keys.mark, keys)
        return keys.mark

    def seal_with(self, mark: str) -> None:
        """Seal, and sign, with another of the keys that it has."""
        self._current = self._known[mark]

    def hash_with(self, mark: str) -> None:
        """Hash with one of the keys that it has."""
        self._hash_key = self._known[mark].hash_key

    def seal_hash_key(self, *location: str) -> str:
        """Return the key with which it hashes, sealed: it stays when the master key changes."""
        return self.seal(self._hash_key.hex(), *location)

    def open_hash_key(self, sealed: str, *location: str) -> None:
        """Hash with a key that was sealed.

        Raises:
            NotOurSecret: it was sealed with another master key or for another location.
        """
        self._hash_key = bytes.fromhex(self.open(sealed, *location))

    def hash(self, secret: str) -> str:
        """Return the keyed hash by which a secret is looked up: 64 hexadecimal digits."""
        return _hash(self._hash_key, secret).hexdigest()

    def begin_hash(self) -> "hashlib.blake2b":
        """Return the keyed hash of nothing yet, for what is hashed in pieces."""
        return hashlib.blake2b(key=self._hash_key, digest_size=32)

    def sign(self, text: str) -> str:
        """Return a signature of a text that is given to others: 64 hexadecimal digits."""
        return _hash(self._current.hash_key, text).hexdigest()

    def signatures(self, text: str) -> list[str]:
        """Return the signatures that count as ours: by any of the keys that it has."""
        return [_hash(keys.hash_key, text).hexdigest() for keys in list(self._known.values())]

    def seal(self, secret: str, *location: str) -> str:
        """Encrypt `secret`; only the same `location` (app, table, column, row) opens it."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        sealed = self._current.cipher.encrypt(nonce, secret.encode(), _associated_data(location))
        return SEALED_PREFIX + base64.b64encode(nonce + sealed).decode()

    def open(self, sealed: str, *location: str) -> str:
        """Decrypt a sealed value.

        Raises:
            NotOurSecret: it was sealed with another master key or for another location.
        """
        current = self._current
        others = [keys for keys in list(self._known.values()) if keys is not current]
        for keys in (current, *others):
            secret = _open(keys, sealed, location)
            if secret is not None:
                return secret
        raise NotOurSecret(
            "A secret in the database can't be decrypted with this master key. "
            "Was HUBBUB_SECRET_KEY or the file secret.key changed?"
        )

    def is_current(self, sealed: str, *location: str) -> bool:
        """Return whether a value was sealed with the key that seals now."""
        return _open(self._current, sealed, location) is not None


def _open(keys: DerivedKeys, sealed: str, location: tuple[str, ...]) -> str | None:
    try:
        raw = base64.b64decode(sealed.removeprefix(SEALED_PREFIX), validate=True)
        place = _associated_data(location)
        return keys.cipher.decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], place).decode()
    except (InvalidTag, ValueError):
        return None


def _hash(key: bytes, text: str) -> "hashlib.blake2b":
    hashing = hashlib.blake2b(key=key, digest_size=32)
    hashing.update(text.encode("utf-8", "surrogatepass"))
    return hashing


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
    return load_key_file(path)


def load_key_file(path: Path) -> bytes:
    """Return the master key in the file at `path`.

    Raises:
        BadMasterKey: the file does not contain a master key.
    """
    return parse_master_key(path.read_text("ascii", "replace"))


def new_key_path(path: Path) -> Path:
    """Return the path of the key that is to take the place of the one at `path`."""
    return path.with_name(f"{path.name}.new")


def former_key_path(path: Path) -> Path:
    """Return the path of the key whose place another one has taken."""
    return path.with_name(f"{path.name}.former")


def replace_key_file(path: Path) -> None:
    """Have the new key take the place of the one at `path`, which is kept as the former one."""
    former = former_key_path(path)
    former.unlink(missing_ok=True)
    os.link(path, former)  # at each moment both keys have names
    new_key_path(path).replace(path)
    _sync_names(path.parent)


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
    _sync_names(path.parent)  # a store must never outlive the name of its key


def _sync_names(path: Path) -> None:
    folder = os.open(path, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)
