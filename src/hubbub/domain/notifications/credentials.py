"""Whether the credentials of a push provider can be used, as far as that shows without its gateway.

Looking at a key takes up to some tenths of a second: it is done on a thread, outside transactions.
"""

import re

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from hubbub.domain.notifications.addresses import NoAddress, normalise_email
from hubbub.kernel.errors import BadInput
from hubbub.records.notifications.model import ApnsKey, ServiceAccount

LARGEST_RSA_BITS = 4096
NO_RSA_KEY = (
    f"This is no RSA private key of at most {LARGEST_RSA_BITS} bits in PEM form; it needs its "
    "BEGIN and END lines, real line breaks, and no password."
)
NO_P256_KEY = (
    "This is no private key of the curve P-256 in PEM form; the whole content of the .p8 file is "
    "needed, with its BEGIN and END lines and real line breaks."
)
_KEY_ID = re.compile(r"[!-~]+")

Faults = dict[str, list[str]]


def check_secrets(secrets: ServiceAccount | ApnsKey) -> None:
    """Refuse credentials that are given and not usable; what is not given is not looked for.

    Raises:
        BadInput: it names every field that is wrong.
    """
    faults = (
        _account_faults(secrets) if isinstance(secrets, ServiceAccount) else _p8_faults(secrets)
    )
    if faults:
        raise BadInput.fields(faults)


def _account_faults(account: ServiceAccount) -> Faults:
    faults: Faults = {}
    if account.client_email is not None:
        try:
            normalise_email(account.client_email)
        except NoAddress as fault:
            faults["serviceAccountCreds.client_email"] = [str(fault)]
    if account.private_key is not None and not _is_usable_rsa(account.private_key):
        faults["serviceAccountCreds.private_key"] = [NO_RSA_KEY]
    if account.private_key_id is not None and not _KEY_ID.fullmatch(account.private_key_id):
        faults["serviceAccountCreds.private_key_id"] = [
            "The id of a key has only visible ASCII characters."
        ]
    return faults


def _p8_faults(key: ApnsKey) -> Faults:
    if key.p8_key is None or _is_p256(key.p8_key):
        return {}
    return {"p8Key": [NO_P256_KEY]}


def _is_usable_rsa(pem: str) -> bool:
    # The full check of an immense key takes minutes: its size is looked at first.
    unchecked = _load(pem, is_checked=False)
    if not isinstance(unchecked, RSAPrivateKey) or unchecked.key_size > LARGEST_RSA_BITS:
        return False
    return _load(pem, is_checked=True) is not None


def _is_p256(pem: str) -> bool:
    key = _load(pem, is_checked=True)
    return isinstance(key, EllipticCurvePrivateKey) and isinstance(key.curve, SECP256R1)


def _load(pem: str, *, is_checked: bool) -> PrivateKeyTypes | None:
    try:
        return load_pem_private_key(
            pem.encode(), None, unsafe_skip_rsa_key_validation=not is_checked
        )
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
