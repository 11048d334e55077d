"""JWTs of an app's identity provider: which are accepted, and a catalogue of those that are not."""

import asyncio
import base64
import hmac
import json
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tests.api.identity.idp import (
    AUDIENCE,
    ISSUER,
    SECRET,
    Idp,
    forget,
    is_accepted,
    jwk_of,
    new_key,
    set_up,
    sign,
)
from tests.api.notifications.push_tokens import PATH
from tests.world import Json, Node, World

from hubbub.domain.identity import authenticate

PROVIDER = "/identity_provider"
NO_PROVIDER = "ERR_IDENTITY_PROVIDER_NOT_FOUND"
BAD = "ERR_BAD_REQUEST"


def encode(part: Any) -> str:
    """Return a part of a JWT."""
    content = part if isinstance(part, bytes) else json.dumps(part).encode()
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def unsigned(header: Any, claims: Any, signature: bytes = b"x" * 64) -> str:
    """Return a JWT with a signature that is none."""
    return f"{encode(header)}.{encode(claims)}.{encode(signature)}"


@pytest.mark.parametrize("algorithm", ["RS256", "RS512", "PS256", "ES256", "ES384", "EdDSA"])
async def test_a_jwt_is_accepted(trusting: World, idp: Idp, algorithm: str) -> None:
    """A JWT that the provider has signed is the user whom it names, with the rights of a token."""
    idp.rotate("k1", algorithm)
    jwt, how = idp.sign(), {"appId": trusting.app_id}

    assert (await trusting.get("/users/anna", token=jwt, headers=how))["uid"] == "anna"
    await trusting.put("/users/anna", {"statusMessage": "Hi"}, token=jwt, headers=how)
    await trusting.refused(
        "GET", "/apikeys", token=jwt, headers=how, status=403, code="AUTH_ERR_NO_ACCESS"
    )
    body = {"receiver": "ben", "receiverType": "user", "data": {"text": "Hi"}}
    sent = await trusting.post(
        "/messages", {**body, "category": "message", "type": "text"}, token=jwt, headers=how
    )
    assert sent["sender"] == "anna"


FIT: dict[str, Json] = {
    "an audience in a list": {"aud": ["other", AUDIENCE]},
    "times with fractions": {"exp": 4e9 + 0.5},
    "issued a moment ahead": {"iat": 10},
    "valid from a moment ahead": {"nbf": 10},
    "a uid in capitals": {"sub": "ANNA"},
    "further claims": {"scope": ["a"], "nested": {"a": [1, 2, {"b": None}]}},
}
UNFIT: dict[str, Json] = {
    "another issuer": {"iss": "https://id.example.com"},
    "no issuer": {"iss": None},
    "issuers": {"iss": [ISSUER]},
    "another audience": {"aud": "other"},
    "a part of the audience": {"aud": "chatter"},
    "no audience": {"aud": None},
    "other audiences": {"aud": ["other", "chats"]},
    "an empty list of audiences": {"aud": []},
    "an audience in an object": {"aud": {AUDIENCE: True}},
    "too many audiences": {"aud": [AUDIENCE] * 101},
    "ended": {"exp": 0},
    "no end": {"exp": None},
    "an end that is text": {"exp": "4000000000"},
    "an end that is true": {"exp": True},
    "an end in milliseconds": {"exp": 4e12},
    "an end that is infinite": {"exp": float("inf")},
    "a negative end": {"exp": -1e300},
    "not issued yet": {"iat": 11},
    "no time of issue": {"iat": None},
    "a time of issue that is text": {"iat": "1"},
    "not valid yet": {"nbf": 11},
    "valid from some text": {"nbf": "soon"},
    "nobody": {"sub": "nobody"},
    "no user": {"sub": None},
    "a user that is no text": {"sub": 1},
    "a user with a bad uid": {"sub": "an@na"},
    "a user with an empty uid": {"sub": ""},
    "a user with NUL": {"sub": "anna\0"},
    "the app": {"sub": "app_system"},
}


def timed(idp: Idp, claims: Json) -> Json:
    """Return claims with small times as seconds from now on."""
    times = {
        name: idp.clock.now() + claims[name]
        for name in ("iat", "nbf", "exp")
        if type(claims.get(name)) is int
    }
    return {**claims, **times}


async def test_claims_that_fit(trusting: World, idp: Idp) -> None:
    """Claims that the standard allows are accepted."""
    refused = [
        name
        for name, claims in FIT.items()
        if not await is_accepted(trusting, idp.sign(**timed(idp, claims)))
    ]

    assert refused == []


async def test_claims_that_do_not_fit(trusting: World, idp: Idp) -> None:
    """A JWT for others, that has ended or does not hold yet, or of nobody, is refused."""
    accepted = [
        name
        for name, claims in UNFIT.items()
        if await is_accepted(trusting, idp.sign(**timed(idp, claims)))
    ]

    assert accepted == []
    assert await is_accepted(trusting, idp.sign())


def _confused(idp: Idp) -> str:
    """Return a JWT that is signed with the public key as if that were a secret."""
    pem = (
        idp.keys["k1"][0].public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    )
    begin = f"{encode({'alg': 'HS256', 'kid': 'k1'})}.{encode(idp.claims())}"
    return f"{begin}.{encode(hmac.new(pem, begin.encode(), 'sha256').digest())}"


def _own_key(idp: Idp, **header: Any) -> str:
    """Return a JWT with a key of the attacker's own, which the header carries or names."""
    key = new_key()
    named = {"kid": "k1", "jwk": jwk_of(key, "k1", "ES256"), **header}
    return sign(idp.claims(), key, "ES256", named)


def _with_header(idp: Idp, **header: Any) -> str:
    """Return a JWT that is signed well, with something in its header."""
    return idp.sign(header=header)


def _cut(jwt: str, part: int, text: str) -> str:
    parts = jwt.split(".")
    parts[part] = text
    return ".".join(parts)


FORGED: dict[str, Callable[[Idp], str]] = {
    "none": lambda idp: unsigned({"alg": "none", "kid": "k1"}, idp.claims()),
    "none, without a signature": lambda idp: unsigned({"alg": "none"}, idp.claims(), b""),
    "nOnE": lambda idp: unsigned({"alg": "nOnE", "kid": "k1"}, idp.claims()),
    "no algorithm": lambda idp: unsigned({"kid": "k1"}, idp.claims()),
    "an algorithm that is no text": lambda idp: unsigned({"alg": ["ES256"]}, idp.claims()),
    "the public key as a secret": _confused,
    "another algorithm of the key": lambda idp: unsigned(
        {"alg": "RS256", "kid": "k1"}, idp.claims()
    ),
    "a key in the header": _own_key,
    "the address of a key": lambda idp: _own_key(
        idp, jku=idp.receiver.url("/evil"), x5u=idp.receiver.url("/evil")
    ),
    "another key": lambda idp: sign(idp.claims(), new_key(), "ES256", {"kid": "k1"}),
    "no name of a key, another key": lambda idp: sign(idp.claims(), new_key(), "ES256"),
    "a key that is not known": lambda idp: sign(idp.claims(), new_key(), "ES256", {"kid": "k9"}),
    "a kid that is a path": lambda idp: sign(
        idp.claims(), new_key(), "ES256", {"kid": "../../dev/null"}
    ),
    "a long kid": lambda idp: _with_header(idp, kid="k" * 201),
    "a kid that is no text": lambda idp: unsigned({"alg": "ES256", "kid": 1}, idp.claims()),
    "critical extensions": lambda idp: _with_header(idp, crit=["exp"], exp=1),
    "compressed": lambda idp: _with_header(idp, zip="DEF"),
    "nested": lambda idp: _with_header(idp, cty="JWT"),
    "another type": lambda idp: _with_header(idp, typ="logout+jwt"),
    "changed claims": lambda idp: _cut(idp.sign(), 1, encode(idp.claims(sub="ben"))),
    "no signature": lambda idp: idp.sign().rsplit(".", 1)[0] + ".",
    "half a signature": lambda idp: idp.sign()[:-40],
    "a longer signature": lambda idp: idp.sign() + "AAAA",
    "a signature of another": lambda idp: _cut(idp.sign(sub="ben"), 1, encode(idp.claims())),
    "two parts": lambda idp: idp.sign().rsplit(".", 1)[0],
    "five parts": lambda idp: idp.sign() + ".AAAA.AAAA",
    "padding": lambda idp: _cut(idp.sign(), 1, encode(idp.claims()) + "="),
    "other letters": lambda idp: _cut(idp.sign(), 1, "eyJ*"),
    "claims that are a list": lambda idp: unsigned({"alg": "ES256", "kid": "k1"}, ["anna"]),
    "claims that are no JSON": lambda idp: unsigned({"alg": "ES256", "kid": "k1"}, b"\xff{"),
    "claims that are deep": lambda idp: unsigned(
        {"alg": "ES256", "kid": "k1"}, b'{"a":' + b"[" * 3_000 + b"]" * 3_000 + b"}"
    ),
    "a huge one": lambda idp: idp.sign(padding="x" * 8_000),
    "a huger one": lambda idp: idp.sign(padding="x" * 20_000),
    "only its beginning": lambda idp: "eyJ",
    "dots": lambda idp: "eyJ..",
}


async def test_forged_jwts(trusting: World, idp: Idp) -> None:
    """Whatever is forged, malformed or not understood is refused, and leads to no other address."""
    accepted = [name for name, forge in FORGED.items() if await is_accepted(trusting, forge(idp))]

    assert accepted == []
    assert {each.path for each in idp.receiver.received} == {"/keys"}
    assert await is_accepted(trusting, idp.sign())


async def test_jwts_by_a_secret(near_node: Node, idp: Idp) -> None:
    """A secret signs with HS alone, and no public key is asked for."""
    world = await near_node.world()
    await world.user("anna")
    await set_up(world, secret=SECRET)
    header = {"kid": "any"}

    for algorithm in ("HS256", "HS384", "HS512"):
        assert await is_accepted(world, sign(idp.claims(), SECRET, algorithm, header)), algorithm
    forged = [
        sign(idp.claims(), SECRET + "x", "HS256", header),
        idp.sign(),
        unsigned({"alg": "none"}, idp.claims()),
    ]
    for jwt in forged:
        assert not await is_accepted(world, jwt)
    assert idp.fetched == 0


async def test_a_secret_fits_the_hash(near_node: Node, idp: Idp) -> None:
    """A secret that is shorter than the hash of an algorithm verifies nothing by that one."""
    world = await near_node.world()
    await world.user("anna")
    await set_up(world, secret=SECRET[:32])
    begin = f"{encode({'alg': 'HS512'})}.{encode(idp.claims())}"
    signature = hmac.new(SECRET[:32].encode(), begin.encode(), "sha512").digest()

    assert not await is_accepted(world, f"{begin}.{encode(signature)}")
    assert await is_accepted(world, sign(idp.claims(), SECRET[:32], "HS256"))


# Which app, and which token


async def test_a_jwt_needs_its_app(trusting: World, near_node: Node, idp: Idp) -> None:
    """A JWT does not say its app: the call does, and each app trusts its own provider alone."""
    other = await near_node.world()
    await other.user("anna")
    jwt = idp.sign()

    await trusting.refused("GET", "/users/anna", token=jwt, status=401, code="AUTH_ERR_EMPTY_APPID")
    assert not await is_accepted(other, jwt)
    host = {"host": f"{trusting.app_id}.api-us.chat.example.com"}
    assert (await trusting.get("/users/anna", token=jwt, headers=host))["uid"] == "anna"
    headers = {"apikey": trusting.key}
    assert (await trusting.get("/users/anna", token=jwt, headers=headers))["uid"] == "anna"


async def test_auth_tokens_go_on_beside_jwts(trusting: World) -> None:
    """An app with a provider accepts its auth tokens as before."""
    token = await trusting.token("anna")

    assert (await trusting.get("/users/anna", token=token))["uid"] == "anna"


async def test_a_jwt_ends_while_remembered(trusting: World, idp: Idp) -> None:
    """A JWT is refused from the second of its end on, however short ago it was accepted."""
    jwt = idp.sign(exp=idp.clock.now() + 3)
    assert await is_accepted(trusting, jwt)
    idp.clock.advance(2)
    assert await is_accepted(trusting, jwt)
    idp.clock.advance(1)

    assert not await is_accepted(trusting, jwt)


async def test_a_jwt_lives_no_longer_than_tokens(trusting: World, idp: Idp) -> None:
    """The longest life of the app's tokens is that of JWTs, too, and 30 days at most."""
    jwt = idp.sign(exp=idp.clock.now() + 10**9)
    assert await is_accepted(trusting, jwt)
    await trusting.put("/settings", {"settings": {"authTokens.longestSeconds": 100}})
    idp.clock.advance(99)
    assert await is_accepted(trusting, jwt)
    idp.clock.advance(1)
    assert not await is_accepted(trusting, jwt)

    await trusting.put("/settings", {"settings": {"authTokens.longestSeconds": 0}})
    forget(idp.clock)
    assert await is_accepted(trusting, jwt)
    idp.clock.advance(30 * 24 * 3600)
    assert not await is_accepted(trusting, jwt)


async def test_a_verified_jwt_is_remembered(
    trusting: World, idp: Idp, near_node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For some seconds a JWT is neither verified again nor looked up in the database."""
    verified: list[str] = []
    before = authenticate._verify  # what is counted

    async def count(*given: Any) -> Any:
        verified.append("again")
        return await before(*given)

    monkeypatch.setattr(authenticate, "_verify", count)
    jwt = idp.sign(padding="x" * 2_000)
    for _ in range(5):
        assert await is_accepted(trusting, jwt)
    assert verified == ["again"]
    forget(idp.clock)
    assert await is_accepted(trusting, jwt)
    assert len(verified) == 2


# Keys


async def test_keys_are_rotated(trusting: World, idp: Idp) -> None:
    """JWTs of a new key are accepted at once, those of a former one while that is published."""
    first = idp.sign("k1")
    assert await is_accepted(trusting, first)
    idp.clock.advance(60)
    idp.rotate("k2", "RS256", keeps=True)
    second = idp.sign("k2")
    assert await is_accepted(trusting, second)
    assert await is_accepted(trusting, first)
    idp.clock.advance(60)
    idp.rotate("k3", "EdDSA")

    assert await is_accepted(trusting, idp.sign("k3"))
    assert not await is_accepted(trusting, first)
    assert not await is_accepted(trusting, second)
    assert idp.fetched == 3


async def test_a_withdrawn_key_ends(trusting: World, idp: Idp) -> None:
    """A key that is not published any more verifies nothing five minutes later, unasked for."""
    first = idp.sign("k1")
    assert await is_accepted(trusting, first)
    idp.rotate("k2")
    idp.clock.advance(301)
    await is_accepted(trusting, first)  # which has the keys fetched again, and does not wait
    held = trusting_keys(trusting, idp)
    if held is not None:
        await asyncio.wait([held])
    forget(idp.clock)

    assert not await is_accepted(trusting, first)


def trusting_keys(world: World, idp: Idp) -> asyncio.Task[None] | None:
    """Return the fetch under way, if there is one."""
    return next((t for t in asyncio.all_tasks() if "_fetch" in repr(t.get_coro())), None)


async def test_unknown_keys_are_asked_for_seldom(trusting: World, idp: Idp) -> None:
    """However many JWTs name keys that are not known, they are fetched once in ten seconds."""
    assert await is_accepted(trusting, idp.sign())
    idp.clock.advance(10)
    for n in range(20):
        forged = sign(idp.claims(), new_key(), "ES256", {"kid": f"other-{n}"})
        assert not await is_accepted(trusting, forged)
    assert idp.fetched == 2
    assert await is_accepted(trusting, idp.sign())


async def test_keys_are_fetched_once_for_many(trusting: World, idp: Idp) -> None:
    """Calls that come together wait for the same fetch."""
    jwts = [idp.sign(jti=str(n)) for n in range(30)]

    assert all(await asyncio.gather(*(_is_open(trusting, jwt) for jwt in jwts)))
    assert idp.fetched == 1


async def _is_open(world: World, jwt: str) -> bool:
    answer = await world.ask("GET", "/users/anna", token=jwt, headers={"appId": world.app_id})
    return answer.status == 200


async def test_a_provider_that_is_away(trusting: World, idp: Idp) -> None:
    """Without keys calls are answered 503, not that the token is refused; known keys go on."""
    idp.receiver.reply = lambda _: 500
    how = {"appId": trusting.app_id}
    jwt = idp.sign()
    for _ in range(3):
        answer = await trusting.ask("GET", "/users/anna", token=jwt, headers=how)
        assert answer.status == 503
        assert answer.headers["retry-after"] == "10"
    assert idp.fetched == 1
    assert "status 500" in (await trusting.get(PROVIDER))["keysFailure"]
    idp.clock.advance(10)
    idp.rotate("k1")
    assert await is_accepted(trusting, idp.sign())
    assert "keysFailure" not in await trusting.get(PROVIDER)

    idp.receiver.reply = lambda _: 500
    idp.clock.advance(1_800)
    assert await is_accepted(trusting, idp.sign())
    idp.clock.advance(1_801)
    answer = await trusting.ask("GET", "/users/anna", token=idp.sign(), headers=how)
    assert answer.status == 503


BAD_SETS: dict[str, bytes] = {
    "no JSON": b"<html>",
    "no keys": b"{}",
    "no list": b'{"keys": {}}',
    "an empty list": b'{"keys": []}',
    "no objects": b'{"keys": [1, "a", null]}',
    "deep": b"[" * 50_000,
    "large": b'{"keys": [' + b" " * 70_000 + b"]}",
    "many": b'{"keys": [' + b",".join([b"{}"] * 51) + b"]}",
}


async def test_sets_of_keys_that_are_none(trusting: World, idp: Idp) -> None:
    """Whatever a provider answers, nothing fails but the call, which is answered 503."""
    for name, content in BAD_SETS.items():
        idp.receiver.answer = content
        how = {"appId": trusting.app_id}
        answer = await trusting.ask("GET", "/users/anna", token=idp.sign(), headers=how)
        assert answer.status == 503, name
        assert (await trusting.get(PROVIDER))["keysFailure"], name
        idp.clock.advance(10)


async def test_keys_that_are_not_used(trusting: World, idp: Idp) -> None:
    """Secrets, private keys, keys to encrypt with, weak and huge ones verify nothing."""
    key, algorithm = idp.keys["k1"]
    weak = rsa.generate_private_key(65537, 1024)
    good = jwk_of(key, "k1", algorithm)
    idp.keys["k2"] = weak, "RS256"
    for published in (
        {"kty": "oct", "kid": "k1", "k": encode(SECRET.encode())},
        {**good, "use": "enc"},
        {**good, "d": encode(b"x" * 32)},
        {**good, "alg": "ES384"},
        {**good, "x": "AAAA"},
        {**good, "x": 1},
        {**good, "crv": "P-999"},
        {**good, "crv": ["P-256"]},
        {**good, "kty": "RSA"},
        {**good, "kid": 1},
    ):
        idp.publish(published, jwk_of(new_key(), "other", "ES256"))
        assert not await is_accepted(trusting, idp.sign()), published
        idp.clock.advance(10)
    idp.publish(jwk_of(weak, "k2", "RS256"), good)
    with pytest.warns(match="bits"):
        jwt = idp.sign("k2")
    assert not await is_accepted(trusting, jwt)
    assert await is_accepted(trusting, idp.sign())


async def test_keys_without_a_name(trusting: World, idp: Idp) -> None:
    """Without names the only key for the algorithm is taken; of several none."""
    key, algorithm = idp.keys["k1"]
    idp.publish(jwk_of(key, None, algorithm), jwk_of(new_key("EdDSA"), None, "EdDSA"))
    assert await is_accepted(trusting, sign(idp.claims(), key, algorithm))
    idp.clock.advance(10)
    idp.publish(jwk_of(key, None, algorithm), jwk_of(new_key(), None, algorithm))
    await set_up(trusting, jwksUrl=idp.receiver.url("/others"))

    assert not await is_accepted(trusting, sign(idp.claims(), key, algorithm))


# Users


@pytest.mark.parametrize("name", ["Cora Ek", None, "", " ", 1, "x" * 300, "a\0b"])
async def test_users_are_created(trusting: World, idp: Idp, name: object) -> None:
    """Where the app wants it, the first JWT of a user creates them, once, with their name."""
    await set_up(trusting, jwksUrl=idp.receiver.url("/keys"), createUsers=True)
    jwts = [idp.sign(sub="cora", name=name, jti=n) for n in range(5)]
    how = {"appId": trusting.app_id}
    asked = (trusting.ask("GET", "/users/cora", token=jwt, headers=how) for jwt in jwts)

    assert {answer.status for answer in await asyncio.gather(*asked)} == {200}
    shown = (await trusting.get("/users/cora"))["name"]
    expected = {"Cora Ek": "Cora Ek", "x" * 300: "x" * 100, "a\0b": "ab"}
    assert shown == expected.get(str(name), "cora")


@pytest.mark.parametrize("way", ["deactivated", "soft", "permanent"])
async def test_users_who_are_gone(trusting: World, idp: Idp, way: str) -> None:
    """A user who is deactivated or deleted is refused; an earlier JWT does not create them anew."""
    await set_up(trusting, jwksUrl=idp.receiver.url("/keys"), createUsers=True)
    jwt = idp.sign()
    assert await is_accepted(trusting, jwt)
    if way == "deactivated":
        await trusting.delete("/users", {"uidsToDeactivate": ["anna"]})
    else:
        await trusting.delete("/users/anna", {"permanent": way == "permanent"})
    assert not await is_accepted(trusting, jwt)
    idp.clock.advance(1)
    is_new = await is_accepted(trusting, idp.sign())

    assert is_new is (way == "permanent")


# Revoking


async def test_all_jwts_are_revoked(trusting: World, idp: Idp) -> None:
    """From a revocation on JWTs that were issued before are refused, and later ones accepted."""
    jwt, bens = idp.sign(), idp.sign(sub="ben")
    assert await is_accepted(trusting, jwt)
    revoked = await trusting.post(f"{PROVIDER}/revoke")
    assert revoked["validAfter"] == idp.clock.now()
    for each in (jwt, bens):
        assert not await is_accepted(trusting, each)
    idp.clock.advance(1)
    assert await is_accepted(trusting, idp.sign())
    assert not await is_accepted(trusting, jwt)
    await set_up(trusting, jwksUrl=idp.receiver.url("/keys"), uidClaim="sub")
    assert not await is_accepted(trusting, jwt)


async def test_jwts_of_a_user_are_revoked(trusting: World, idp: Idp) -> None:
    """Revoking all auth tokens of a user revokes their JWTs and push tokens, and nobody else's."""
    jwt, bens, how = idp.sign(), idp.sign(sub="ben"), {"appId": trusting.app_id}
    body = {"platform": "fcm_android", "fcmToken": "f1", "authToken": jwt}
    await trusting.post(PATH, body, token=jwt, headers=how)
    await trusting.delete("/users/anna/auth_tokens", token=jwt, headers=how)

    assert not await is_accepted(trusting, jwt)
    assert await is_accepted(trusting, bens)
    idp.clock.advance(1)
    later = idp.sign()
    assert await is_accepted(trusting, later)
    answer = await trusting.ask("GET", f"{PATH}?all=true", token=later, headers=how)
    assert answer.status == 200
    assert "f1" not in str(answer.data)


async def test_push_tokens_of_jwts(trusting: World, idp: Idp) -> None:
    """Who calls with a JWT registers a push token with it, which outlives it; nobody else can."""
    jwt, how = idp.sign(exp=idp.clock.now() + 60), {"appId": trusting.app_id}
    body = {"platform": "fcm_android", "fcmToken": "f1", "authToken": jwt}
    of_another = await trusting.ask("POST", PATH, body, token=idp.sign(sub="ben"), headers=how)
    by_the_app = await trusting.ask("POST", PATH, body)
    assert (of_another.status, by_the_app.status) == (404, 404)
    await trusting.post(PATH, body, token=jwt, headers=how)
    idp.clock.advance(60)
    later = idp.sign()

    answer = await trusting.ask("GET", f"{PATH}?all=true", token=later, headers=how)
    assert "f1" in str(answer.data)


# Setting up


async def test_a_provider_is_set_up(near_node: Node, idp: Idp) -> None:
    """A provider is shown with its secret masked; the mark keeps it, a removal ends all."""
    world = await near_node.world()
    await world.user("anna")
    await world.refused("GET", PROVIDER, status=404, code=NO_PROVIDER)
    made = await set_up(world, secret=SECRET)
    assert made["secret"] == "•••"
    assert await world.get(PROVIDER) == made
    assert SECRET not in str(made)
    await set_up(world, secret="•••", uidClaim="preferred")
    jwt = sign(idp.claims(preferred="anna"), SECRET, "HS256")
    assert await is_accepted(world, jwt)
    await world.delete(PROVIDER)

    assert not await is_accepted(world, jwt)
    await world.refused("DELETE", PROVIDER, status=404, code=NO_PROVIDER)
    await world.refused("POST", f"{PROVIDER}/revoke", status=404, code=NO_PROVIDER)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "jwksUrl"),
        ({"jwksUrl": "https://id.example.com/", "secret": SECRET}, "jwksUrl"),
        ({"secret": "short"}, "secret"),
        ({"secret": "•••"}, "secret"),
        ({"secret": "x" * 1_001}, "secret"),
        ({"secret": SECRET, "issuer": ""}, "issuer"),
        ({"secret": SECRET, "issuer": None}, "issuer"),
        ({"secret": SECRET, "audience": "a\0"}, "audience"),
        ({"secret": SECRET, "audience": ["a"]}, "audience"),
        ({"secret": SECRET, "uidClaim": ""}, "uidClaim"),
        ({"secret": SECRET, "createUsers": "yes"}, "createUsers"),
        ({"jwksUrl": "ftp://id.example.com/"}, "jwksUrl"),
        ({"jwksUrl": "http://8.8.8.8/keys"}, "jwksUrl"),
        ({"jwksUrl": "https://169.254.169.254/keys"}, "jwksUrl"),
        ({"jwksUrl": "https://a:b@id.example.com/"}, "jwksUrl"),
    ],
)
async def test_providers_that_are_none(near_node: Node, body: Json, field: str) -> None:
    """A body that is no provider is refused with the field named, and changes nothing."""
    world = await near_node.world()
    given = {"issuer": ISSUER, "audience": AUDIENCE, **body}
    details = await world.refused("PUT", PROVIDER, given, status=400, code=BAD)

    assert list(details) == [field]
    await world.refused("GET", PROVIDER, status=404, code=NO_PROVIDER)
