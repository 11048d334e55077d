"""Check the files of TLS: that they can be read, belong together, and are valid for a while."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
)

from hubbub.config import Settings
from hubbub.doctor.finding import Finding, ok, warning, wrong

CHECK = "certificate"
SOON = timedelta(days=14)
_CORRECT = "Name the files of your authority, the chain and the key; the node's account reads them."
_RENEW = "Renew it: a running node takes up the new files by itself."


def check_certificate(settings: Settings, now: int) -> Finding:
    """Check the certificate and its key, if the node ends TLS."""
    if not settings.tls_cert:
        return _without_certificate(settings)
    try:
        certificate = x509.load_pem_x509_certificates(Path(settings.tls_cert).read_bytes())[0]
        key_file = Path(settings.tls_key or settings.tls_cert)
        key = load_pem_private_key(key_file.read_bytes(), password=None)
    except OSError as failure:
        return wrong(CHECK, f"{failure.filename} can't be read: {failure.strerror}.", _CORRECT)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return wrong(
            CHECK,
            f"{settings.tls_cert} and {settings.tls_key or 'no key'} are not a certificate and its"
            " key, in PEM, without a password.",
            _CORRECT,
        )
    return _judge(settings, certificate, key, datetime.fromtimestamp(now, UTC))


def _without_certificate(settings: Settings) -> Finding:
    if settings.tls_key:
        return wrong(CHECK, "A TLS key is set without a certificate.", "Give --tls-cert, too.")
    return ok(CHECK, "none: the node does not end TLS")


def _judge(
    settings: Settings, certificate: x509.Certificate, key: PrivateKeyTypes, now: datetime
) -> Finding:
    ends_at = certificate.not_valid_after_utc
    if _public(certificate) != _public(key):
        return wrong(
            CHECK,
            f"{settings.tls_key or settings.tls_cert} is not the key of {settings.tls_cert}.",
            "Name the key that belongs to the certificate.",
        )
    if now < certificate.not_valid_before_utc:
        begins_at = f"{certificate.not_valid_before_utc:%Y-%m-%d %H:%M}"
        return wrong(
            CHECK, f"It is not valid before {begins_at} UTC.", "Check the clock, or its date."
        )
    if now >= ends_at:
        return wrong(CHECK, f"It has expired on {ends_at:%Y-%m-%d}: clients refuse it.", _RENEW)
    if ends_at - now < SOON:
        return warning(CHECK, f"It expires on {ends_at:%Y-%m-%d}.", _RENEW)
    return ok(CHECK, f"{settings.tls_cert} is valid until {ends_at:%Y-%m-%d}")


def _public(holder: x509.Certificate | PrivateKeyTypes) -> bytes:
    return holder.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
