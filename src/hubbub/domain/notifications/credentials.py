"""Check the credentials of a push provider, as far as possible without calling its gateway.

Checking a key takes up to some tenths of a second: it runs on a thread, outside transactions.
"""

import re

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from hubbub.domain.notifications.addresses import NoAddress, normalise_email
from hubbub.kernel.errors import BadInput
from hubbub.records.notifications.setups import ApnsSetup, FcmSetup, ServiceAccount

LARGEST_RSA_BITS = 4096
NO_RSA_KEY = (
    f"This is not an RSA private key of at most {LARGEST_RSA_BITS} bits in PEM form; it needs its "
    "BEGIN and END lines, real line breaks, and no password."
)
NO_P256_KEY = (
    "This is not a private key of the curve P-256 in PEM form; it needs the whole content of the "
    ".p8 file, with its BEGIN and END lines and real line breaks."
)
_KEY_ID = re.compile(r"[!-~]+")


def check_credentials(setup: FcmSetup | ApnsSetup) -> None:
    """Refuse given credentials that can't be used; missing ones are allowed.

    Raises:
        BadInput: a field is wrong; the error names all such fields.
    """
    faults: dict[str, list[str]] = {}
    if isinstance(setup, FcmSetup):
        faults = _find_account_faults(setup.service_account_creds or ServiceAccount())
    elif setup.p8_key is not None and not _is_p256(setup.p8_key):
        faults = {"p8Key": [NO_P256_KEY]}
    if faults:
        raise BadInput.fields(faults)


def _find_account_faults(account: ServiceAccount) -> dict[str, list[str]]:
    faults: dict[str, list[str]] = {}
    if account.client_email is not None:
        try:
            normalise_email(account.client_email)
        except NoAddress as fault:
            faults["serviceAccountCreds.client_email"] = [str(fault)]
    if account.private_key is not None and not _is_usable_rsa(account.private_key):
        faults["serviceAccountCreds.private_key"] = [NO_RSA_KEY]
    if account.private_key_id is not None and not _KEY_ID.fullmatch(account.private_key_id):
        faults["serviceAccountCreds.private_key_id"] = [
            "The id of a key must have only visible ASCII characters."
        ]
    return faults


def _is_usable_rsa(pem: str) -> bool:
    # The full check of a very large key takes minutes, so its size is checked first.
    unchecked = _load_key(pem, is_checked=False)
    if not isinstance(unchecked, RSAPrivateKey) or unchecked.key_size > LARGEST_RSA_BITS:
        return False
    return _load_key(pem, is_checked=True) is not None


def _is_p256(pem: str) -> bool:
    key = _load_key(pem, is_checked=True)
    return isinstance(key, EllipticCurvePrivateKey) and isinstance(key.curve, SECP256R1)


def _load_key(pem: str, *, is_checked: bool) -> PrivateKeyTypes | None:
    try:
        return load_pem_private_key(
            pem.encode(), None, unsafe_skip_rsa_key_validation=not is_checked
        )
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
