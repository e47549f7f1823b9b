# SPDX-License-Identifier: Apache-2.0
"""Encryption, against cryptography both ways."""

import pytest
from conftest import Pair, pair
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from test_signatures import HASHES

import garner

OAEP = garner.OAEP("SHA-256")


# What cryptography's OAEP has.
THEIRS = ["SHA-1", "SHA-224", "SHA-256", "SHA-384", "SHA-512"]


@pytest.mark.parametrize("label", [None, b"label"])
@pytest.mark.parametrize("mask", ["SHA-256", "SHA-1", None])
@pytest.mark.parametrize("name", THEIRS)
def test_oaep_decrypts_both_ways_with_every_hash(keys: Pair, name: str, mask: str | None, label: bytes | None) -> None:
    algorithms = HASHES | {"SHA-1": hashes.SHA1()}
    scheme = garner.OAEP(name, mgf1_hash=mask, label=label)
    theirs = padding.OAEP(padding.MGF1(algorithms[mask or name]), algorithms[name], label)
    longest = keys.ours.size - 2 * algorithms[name].digest_size - 2
    if longest < 0:
        with pytest.raises(garner.InvalidArgument, match="modulus"):
            keys.ours.public_key.encrypt(b"", scheme)
        return
    for message in b"", bytes(longest):
        assert keys.ours.decrypt(keys.theirs.public_key().encrypt(message, theirs), scheme) == message
        assert keys.theirs.decrypt(keys.ours.public_key.encrypt(message, scheme), theirs) == message
    with pytest.raises(garner.InvalidArgument, match="message: has"):
        keys.ours.public_key.encrypt(bytes(longest + 1), scheme)


@pytest.mark.parametrize("name", [name for name in HASHES if name not in THEIRS])
def test_oaep_decrypts_its_own_where_there_is_no_oracle(name: str) -> None:
    key, scheme = pair(2048).ours, garner.OAEP(name)
    sealed = key.public_key.encrypt(b"message", scheme)
    assert key.decrypt(sealed, scheme) == b"message"
    with pytest.raises(garner.DecryptionFailed):
        key.decrypt(sealed, garner.OAEP(name, mgf1_hash="SHA-1"))


def test_pkcs1v15_decrypts_both_ways(keys: Pair) -> None:
    scheme, theirs = garner.PKCS1v15Encryption(), padding.PKCS1v15()
    for message in b"", b"message", bytes(keys.ours.size - 11):
        assert keys.ours.decrypt(keys.theirs.public_key().encrypt(message, theirs), scheme) == message
        assert keys.theirs.decrypt(keys.ours.public_key.encrypt(message, scheme), theirs) == message
    with pytest.raises(garner.InvalidArgument, match="message: has"):
        keys.ours.public_key.encrypt(bytes(keys.ours.size - 10), scheme)


def encoded(keys: Pair, block: bytes) -> bytes:
    """The ciphertext of a block, as an attacker who knows the public key makes it."""
    numbers = keys.theirs.public_key().public_numbers()
    power = pow(int.from_bytes(block, "big"), numbers.e, numbers.n)
    return power.to_bytes(keys.ours.size, "big")


def test_whatever_is_wrong_with_a_ciphertext_is_one_exception(keys: Pair) -> None:
    size = keys.ours.size
    good = keys.ours.public_key.encrypt(b"message", OAEP)
    modulus = keys.theirs.public_key().public_numbers().n
    wrong = [b"", good[1:], good[:-1], good + b"\0", b"\0" + good, bytes(size), b"\xff" * size, bytes(10 * size)]
    wrong += [modulus.to_bytes(size, "big"), (modulus - 1).to_bytes(size, "big")]
    # Manger's attack tells a block that does not begin with zero from others.
    wrong += [encoded(keys, b"\0" + bytes(size - 1)), encoded(keys, b"\0\xff" + bytes(size - 2))]
    wrong += [encoded(keys, (modulus >> 1).to_bytes(size, "big"))]
    wrong += [keys.ours.public_key.encrypt(b"message", garner.OAEP("SHA-256", label=b"another"))]
    wrong += [keys.ours.public_key.encrypt(b"message", garner.OAEP("SHA-224"))]
    wrong += [keys.ours.public_key.encrypt(b"message", garner.PKCS1v15Encryption())]
    for bit in range(0, 8 * size, 97):
        flipped = bytearray(good)
        flipped[bit // 8] ^= 1 << bit % 8
        wrong.append(bytes(flipped))
    seen = set()
    for ciphertext in wrong:
        with pytest.raises(garner.Error) as caught:
            keys.ours.decrypt(ciphertext, OAEP)
        seen.add((type(caught.value), str(caught.value), caught.value.__cause__, caught.value.__context__))
    assert seen == {(garner.DecryptionFailed, "decryption failed", None, None)}


def test_badly_padded_pkcs1v15_decrypts_to_what_nobody_can_foresee(keys: Pair) -> None:
    scheme, size = garner.PKCS1v15Encryption(), keys.ours.size
    bad = [
        b"\0\1" + b"\7" * (size - 2),  # another block type
        b"\0\2" + b"\7" * (size - 2),  # no end of the padding
        b"\0\2" + b"\7" * 7 + b"\0" + b"\7" * (size - 10),  # padding too short
        b"\0" * size,
    ]
    for block in bad:
        ciphertext = encoded(keys, block)
        message = keys.ours.decrypt(ciphertext, scheme)
        assert message == keys.ours.decrypt(ciphertext, scheme) and len(message) <= size - 11
        assert len(message) < 4 or message not in block
    for wrong in b"", bytes(size + 1), b"\xff" * size:  # what everybody can see
        with pytest.raises(garner.DecryptionFailed):
            keys.ours.decrypt(wrong, scheme)


def test_another_key_does_not_decrypt() -> None:
    one, other = pair(1024).ours, garner.PrivateKey.generate(1024, below_fips=True)
    ciphertext = one.public_key.encrypt(b"message", OAEP)
    with pytest.raises(garner.DecryptionFailed):
        other.decrypt(ciphertext, OAEP)
