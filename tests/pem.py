"""Private keys in PEM form, good and bad ones; each is made once."""

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
    """As it stands in the file of a Google service account."""
    return _pem(_rsa_key())


@cache
def rsa_key_with_password() -> str:
    """One that nobody can use who does not know the password."""
    return _pem(_rsa_key(), BestAvailableEncryption(b"sesame"))


@cache
def old_style_rsa_key() -> str:
    """The same kind of key in the older form, `BEGIN RSA PRIVATE KEY`."""
    form = PrivateFormat.TraditionalOpenSSL
    return _rsa_key().private_bytes(Encoding.PEM, form, NoEncryption()).decode()


@cache
def one_line_rsa_key() -> str:
    r"""A key that was escaped twice on its way: \n stands where a line should end."""
    return rsa_key().replace("\n", r"\n")


@cache
def broken_rsa_key() -> str:
    """One of the right form whose numbers are no primes, and which signs nothing."""
    p, q = _odd_multiple(3), _odd_multiple(5)
    d = pow(E, -1, (p - 1) * (q - 1))
    parts = rsa.rsa_crt_dmp1(d, p), rsa.rsa_crt_dmq1(d, q), rsa.rsa_crt_iqmp(p, q)
    numbers = rsa.RSAPrivateNumbers(p, q, d, *parts, rsa.RSAPublicNumbers(E, p * q))
    return _pem(numbers.private_key(unsafe_skip_rsa_key_validation=True))


@cache
def p256_key() -> str:
    """As it stands in the .p8 file of an Apple developer."""
    return _pem(ec.generate_private_key(ec.SECP256R1()))


@cache
def p384_key() -> str:
    """One of another curve."""
    return _pem(ec.generate_private_key(ec.SECP384R1()))


@cache
def _rsa_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(E, 2048)


def _odd_multiple(factor: int) -> int:
    """No prime, and a number with which a private exponent can be made."""
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
