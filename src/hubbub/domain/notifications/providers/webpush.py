"""Add Web Push providers, whose keys are made here (RFC 8292)."""

import base64

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from hubbub.domain.notifications.addresses import NoAddress, normalise_email
from hubbub.domain.notifications.providers.push import insert_checked
from hubbub.kernel.errors import BadInput
from hubbub.kernel.ids import Ids
from hubbub.outbound.client import check_url
from hubbub.outbound.errors import NotReached
from hubbub.records.notifications.setups import WebPushSetup
from hubbub.runtime import Runtime

MAILTO = "mailto:"
NO_SUBJECT = "The subject must be mailto: with an e-mail address, or an https URL."
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
SEED_DIGITS = 80
"""64 bits more than the order has, so that all keys are as good as equally likely."""


async def add_webpush_provider(
    runtime: Runtime, app_id: str, provider_id: str, subject: str
) -> WebPushSetup:
    """Add a Web Push provider with a new key, and return its setup.

    Raises:
        BadInput: the subject is no address of who sends.
        ProviderAlreadyExists: another one has the id.
        TooManyProviders: the app has 100 push providers of all kinds.
    """
    setup = make_setup(runtime.ids, _check_subject(subject))
    await insert_checked(runtime, app_id, provider_id, setup)
    return setup


def make_setup(ids: Ids, subject: str) -> WebPushSetup:
    """Return a setup with a new key of the curve P-256."""
    number = int(ids.hexadecimal(SEED_DIGITS), 16) % (P256_ORDER - 1) + 1
    key = ec.derive_private_key(number, ec.SECP256R1())
    point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    public = base64.urlsafe_b64encode(point).decode().rstrip("=")
    return WebPushSetup(subject=subject, public_key=public, private_key=pem)


def _check_subject(subject: str) -> str:
    """Return the subject, with a normal e-mail address if it has one."""
    try:
        if subject.lower().startswith(MAILTO):
            return MAILTO + normalise_email(subject[len(MAILTO) :])
        if check_url(subject) == "https":
            return subject
    except (NoAddress, NotReached):
        pass
    raise BadInput.field("subject", NO_SUBJECT)
