"""Encryption is that of RFC 8291, to the byte."""

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.gateways.webpush import Browser, decode, encode, point_of

from hubbub.providers.webpush.encryption import MOST_PLAIN_BYTES, RECORD_BYTES, encrypt
from hubbub.providers.webpush.subscription import read_subscription

# The example of RFC 8291, section 5 and appendix A.
PLAIN = b"When I grow up, I want to be a watermelon"
SENDER_KEY = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
RECEIVER_KEY = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
RECEIVER_POINT = (
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
)
AUTH = "BTBZMqHH6r4Tts7J_aSIgg"
SALT = "DGv6ra1nlYgDCS1FRnbzlw"
BODY = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6"
    "TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulc"
    "y4a-fN"
)


def load(text: str) -> ec.EllipticCurvePrivateKey:
    """Return a private key from its number."""
    return ec.derive_private_key(int.from_bytes(decode(text)), ec.SECP256R1())


EXAMPLE = Browser(
    "example", "https://push.example.net/push/1", "", load(RECEIVER_KEY), decode(AUTH)
)


def test_the_example_of_the_standard() -> None:
    """The example of the RFC is encrypted and decrypted as it stands there."""
    keys = read_subscription(EXAMPLE.token).keys
    body = encrypt(PLAIN, keys, key=load(SENDER_KEY), salt=decode(SALT))

    assert encode(point_of(EXAMPLE.key.public_key())) == RECEIVER_POINT
    assert encode(body) == BODY
    assert EXAMPLE.decrypt(decode(BODY)) == PLAIN


@settings(deadline=None)
@given(st.binary(max_size=MOST_PLAIN_BYTES))
def test_any_content(plain: bytes) -> None:
    """Whatever fits is decrypted to the same, by nobody else, and never encrypted alike twice."""
    keys = read_subscription(EXAMPLE.token).keys
    body, again = encrypt(plain, keys), encrypt(plain, keys)

    assert EXAMPLE.decrypt(body) == EXAMPLE.decrypt(again) == plain
    assert body[:16] != again[:16]
    assert body[21:86] != again[21:86]
    with pytest.raises(InvalidTag):
        Browser("other", "", "", EXAMPLE.key, b"x" * 16).decrypt(body)


def test_the_longest_content() -> None:
    """The longest content makes a body of exactly the limit."""
    body = encrypt(b"x" * MOST_PLAIN_BYTES, read_subscription(EXAMPLE.token).keys)

    assert len(body) == RECORD_BYTES
    assert EXAMPLE.decrypt(body) == b"x" * MOST_PLAIN_BYTES
