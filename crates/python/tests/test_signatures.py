# SPDX-License-Identifier: Apache-2.0
"""Signatures, against cryptography both ways."""

import hashlib

import pytest
from conftest import Pair, pair
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, utils

import garner

HASHES: dict[str, hashes.HashAlgorithm] = {
    "SHA-224": hashes.SHA224(),
    "SHA-256": hashes.SHA256(),
    "SHA-384": hashes.SHA384(),
    "SHA-512": hashes.SHA512(),
    "SHA-512/224": hashes.SHA512_224(),
    "SHA-512/256": hashes.SHA512_256(),
    "SHA3-224": hashes.SHA3_224(),
    "SHA3-256": hashes.SHA3_256(),
    "SHA3-384": hashes.SHA3_384(),
    "SHA3-512": hashes.SHA3_512(),
}
MESSAGES = [b"", b"message", bytes(100_000)]
PSS = garner.PSS("SHA-256")


def digest(name: str, message: bytes) -> bytes:
    context = hashes.Hash(HASHES[name])
    context.update(message)
    return context.finalize()


@pytest.mark.parametrize("name", HASHES)
def test_pkcs1v15_is_cryptographys_byte_for_byte(keys: Pair, name: str) -> None:
    scheme = garner.PKCS1v15(name)
    for message in MESSAGES:
        signature = keys.theirs.sign(message, padding.PKCS1v15(), HASHES[name])
        assert keys.ours.sign(message, scheme) == signature
        assert keys.ours.sign(digest(name, message), scheme, prehashed=True) == signature
        keys.ours.public_key.verify(message, signature, scheme)
        keys.ours.public_key.verify(digest(name, message), signature, scheme, prehashed=True)


@pytest.mark.parametrize("mask", ["SHA-256", "SHA-512", None])
@pytest.mark.parametrize("name", HASHES)
def test_pss_verifies_both_ways_with_every_hash_and_salt(keys: Pair, name: str, mask: str | None) -> None:
    room = (keys.ours.bits - 1 + 7) // 8 - HASHES[name].digest_size - 2
    mgf = padding.MGF1(HASHES[mask or name])
    for length, theirs in (
        ("digest", padding.PSS.DIGEST_LENGTH),
        ("longest", padding.PSS.MAX_LENGTH),
        (0, 0),
        (20, 20),
    ):
        scheme = garner.PSS(name, mgf1_hash=mask, salt_length=length)  # type: ignore[arg-type]
        needed = HASHES[name].digest_size if length == "digest" else 0 if length == "longest" else length
        if int(needed) > room:  # SHA-512 under 1024 bits
            with pytest.raises(garner.InvalidArgument, match="modulus"):
                keys.ours.sign(b"message", scheme)
            continue
        pss = padding.PSS(mgf, theirs)
        keys.theirs.public_key().verify(keys.ours.sign(b"message", scheme), b"message", pss, HASHES[name])
        signature = keys.theirs.sign(b"message", pss, HASHES[name])
        keys.ours.public_key.verify(b"message", signature, scheme)
        keys.ours.public_key.verify(b"message", signature, garner.PSS(name, mgf1_hash=mask, salt_length="any"))
        prehashed = utils.Prehashed(HASHES[name])
        signature = keys.ours.sign(digest(name, b"message"), scheme, prehashed=True)
        keys.theirs.public_key().verify(signature, digest(name, b"message"), pss, prehashed)


def test_sha1_verifies_and_does_not_sign(keys: Pair) -> None:
    signature = keys.theirs.sign(b"message", padding.PKCS1v15(), hashes.SHA1())
    keys.ours.public_key.verify(b"message", signature, garner.PKCS1v15("SHA-1"))
    for scheme in garner.PKCS1v15("SHA-1"), garner.PSS("SHA-1"):
        with pytest.raises(garner.InvalidArgument, match="SHA-1 is accepted in verification only"):
            keys.ours.sign(b"message", scheme)


@pytest.mark.parametrize("name, length", [("SHAKE128", 32), ("shake256", 64)])
def test_shake_signs_what_shake_verifies(name: str, length: int) -> None:
    key, scheme = pair(2048).ours, garner.PSS(name)
    digest = hashlib.new(name.lower(), b"message").digest(length)  # type: ignore[call-arg]
    key.public_key.verify(digest, key.sign(b"message", scheme), scheme, prehashed=True)
    with pytest.raises(garner.InvalidArgument, match="makes its mask by itself"):
        garner.PSS(name, mgf1_hash="SHA-256")


@pytest.mark.parametrize("scheme", [PSS, garner.PKCS1v15("SHA-256")], ids=repr)
def test_whatever_is_wrong_with_a_signature_is_one_exception(keys: Pair, scheme: garner.PSS) -> None:
    public, size = keys.ours.public_key, keys.ours.size
    good = keys.ours.sign(b"message", scheme)
    modulus = keys.theirs.public_key().public_numbers().n
    public.verify(b"message", good, scheme)
    wrong = [b"", good[1:], good[:-1], b"\0" + good, good + b"\0", bytes(size), b"\xff" * size, bytes(10 * size)]
    wrong += [modulus.to_bytes(size, "big"), (modulus - 1).to_bytes(size, "big"), (1).to_bytes(size, "big")]
    as_number = int.from_bytes(good, "big")
    wrong += [(modulus - as_number).to_bytes(size, "big")]
    if as_number + modulus < 1 << 8 * size:  # the same number modulo n, not below n
        wrong += [(as_number + modulus).to_bytes(size, "big")]
    for bit in range(0, 8 * size, 97):
        flipped = bytearray(good)
        flipped[bit // 8] ^= 1 << bit % 8
        wrong.append(bytes(flipped))
    texts = set()
    for signature in wrong:
        with pytest.raises(garner.InvalidSignature) as caught:
            public.verify(b"message", signature, scheme)
        texts.add(str(caught.value))
        if int.from_bytes(signature, "big") == as_number and len(signature) < size:
            continue  # OpenSSL takes signatures whose leading zeros were cut off, by PSS
        with pytest.raises(InvalidSignature):  # the oracle agrees
            theirs = padding.PSS(padding.MGF1(hashes.SHA256()), 32) if scheme is PSS else padding.PKCS1v15()
            keys.theirs.public_key().verify(signature, b"message", theirs, hashes.SHA256())
    assert texts == {"the signature does not match"}
    with pytest.raises(garner.InvalidSignature):
        public.verify(b"massage", good, scheme)
    for other in garner.PSS("SHA-384"), garner.PKCS1v15("SHA-384"), garner.PSS("SHA-256", salt_length=31):
        with pytest.raises((garner.InvalidSignature, garner.InvalidArgument)):
            public.verify(b"message", good, other)
    assert public.verify_many([b"message"] * len(wrong), wrong, scheme) == [False] * len(wrong)


def test_digests_of_another_length_are_refused(key: garner.PrivateKey) -> None:
    for length in 0, 20, 31, 33, 64:
        with pytest.raises(garner.InvalidArgument, match=f"digest: has {length} bytes, but SHA-256 gives 32"):
            key.sign(bytes(length), PSS, prehashed=True)
        with pytest.raises(garner.InvalidArgument, match="digest"):
            key.public_key.verify(bytes(length), bytes(128), PSS, prehashed=True)


def test_schemes_that_cannot_be_say_why() -> None:
    for name in "", "MD5", "SHA-257", "\0":
        for scheme in garner.PSS, garner.PKCS1v15, garner.OAEP:
            with pytest.raises(garner.InvalidArgument, match="hash: .* is not one of SHA-1, SHA-224"):
                scheme(name)
    for length in -1, 1 << 70, 1 << 200, -(1 << 200), "DIGEST", "":
        with pytest.raises((garner.InvalidArgument, OverflowError)):
            garner.PSS("SHA-256", salt_length=length)  # type: ignore[arg-type]
    with pytest.raises(garner.InvalidArgument, match="modulus: has 1024 bits, too few"):
        pair(1024).ours.sign(b"", garner.PSS("SHA-256", salt_length=95))
    assert repr(garner.PSS("sha256")) == 'PSS("SHA-256", mgf1_hash="SHA-256", salt_length="digest")'
    assert repr(garner.PSS("shake128", salt_length=7)) == 'PSS("SHAKE128", salt_length=7)'
    assert repr(garner.PKCS1v15("SHA512-224")) == 'PKCS1v15("SHA-512/224")'


def test_buffers_of_every_kind_are_messages(key: garner.PrivateKey) -> None:
    scheme = garner.PKCS1v15("SHA-256")
    expected = key.sign(b"message", scheme)
    for message in bytearray(b"message"), memoryview(b"message"), memoryview(b"m.e.s.s.a.g.e")[::2]:
        assert key.sign(message, scheme) == expected


@pytest.mark.parametrize("scheme", [PSS, garner.PKCS1v15("SHA-512")], ids=repr)
def test_many_are_as_one_by_one(keys: Pair, scheme: garner.PSS) -> None:
    messages = [b"message %d" % number for number in range(70)]
    signatures = keys.ours.sign_many(messages, scheme)
    public = keys.ours.public_key
    for message, signature in zip(messages, signatures, strict=True):
        public.verify(message, signature, scheme)
    expected = [True] * 70
    assert public.verify_many(messages, signatures, scheme) == expected
    signatures[3], signatures[69] = signatures[69], signatures[3][:-1]
    expected[3] = expected[69] = False
    assert public.verify_many(messages, signatures, scheme) == expected
    digests = (hashlib.sha256(message).digest() for message in messages)
    prehashed = keys.ours.sign_many(digests, garner.PKCS1v15("SHA-256"), prehashed=True)
    assert prehashed == [keys.theirs.sign(message, padding.PKCS1v15(), hashes.SHA256()) for message in messages]


def test_of_many_the_one_at_fault_is_named(key: garner.PrivateKey) -> None:
    assert key.sign_many([], PSS) == [] and key.public_key.verify_many([], [], PSS) == []
    with pytest.raises(garner.InvalidArgument, match=r"messages\[2\]: digest: has 31 bytes"):
        key.sign_many([bytes(32), bytes(32), bytes(31), bytes(30)], PSS, prehashed=True)
    with pytest.raises(garner.InvalidArgument, match="signatures: 1 for 2 messages"):
        key.public_key.verify_many([b"", b""], [b""], PSS)
    with pytest.raises(garner.InvalidArgument, match=r"messages\[1\]: digest"):
        key.public_key.verify_many([bytes(32), b""], [bytes(128)] * 2, PSS, prehashed=True)
    before = garner.stats()
    key.sign_many([b"message"] * 100, PSS)
    after = garner.stats()
    assert after.private_operations - before.private_operations == 100
    assert after.mean_fill >= 1 and after.device_seconds > before.device_seconds
