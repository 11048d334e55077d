"""Private keys in PEM form, valid and invalid; each is created once."""

import random
from functools import cache
from math import gcd

from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.types import CertificateIssuerPrivateKeyTypes
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
)

E = 65_537


@cache
def rsa_key() -> str:
    """Return an RSA key as in the file of a Google service account."""
    return _pem(_rsa_key())


@cache
def rsa_key_with_password() -> str:
    """Return an RSA key that is encrypted with a password."""
    return _pem(_rsa_key(), BestAvailableEncryption(b"sesame"))


@cache
def old_style_rsa_key() -> str:
    """Return an RSA key in the older form, `BEGIN RSA PRIVATE KEY`."""
    form = PrivateFormat.TraditionalOpenSSL
    return _rsa_key().private_bytes(Encoding.PEM, form, NoEncryption()).decode()


@cache
def one_line_rsa_key() -> str:
    r"""Return a key that was escaped twice: it contains \n instead of line ends."""
    return rsa_key().replace("\n", r"\n")


@cache
def broken_rsa_key() -> str:
    """Return a well-formed RSA key whose factors are not primes, so that it cannot sign."""
    p, q = _odd_multiple(3), _odd_multiple(5)
    d = pow(E, -1, (p - 1) * (q - 1))
    parts = rsa.rsa_crt_dmp1(d, p), rsa.rsa_crt_dmq1(d, q), rsa.rsa_crt_iqmp(p, q)
    numbers = rsa.RSAPrivateNumbers(p, q, d, *parts, rsa.RSAPublicNumbers(E, p * q))
    return _pem(numbers.private_key(unsafe_skip_rsa_key_validation=True))


@cache
def p256_key() -> str:
    """Return a P-256 key as in the .p8 file of an Apple developer."""
    return _pem(ec.generate_private_key(ec.SECP256R1()))


@cache
def p384_key() -> str:
    """Return a key of another curve, P-384."""
    return _pem(ec.generate_private_key(ec.SECP384R1()))


@cache
def _rsa_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(E, 2048)


def _odd_multiple(factor: int) -> int:
    """Return a number that is not prime but allows computing a private exponent."""
    while True:
        number = factor * (random.getrandbits(1021) | 1 | 1 << 1021)
        if gcd(E, number - 1) == 1:
            return number


def _pem(
    key: CertificateIssuerPrivateKeyTypes,
    encryption: KeySerializationEncryption | None = None,
) -> str:
    encryption = encryption or NoEncryption()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption).decode()
