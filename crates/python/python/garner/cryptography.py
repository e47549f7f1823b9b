# SPDX-License-Identifier: Apache-2.0
"""Garner's keys with the interface of the package cryptography.

    >>> from garner.cryptography import RSAPrivateKey
    >>> key = RSAPrivateKey(load_pem_private_key(pem, None))   # of cryptography; or a garner.PrivateKey or HeldKey
    >>> jwt.encode(claims, key, algorithm="PS256")

The private and public operations are Garner's. What has no operation (numbers, encodings, comparison) and
recover_data_from_signature are cryptography's own, by a key of its own made when first asked for. Hashes that Garner does
not have, and signing with SHA-1, raise cryptography's UnsupportedAlgorithm. docs/python.md says which of cryptography's own
functions accept these keys.
"""

from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm, _Reasons
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa, utils
from cryptography.hazmat.primitives.asymmetric.padding import AsymmetricPadding

import garner

__all__ = ["RSAPrivateKey", "RSAPublicKey"]

Signed = hashes.HashAlgorithm | utils.Prehashed

_HASHES: dict[type[hashes.HashAlgorithm], str] = {
    hashes.SHA1: "SHA-1",
    hashes.SHA224: "SHA-224",
    hashes.SHA256: "SHA-256",
    hashes.SHA384: "SHA-384",
    hashes.SHA512: "SHA-512",
    hashes.SHA512_224: "SHA-512/224",
    hashes.SHA512_256: "SHA-512/256",
    hashes.SHA3_224: "SHA3-224",
    hashes.SHA3_256: "SHA3-256",
    hashes.SHA3_384: "SHA3-384",
    hashes.SHA3_512: "SHA3-512",
}


class RSAPrivateKey(rsa.RSAPrivateKey):
    """A private key whose signatures and decryptions are Garner's."""

    def __init__(self, key: garner.PrivateKey | garner.HeldKey | rsa.RSAPrivateKey) -> None:
        self._key: garner.PrivateKey | garner.HeldKey
        if isinstance(key, garner.PrivateKey | garner.HeldKey):
            self._key = key
        else:
            self._key = garner.PrivateKey.from_cryptography(key)
        self._theirs: rsa.RSAPrivateKey | None = None

    @property
    def key_size(self) -> int:
        return self._key.bits

    def public_key(self) -> "RSAPublicKey":
        return RSAPublicKey(self._key.public_key)

    def sign(self, data: bytes, padding: AsymmetricPadding, algorithm: Signed | utils.NoDigestInfo) -> bytes:
        scheme, prehashed = _signature_scheme(padding, algorithm, signing=True)
        return self._key.sign(data, scheme, prehashed=prehashed)

    def decrypt(self, ciphertext: bytes, padding: AsymmetricPadding) -> bytes:
        if len(ciphertext) != self._key.size:
            raise ValueError("Ciphertext length must be equal to key size.")
        return self._key.decrypt(ciphertext, _encryption_scheme(padding))

    def private_numbers(self) -> rsa.RSAPrivateNumbers:
        return self._cryptography().private_numbers()

    def private_bytes(
        self,
        encoding: serialization.Encoding,
        format: serialization.PrivateFormat,
        encryption_algorithm: serialization.KeySerializationEncryption,
    ) -> bytes:
        return self._cryptography().private_bytes(encoding, format, encryption_algorithm)

    def __copy__(self) -> "RSAPrivateKey":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "RSAPrivateKey":
        return self

    def _cryptography(self) -> rsa.RSAPrivateKey:
        if isinstance(self._key, garner.HeldKey):
            raise garner.InvalidKey("private key: garnerd holds it, and gives it to nobody")
        if self._theirs is None:
            theirs = serialization.load_der_private_key(self._key.to_der(), None)
            assert isinstance(theirs, rsa.RSAPrivateKey)
            self._theirs = theirs
        return self._theirs


class RSAPublicKey(rsa.RSAPublicKey):
    """A public key whose verifications and encryptions are Garner's."""

    def __init__(self, key: garner.PublicKey | rsa.RSAPublicKey) -> None:
        self._key = key if isinstance(key, garner.PublicKey) else garner.PublicKey.from_cryptography(key)
        self._theirs: rsa.RSAPublicKey | None = None

    @property
    def key_size(self) -> int:
        return self._key.bits

    def verify(self, signature: bytes, data: bytes, padding: AsymmetricPadding, algorithm: Signed) -> None:
        scheme, prehashed = _signature_scheme(padding, algorithm, signing=False)
        try:
            self._key.verify(data, signature, scheme, prehashed=prehashed)
        except garner.InvalidSignature:
            raise InvalidSignature from None
        except garner.InvalidArgument as error:
            if not str(error).startswith("modulus: ") or self._is_refused(data, padding, algorithm):
                raise
            # A key too short for hash and salt: no signature is by it.
            raise InvalidSignature from None

    def _is_refused(self, data: bytes, scheme: AsymmetricPadding, algorithm: Signed) -> bool:
        """Whether cryptography raises ValueError, whatever the signature is."""
        if isinstance(algorithm, utils.Prehashed) and len(data) != algorithm.digest_size:
            return True
        return isinstance(scheme, padding.PSS) and algorithm.digest_size + 2 > self._key.size

    def encrypt(self, plaintext: bytes, padding: AsymmetricPadding) -> bytes:
        return self._key.encrypt(plaintext, _encryption_scheme(padding))

    def public_numbers(self) -> rsa.RSAPublicNumbers:
        return self._cryptography().public_numbers()

    def public_bytes(self, encoding: serialization.Encoding, format: serialization.PublicFormat) -> bytes:
        return self._cryptography().public_bytes(encoding, format)

    def recover_data_from_signature(
        self,
        signature: bytes,
        padding: AsymmetricPadding,
        algorithm: hashes.HashAlgorithm | utils.NoDigestInfo | None,
    ) -> bytes:
        return self._cryptography().recover_data_from_signature(signature, padding, algorithm)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, rsa.RSAPublicKey):
            return NotImplemented
        return self.public_numbers() == other.public_numbers()

    def __hash__(self) -> int:
        return hash(self.public_numbers())

    def __copy__(self) -> "RSAPublicKey":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "RSAPublicKey":
        return self

    def _cryptography(self) -> rsa.RSAPublicKey:
        if self._theirs is None:
            theirs = serialization.load_der_public_key(self._key.to_der())
            assert isinstance(theirs, rsa.RSAPublicKey)
            self._theirs = theirs
        return self._theirs


def _hash(algorithm: hashes.HashAlgorithm) -> str:
    name = _HASHES.get(type(algorithm))
    if name is None:
        raise UnsupportedAlgorithm(f"Garner has no {algorithm.name}", _Reasons.UNSUPPORTED_HASH)
    return name


def _mask(mgf: padding.MGF) -> str:
    if not isinstance(mgf, padding.MGF1):
        raise UnsupportedAlgorithm("Garner has MGF1 only", _Reasons.UNSUPPORTED_MGF)
    return _hash(mgf._algorithm)


def _signature_scheme(
    scheme: AsymmetricPadding, algorithm: Signed | utils.NoDigestInfo, signing: bool
) -> tuple[garner.PSS | garner.PKCS1v15, bool]:
    """The scheme of a padding and a hash, and whether the hash was computed already."""
    if isinstance(algorithm, utils.NoDigestInfo):
        raise UnsupportedAlgorithm("Garner signs with a DigestInfo only", _Reasons.UNSUPPORTED_HASH)
    prehashed = isinstance(algorithm, utils.Prehashed)
    if isinstance(algorithm, utils.Prehashed):
        algorithm = algorithm._algorithm
    if not isinstance(algorithm, hashes.HashAlgorithm):
        raise TypeError("Expected instance of hashes.HashAlgorithm.")
    name = _hash(algorithm)
    if signing and name == "SHA-1":
        raise UnsupportedAlgorithm("Garner does not sign with SHA-1", _Reasons.UNSUPPORTED_HASH)
    if isinstance(scheme, padding.PKCS1v15):
        return garner.PKCS1v15(name), prehashed
    if isinstance(scheme, padding.PSS):
        return garner.PSS(name, mgf1_hash=_mask(scheme.mgf), salt_length=_salt(scheme, signing)), prehashed
    raise _unsupported(scheme)


def _salt(scheme: padding.PSS, signing: bool) -> Any:
    length = scheme._salt_length
    if length is padding.PSS.MAX_LENGTH:
        return "longest"
    if length is padding.PSS.DIGEST_LENGTH:
        return "digest"
    if length is padding.PSS.AUTO:
        if signing:
            raise ValueError("PSS salt length can only be set to AUTO when verifying")
        return "any"
    return length


def _encryption_scheme(scheme: AsymmetricPadding) -> garner.OAEP | garner.PKCS1v15Encryption:
    if isinstance(scheme, padding.PKCS1v15):
        return garner.PKCS1v15Encryption()
    if isinstance(scheme, padding.OAEP):
        return garner.OAEP(_hash(scheme.algorithm), mgf1_hash=_mask(scheme.mgf), label=scheme._label)
    raise _unsupported(scheme)


def _unsupported(scheme: object) -> Exception:
    if not isinstance(scheme, AsymmetricPadding):
        return TypeError("Padding must be an instance of AsymmetricPadding.")
    return UnsupportedAlgorithm(f"Garner has no padding {scheme.name}", _Reasons.UNSUPPORTED_PADDING)
