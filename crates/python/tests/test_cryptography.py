# SPDX-License-Identifier: Apache-2.0
"""Keys with cryptography's interface: what cryptography and PyJWT do with them. docs/python.md has the table."""

import copy
import datetime
from typing import Any

import jwt
import pytest
from conftest import Pair, pair
from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    pkcs7,
    pkcs12,
    ssh,
)
from cryptography.x509 import ocsp
from cryptography.x509.oid import NameOID

import garner
from garner.cryptography import RSAPrivateKey, RSAPublicKey

SHA256 = hashes.SHA256()
PKCS1 = padding.PKCS1v15()
PSS = padding.PSS(padding.MGF1(SHA256), padding.PSS.DIGEST_LENGTH)


def counted() -> int:
    return garner.stats().private_operations


def test_the_interfaces_are_implemented(keys: Pair) -> None:
    key = RSAPrivateKey(keys.ours)
    assert isinstance(key, rsa.RSAPrivateKey) and isinstance(key.public_key(), rsa.RSAPublicKey)
    assert key.key_size == key.public_key().key_size == keys.theirs.key_size
    assert key.private_numbers() == keys.theirs.private_numbers()
    assert key.public_key().public_numbers() == keys.theirs.public_key().public_numbers()
    encoding = Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()
    assert key.private_bytes(*encoding) == keys.theirs.private_bytes(*encoding)
    form = Encoding.OpenSSH, PublicFormat.OpenSSH
    assert key.public_key().public_bytes(*form) == keys.theirs.public_key().public_bytes(*form)
    assert key.public_key() == keys.theirs.public_key() and hash(key.public_key()) == hash(key.public_key())
    assert key.public_key() != pair(1152).theirs.public_key() and key.public_key() != 1
    assert copy.deepcopy(copy.copy(key)) is key
    assert RSAPrivateKey(keys.theirs).private_numbers() == keys.theirs.private_numbers()
    assert RSAPublicKey(keys.theirs.public_key()) == key.public_key()


def test_signatures_are_cryptographys_both_ways(keys: Pair) -> None:
    key, digest = RSAPrivateKey(keys.ours), bytes(range(32))
    prehashed = utils.Prehashed(SHA256)
    before = counted()
    assert key.sign(b"message", PKCS1, SHA256) == keys.theirs.sign(b"message", PKCS1, SHA256)
    assert key.sign(digest, PKCS1, prehashed) == keys.theirs.sign(digest, PKCS1, prehashed)
    for salt in padding.PSS.DIGEST_LENGTH, padding.PSS.MAX_LENGTH, 11:
        pss = padding.PSS(padding.MGF1(hashes.SHA384()), salt)
        keys.theirs.public_key().verify(key.sign(b"message", pss, SHA256), b"message", pss, SHA256)
        signature = keys.theirs.sign(digest, pss, prehashed)
        key.public_key().verify(signature, digest, pss, prehashed)
        auto = padding.PSS(padding.MGF1(hashes.SHA384()), padding.PSS.AUTO)
        key.public_key().verify(signature, digest, auto, prehashed)
        with pytest.raises(InvalidSignature):
            key.public_key().verify(signature, b"another", pss, SHA256)
    assert counted() - before == 5
    signature = key.sign(b"message", PKCS1, SHA256)
    with pytest.raises(InvalidSignature):
        key.public_key().verify(signature[1:], b"message", PKCS1, SHA256)
    recovered = key.public_key().recover_data_from_signature(signature, PKCS1, SHA256)
    assert recovered == keys.theirs.public_key().recover_data_from_signature(signature, PKCS1, SHA256)


def test_a_key_too_short_for_hash_and_salt_has_no_good_signatures() -> None:
    sha512, data = hashes.SHA512(), b"message"
    numbers = rsa.RSAPublicNumbers(65537, (1 << 511) + 12345678901)
    shorter = numbers.public_key()
    keys = pair(1024).theirs.public_key(), shorter

    def outcome(key: rsa.RSAPublicKey, data: bytes, scheme: Any, algorithm: Any) -> type:
        with pytest.raises((InvalidSignature, ValueError)) as raised:
            key.verify(bytes((key.key_size + 7) // 8), data, scheme, algorithm)
        return InvalidSignature if raised.type is InvalidSignature else ValueError

    lengths: list[Any] = [64, 10**6, padding.PSS.DIGEST_LENGTH]
    schemes: list[Any] = [PKCS1, *(padding.PSS(padding.MGF1(sha512), length) for length in lengths)]
    seen = set()
    for key in keys:
        for scheme in schemes:
            for algorithm, size in (sha512, 7), (utils.Prehashed(sha512), 64), (utils.Prehashed(sha512), 5):
                theirs = outcome(key, bytes(size), scheme, algorithm)
                assert outcome(RSAPublicKey(key), bytes(size), scheme, algorithm) is theirs
                seen.add(theirs)
    assert len(seen) == 2


def test_encryption_is_cryptographys_both_ways(keys: Pair) -> None:
    key = RSAPrivateKey(keys.ours)
    oaep = padding.OAEP(padding.MGF1(hashes.SHA1()), SHA256, b"label")
    for scheme in oaep, PKCS1:
        assert key.decrypt(keys.theirs.public_key().encrypt(b"message", scheme), scheme) == b"message"
        assert keys.theirs.decrypt(key.public_key().encrypt(b"message", scheme), scheme) == b"message"
    for wrong in b"", bytes(key.key_size // 8 + 2), b"\xff" * ((key.key_size + 7) // 8):
        for theirs in key, keys.theirs:
            with pytest.raises(ValueError):
                theirs.decrypt(wrong, oaep)
    with pytest.raises(ValueError):
        key.public_key().encrypt(bytes(500), oaep)


def test_what_garner_has_not_is_unsupported() -> None:
    key = RSAPrivateKey(pair(1024).ours)
    for call in (
        lambda: key.sign(b"", PKCS1, hashes.SHA1()),
        lambda: key.sign(b"", PKCS1, hashes.MD5()),
        lambda: key.sign(b"", PKCS1, utils.NoDigestInfo()),
        lambda: key.sign(b"", padding.PSS(padding.MGF1(hashes.MD5()), 0), SHA256),
        lambda: key.public_key().verify(b"", b"", PKCS1, hashes.MD5()),
        lambda: key.decrypt(bytes(128), PSS),
    ):
        with pytest.raises(UnsupportedAlgorithm):
            call()
    for wrong in (
        lambda: key.sign(b"", PKCS1, "SHA-256"),  # type: ignore[arg-type]
        lambda: key.sign(b"", "PKCS1", SHA256),  # type: ignore[arg-type]
        lambda: RSAPrivateKey(ec.generate_private_key(ec.SECP256R1())),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(ValueError, match="AUTO"):
        key.sign(b"", padding.PSS(padding.MGF1(SHA256), padding.PSS.AUTO), SHA256)
    with pytest.raises(ValueError, match="digest: has 5 bytes"):
        key.sign(b"short", PKCS1, utils.Prehashed(SHA256))


@pytest.mark.parametrize("algorithm", ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"])
def test_pyjwt_signs_and_verifies_with_them(algorithm: str) -> None:
    theirs, ours = pair(2048)
    key, before = RSAPrivateKey(ours), counted()
    token = jwt.encode({"sub": "somebody"}, key, algorithm=algorithm)
    assert counted() == before + 1
    assert jwt.decode(token, theirs.public_key(), algorithms=[algorithm]) == {"sub": "somebody"}
    token = jwt.encode({"sub": "somebody"}, theirs, algorithm=algorithm)
    assert jwt.decode(token, key.public_key(), algorithms=[algorithm]) == {"sub": "somebody"}
    with pytest.raises(jwt.InvalidSignatureError):
        jwt.decode(token, RSAPublicKey(pair(3072).ours.public_key), algorithms=[algorithm])


def builder(public: Any) -> x509.CertificateBuilder:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "garner")])
    start = datetime.datetime(2026, 1, 1)
    empty = x509.CertificateBuilder().subject_name(name).issuer_name(name).serial_number(1)
    return empty.not_valid_before(start).not_valid_after(start.replace(year=2027)).public_key(public)


def test_certificates_and_requests_are_signed_by_them() -> None:
    theirs, ours = pair(2048)
    key, before = RSAPrivateKey(ours), counted()
    certificate = builder(key.public_key()).sign(key, SHA256)
    assert certificate == builder(theirs.public_key()).sign(theirs, SHA256)
    certificate.verify_directly_issued_by(certificate)
    pss = builder(key.public_key()).sign(key, SHA256, rsa_padding=PSS)
    pss.verify_directly_issued_by(pss)
    request = x509.CertificateSigningRequestBuilder().subject_name(certificate.subject).sign(key, SHA256)
    assert request.is_signature_valid
    now = datetime.datetime(2026, 1, 1)
    revoked = x509.CertificateRevocationListBuilder().issuer_name(certificate.subject).last_update(now)
    crl = revoked.next_update(now.replace(year=2027)).sign(key, SHA256)
    assert crl.is_signature_valid(theirs.public_key())
    assert counted() - before == 4


def test_messages_archives_and_answers_are_signed_by_them() -> None:
    theirs, ours = pair(2048)
    key, now = RSAPrivateKey(ours), datetime.datetime(2026, 1, 1)
    certificate = builder(key.public_key()).sign(key, SHA256)
    before = counted()
    pkcs7.PKCS7SignatureBuilder().set_data(b"message").add_signer(certificate, key, SHA256).sign(Encoding.DER, [])
    sealed = pkcs7.PKCS7EnvelopeBuilder().set_data(b"message").add_recipient(certificate).encrypt(Encoding.DER, [])
    assert pkcs7.pkcs7_decrypt_der(sealed, certificate, key, []) == b"message"
    answer = ocsp.OCSPResponseBuilder().add_response(
        certificate, certificate, SHA256, ocsp.OCSPCertStatus.GOOD, now, now, None, None
    )
    signed = answer.responder_id(ocsp.OCSPResponderEncoding.HASH, certificate).sign(key, SHA256)
    theirs.public_key().verify(signed.signature, signed.tbs_response_bytes, PKCS1, SHA256)
    user = ssh.SSHCertificateBuilder().public_key(key.public_key()).serial(1).type(ssh.SSHCertificateType.USER)
    user = user.key_id(b"somebody").valid_principals([b"somebody"]).valid_after(0).valid_before(1 << 40)
    user.sign(key).verify_cert_signature()
    assert counted() - before == 4
    archive = pkcs12.serialize_key_and_certificates(b"name", key, certificate, None, NoEncryption())
    read = pkcs12.load_key_and_certificates(archive, None)[0]
    assert isinstance(read, rsa.RSAPrivateKey) and read.private_numbers() == theirs.private_numbers()
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    assert identifier == x509.SubjectKeyIdentifier.from_public_key(theirs.public_key())
