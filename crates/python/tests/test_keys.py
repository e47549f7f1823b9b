# SPDX-License-Identifier: Apache-2.0
"""Keys in and out."""

import copy
import pickle
from typing import Any

import pytest
from conftest import Pair, pair
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

import garner

PSS = garner.PSS("SHA-256")


def same(ours: garner.PrivateKey, theirs: rsa.RSAPrivateKey) -> bool:
    read = serialization.load_der_private_key(ours.to_der(), None)
    assert isinstance(read, rsa.RSAPrivateKey)
    return read.private_numbers() == theirs.private_numbers()


def test_every_encoding_of_a_key_is_read(keys: Pair) -> None:
    expected = keys.ours.to_der()
    for form in PrivateFormat.PKCS8, PrivateFormat.TraditionalOpenSSL:
        pem = keys.theirs.private_bytes(Encoding.PEM, form, NoEncryption())
        assert garner.PrivateKey.from_pem(pem.decode()).to_der() == expected
        der = keys.theirs.private_bytes(Encoding.DER, form, NoEncryption())
        assert garner.PrivateKey.from_der(memoryview(der)).to_der() == expected
    assert garner.PrivateKey.from_pem(bytearray(pem)).to_der() == expected
    public = keys.theirs.public_key()
    for kind in PublicFormat.SubjectPublicKeyInfo, PublicFormat.PKCS1:
        assert garner.PublicKey.from_pem(public.public_bytes(Encoding.PEM, kind)) == keys.ours.public_key
        assert garner.PublicKey.from_der(public.public_bytes(Encoding.DER, kind)) == keys.ours.public_key
    assert garner.PublicKey.from_cryptography(public) == keys.ours.public_key
    assert (keys.ours.bits, keys.ours.size) == (keys.theirs.key_size, (keys.theirs.key_size + 7) // 8)


def test_what_is_written_is_read_by_cryptography(keys: Pair) -> None:
    assert same(keys.ours, keys.theirs)
    pem = keys.ours.to_pem().encode()
    theirs = serialization.load_pem_private_key(pem, None)
    assert isinstance(theirs, rsa.RSAPrivateKey) and theirs.private_numbers() == keys.theirs.private_numbers()
    form = Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
    assert keys.ours.public_key.to_pem().encode() == keys.theirs.public_key().public_bytes(*form)


def test_encrypted_keys_need_their_password() -> None:
    theirs, ours = pair(1024)
    password = serialization.BestAvailableEncryption(b"secret")
    pem = theirs.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, password)
    der = theirs.private_bytes(Encoding.DER, PrivateFormat.PKCS8, password)
    for word in "secret", b"secret", bytearray(b"secret"):
        assert same(garner.PrivateKey.from_pem(pem, word), theirs)
        assert same(garner.PrivateKey.from_der(der, word), theirs)
    with pytest.raises(garner.InvalidKey, match="no password was given"):
        garner.PrivateKey.from_pem(pem)
    with pytest.raises(garner.InvalidKey, match="password"):
        garner.PrivateKey.from_pem(pem, "wrong")
    with pytest.raises(garner.InvalidKey, match="not encrypted"):
        garner.PrivateKey.from_pem(ours.to_pem(), "secret")
    read = serialization.load_pem_private_key(ours.to_pem("secret").encode(), b"secret")
    assert isinstance(read, rsa.RSAPrivateKey) and read.private_numbers() == theirs.private_numbers()
    serialization.load_der_private_key(ours.to_der(b"secret"), b"secret")
    with pytest.raises(garner.InvalidArgument, match="password: is empty"):
        ours.to_pem("")
    # What an environment variable that is not UTF-8 gives: no bytes stand for it, and no other password is taken instead.
    with pytest.raises(UnicodeEncodeError):
        ours.to_pem("secret\udce4")
    with pytest.raises(UnicodeEncodeError):
        garner.PrivateKey.from_pem(pem, "secret\udce4")


def test_generated_keys_are_what_was_asked_for() -> None:
    for bits, exponent in (2048, 65537), (3072, 65539):
        key = garner.PrivateKey.generate(bits, exponent=exponent)
        read = serialization.load_der_private_key(key.to_der(), None)
        assert isinstance(read, rsa.RSAPrivateKey) and read.key_size == bits == key.bits
        assert read.public_key().public_numbers().e == exponent
    assert garner.PrivateKey.generate().bits == 2048
    assert garner.PrivateKey.generate(1024, exponent=3, below_fips=True).bits == 1024


@pytest.mark.parametrize(
    "wrong, why",
    [
        ({"bits": 1024}, "bits: is 1024, must be from 2048"),
        ({"bits": 2050}, "multiple of 128"),
        ({"bits": 1 << 30}, "bits: is"),
        ({"exponent": 65536}, "exponent"),
        ({"exponent": 3}, "exponent: must be at least 65537"),
    ],
)
def test_keys_that_cannot_be_generated_say_why(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(garner.InvalidArgument, match=why):
        garner.PrivateKey.generate(**wrong)
    with pytest.raises(OverflowError):
        garner.PrivateKey.generate(exponent=1 << 64)


def test_damaged_keys_are_refused_by_name_and_quote_nothing() -> None:
    theirs, ours = pair(1024)
    der = theirs.private_bytes(Encoding.DER, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    numbers = theirs.private_numbers()
    at = der.index(numbers.p.to_bytes(64, "big"))
    changed = bytearray(der)
    changed[at + 60] ^= 2
    with pytest.raises(garner.InvalidKey, match="prime"):
        garner.PrivateKey.from_der(changed)
    for wrong in b"", b"\x30", der[:-1], der[:100], der + b"\0", b"no key at all", bytes(1000):
        with pytest.raises(garner.InvalidKey) as caught:
            garner.PrivateKey.from_der(wrong)
        assert len(str(caught.value)) < 300
    pem = ours.to_pem()
    for text in "", pem[:-30], pem.replace("PRIVATE", "PUBLIC"), "\0" * 100, "ü", pem.replace("M", "*", 1):
        with pytest.raises(garner.InvalidKey):
            garner.PrivateKey.from_pem(text)
    with pytest.raises(garner.InvalidKey):
        garner.PublicKey.from_der(b"\x30\x00")
    curve = ec.generate_private_key(ec.SECP256R1())
    with pytest.raises(garner.InvalidKey):
        garner.PrivateKey.from_pem(curve.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(TypeError, match="RSAPrivateKey, not"):
        garner.PrivateKey.from_cryptography(curve)
    with pytest.raises(TypeError, match="RSAPublicKey, not"):
        garner.PublicKey.from_cryptography(theirs)


def test_wrong_types_are_type_errors(key: garner.PrivateKey) -> None:
    for call in (
        lambda: garner.PrivateKey.from_der("text"),  # type: ignore[arg-type]
        lambda: garner.PrivateKey.from_pem(7),  # type: ignore[arg-type]
        lambda: key.sign("text", PSS),  # type: ignore[arg-type]
        lambda: key.sign(b"message", "PSS"),  # type: ignore[arg-type]
        lambda: key.sign(b"message", garner.OAEP("SHA-256")),  # type: ignore[arg-type]
        lambda: key.decrypt(bytes(128), PSS),  # type: ignore[arg-type]
        lambda: key.sign_many(5, PSS),  # type: ignore[arg-type]
        lambda: key.sign_many(["text"], PSS),  # type: ignore[list-item]
        lambda: garner.PSS(None),  # type: ignore[arg-type]
        lambda: garner.PSS("SHA-256", salt_length=1.5),  # type: ignore[arg-type]
        lambda: garner.PrivateKey(),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises((TypeError, BufferError)):
        key.sign(memoryview(b"abcdefgh").cast("I"), PSS)


def test_private_keys_stay_in_their_process_and_public_ones_travel(key: garner.PrivateKey) -> None:
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(key)
    assert copy.copy(key) is key and copy.deepcopy(key) is key
    assert str(key) == "<garner.PrivateKey of 1024 bits>"
    public = key.public_key
    assert pickle.loads(pickle.dumps(public)) == public and copy.deepcopy(public) == public
    other = pair(1536).ours.public_key
    assert public != other and public != 3 and len({public, key.public_key, other}) == 2


def test_schemes_that_say_the_same_are_equal_and_travel() -> None:
    def schemes() -> list[Any]:
        return [
            garner.PKCS1v15("SHA-256"),
            garner.PKCS1v15("SHA-512"),
            garner.PSS("SHA-256"),
            garner.PSS("SHA-256", salt_length=32),
            garner.PSS("SHA-256", mgf1_hash="SHA-1", salt_length="any"),
            garner.PSS("SHAKE256", salt_length="longest"),
            garner.OAEP("SHA-256"),
            garner.OAEP("SHA-256", mgf1_hash="SHA-1", label=b"label"),
            garner.OAEP("SHA-256", label=b"another"),
            garner.PKCS1v15Encryption(),
        ]

    assert schemes() == schemes() and len({*schemes(), *schemes()}) == len(schemes())
    assert garner.PSS("sha256") == PSS and PSS != garner.PKCS1v15("SHA-256") and PSS != "SHA-256"
    for scheme in schemes():
        for other in pickle.loads(pickle.dumps(scheme)), copy.copy(scheme), copy.deepcopy(scheme):
            assert other == scheme and repr(other) == repr(scheme) and hash(other) == hash(scheme)


def test_devices_and_their_order() -> None:
    devices = garner.devices()
    assert devices[-1].name == "libcrypto"
    for device in devices:
        assert 0 < device.min_bits < device.max_bits and device.preferred_batch > 0
