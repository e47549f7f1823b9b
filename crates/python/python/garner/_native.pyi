# SPDX-License-Identifier: Apache-2.0
# The native module: what garner/__init__.py takes over, and what garner's own modules use. Its reference, too.
#
# Bytes everywhere: `bytes`, or any object with a buffer of bytes, which is copied. Hashes by name, case and signs do not
# matter: SHA-1 (to verify only), SHA-224, SHA-256, SHA-384, SHA-512, SHA-512/224, SHA-512/256, SHA3-224, SHA3-256,
# SHA3-384, SHA3-512; for PSS also SHAKE128 and SHAKE256. Signatures and ciphertexts are as long as the modulus.
#
# Each call releases the interpreter's lock while it computes and waits. `..._async` methods queue their operation at once,
# need a running event loop, and return a future of it: cancelled before its operation began, it leaves the queue.

import asyncio
from collections.abc import Iterable
from typing import Any, Literal, final

from _typeshed import ReadableBuffer

__all__ = [
    "devices",
    "retire",
    "statistics",
    "HeldKey",
    "Mailbox",
    "Pending",
    "PrivateKey",
    "PublicKey",
    "OAEP",
    "PKCS1v15",
    "PKCS1v15Encryption",
    "PSS",
    "__version__",
]
__version__: str

@final
class PKCS1v15:
    """Signatures by RSASSA-PKCS1-v1_5. Schemes, this and the others, are equal if they say the same, and may be pickled."""

    def __new__(cls, hash: str) -> PKCS1v15: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getnewargs__(self) -> tuple[str]: ...

@final
class PSS:
    """Signatures by RSASSA-PSS.

    mgf1_hash is hash where it is not given. salt_length: "digest", as long as a digest; "longest", as the modulus has room
    for; "any", in verification whatever the signature has, in signing the longest; or a number of bytes.
    """

    def __new__(
        cls,
        hash: str,
        *,
        mgf1_hash: str | None = None,
        salt_length: Literal["digest", "longest", "any"] | int | None = None,
    ) -> PSS: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]: ...

@final
class OAEP:
    """Encryption by RSAES-OAEP. mgf1_hash is hash where it is not given; the label, empty by default, must be the same for
    both sides."""

    def __new__(
        cls, hash: str, *, mgf1_hash: str | None = None, label: ReadableBuffer | None = None
    ) -> OAEP: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]: ...

@final
class PKCS1v15Encryption:
    """Encryption by RSAES-PKCS1-v1_5, for protocols that have no other.

    Decryption has implicit rejection: a badly padded ciphertext decrypts to a message nobody can foresee, the same each
    time, as in OpenSSL since 3.2.
    """

    def __new__(cls) -> PKCS1v15Encryption: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getnewargs__(self) -> tuple[()]: ...

@final
class PrivateKey:
    """A private key of two primes, 512 to 8,192 bits, validated. It cannot be changed or pickled."""

    @classmethod
    def from_pem(cls, data: str | ReadableBuffer, password: str | ReadableBuffer | None = None) -> PrivateKey:
        """A key in PEM: PKCS#8 or PKCS#1, or, with a password, encrypted PKCS#8. Raises InvalidKey."""

    @classmethod
    def from_der(cls, data: ReadableBuffer, password: str | ReadableBuffer | None = None) -> PrivateKey:
        """A key in DER: PKCS#8 or PKCS#1, or, with a password, encrypted PKCS#8. Raises InvalidKey."""

    @classmethod
    def from_cryptography(cls, key: Any) -> PrivateKey:
        """The key of an RSAPrivateKey of the package cryptography. Raises InvalidKey, and TypeError for other keys."""

    @classmethod
    def generate(cls, bits: int = 2048, *, exponent: int = 65537, below_fips: bool = False) -> PrivateKey:
        """A new key, by FIPS 186-5. bits is a multiple of 128, 2,048 to 8,192. below_fips also allows lengths from 512 bits
        and exponents from 3. Raises InvalidArgument."""

    @property
    def bits(self) -> int:
        """Length of the modulus in bits."""

    @property
    def size(self) -> int:
        """Length of the modulus in bytes: that of signatures and ciphertexts."""

    @property
    def public_key(self) -> PublicKey:
        """The public half."""

    def to_pem(self, password: str | ReadableBuffer | None = None) -> str:
        """PKCS#8 in PEM; with a password encrypted: PBES2, AES-256, 600,000 iterations of PBKDF2."""

    def to_der(self, password: str | ReadableBuffer | None = None) -> bytes:
        """PKCS#8 in DER; with a password encrypted, as to_pem."""

    def sign(self, message: ReadableBuffer, scheme: PSS | PKCS1v15, *, prehashed: bool = False) -> bytes:
        """The signature of a message, or, if prehashed, of a digest by the scheme's hash. Raises InvalidArgument: the digest
        has another length, the modulus is too short for the scheme, the hash is SHA-1."""

    def sign_async(
        self, message: ReadableBuffer, scheme: PSS | PKCS1v15, *, prehashed: bool = False
    ) -> asyncio.Future[bytes]:
        """As sign. Raises QueueFull, too."""

    def sign_many(
        self, messages: Iterable[ReadableBuffer], scheme: PSS | PKCS1v15, *, prehashed: bool = False
    ) -> list[bytes]:
        """The signatures of many messages or digests, in whole batches on all slots. Raises as sign, naming the first
        message at fault; then nothing is signed."""

    def decrypt(self, ciphertext: ReadableBuffer, scheme: OAEP | PKCS1v15Encryption) -> bytes:
        """The message of a ciphertext. Raises DecryptionFailed."""

    def decrypt_async(self, ciphertext: ReadableBuffer, scheme: OAEP | PKCS1v15Encryption) -> asyncio.Future[bytes]:
        """As decrypt. Raises QueueFull, too."""

    def __copy__(self) -> PrivateKey: ...
    def __deepcopy__(self, _memo: Any) -> PrivateKey: ...

@final
class HeldKey:
    """A private key that the daemon garnerd holds, at the socket GARNER_SOCKET or its usual one. What the daemon refuses, or
    does not answer in GARNER_PATIENCE seconds (10), raises NotDone. A user who may do no more in this second is asked for again
    in that time; lists and tasks longer, while others of this key are answered. Up to 32 operations of lists and event loops are
    asked for at a time."""

    @classmethod
    def named(cls, name: str) -> HeldKey:
        """The key of this name; the daemon is asked for its public half. Raises InvalidArgument, NotDone."""

    @classmethod
    def from_pem(cls, data: str | ReadableBuffer) -> HeldKey:
        """The key that a stub stands for; the daemon need not run yet. Raises InvalidKey."""

    @property
    def bits(self) -> int:
        """Length of the modulus in bits."""

    @property
    def size(self) -> int:
        """Length of the modulus in bytes: that of signatures and ciphertexts."""

    @property
    def public_key(self) -> PublicKey:
        """The public half."""

    def sign(self, message: ReadableBuffer, scheme: PSS | PKCS1v15, *, prehashed: bool = False) -> bytes:
        """As PrivateKey.sign, by the daemon. Raises NotDone, too."""

    def sign_async(
        self, message: ReadableBuffer, scheme: PSS | PKCS1v15, *, prehashed: bool = False
    ) -> asyncio.Future[bytes]:
        """As sign. Raises QueueFull, too."""

    def sign_many(
        self, messages: Iterable[ReadableBuffer], scheme: PSS | PKCS1v15, *, prehashed: bool = False
    ) -> list[bytes]:
        """The signatures of many messages or digests. Raises as sign, for the first message at fault."""

    def decrypt(self, ciphertext: ReadableBuffer, scheme: OAEP | PKCS1v15Encryption) -> bytes:
        """As PrivateKey.decrypt, by the daemon. Raises NotDone, too."""

    def decrypt_async(self, ciphertext: ReadableBuffer, scheme: OAEP | PKCS1v15Encryption) -> asyncio.Future[bytes]:
        """As decrypt. Raises QueueFull, too."""

    def __copy__(self) -> HeldKey: ...
    def __deepcopy__(self, _memo: Any) -> HeldKey: ...

@final
class PublicKey:
    """A public key. It cannot be changed; equal keys are equal; it may be pickled."""

    @classmethod
    def from_pem(cls, data: str | ReadableBuffer) -> PublicKey:
        """A key in PEM: SubjectPublicKeyInfo, PKCS#1, or the public half of a private key. Raises InvalidKey."""

    @classmethod
    def from_der(cls, data: ReadableBuffer) -> PublicKey:
        """A key in DER, as from_pem. Raises InvalidKey."""

    @classmethod
    def from_cryptography(cls, key: Any) -> PublicKey:
        """The key of an RSAPublicKey of the package cryptography. Raises InvalidKey, and TypeError for other keys."""

    @property
    def bits(self) -> int:
        """Length of the modulus in bits."""

    @property
    def size(self) -> int:
        """Length of the modulus in bytes: that of signatures and ciphertexts."""

    def to_pem(self) -> str:
        """SubjectPublicKeyInfo in PEM."""

    def to_der(self) -> bytes:
        """SubjectPublicKeyInfo in DER."""

    def verify(
        self, message: ReadableBuffer, signature: ReadableBuffer, scheme: PSS | PKCS1v15, *, prehashed: bool = False
    ) -> None:
        """Returns if the signature is that of the message, or, if prehashed, of the digest. Raises InvalidSignature whatever
        is wrong with the signature; InvalidArgument as PrivateKey.sign, though SHA-1 is accepted."""

    def verify_async(
        self, message: ReadableBuffer, signature: ReadableBuffer, scheme: PSS | PKCS1v15, *, prehashed: bool = False
    ) -> asyncio.Future[None]:
        """As verify. Raises QueueFull, too."""

    def verify_many(
        self,
        messages: Iterable[ReadableBuffer],
        signatures: Iterable[ReadableBuffer],
        scheme: PSS | PKCS1v15,
        *,
        prehashed: bool = False,
    ) -> list[bool]:
        """Whether each signature is its message's. Raises InvalidArgument as verify, or when there are not as many
        signatures as messages."""

    def encrypt(self, message: ReadableBuffer, scheme: OAEP | PKCS1v15Encryption) -> bytes:
        """The ciphertext of a message. Raises InvalidArgument: the message is too long for scheme and modulus."""

    def encrypt_async(self, message: ReadableBuffer, scheme: OAEP | PKCS1v15Encryption) -> asyncio.Future[bytes]:
        """As encrypt. Raises QueueFull, too."""

    def __copy__(self) -> PublicKey: ...
    def __deepcopy__(self, _memo: Any) -> PublicKey: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

# What garner's own modules use.

@final
class Pending:
    """An operation that is to be submitted, once."""

@final
class Mailbox:
    """Where one event loop's answers arrive. Of the process that made it only: raises NotDone in a child of fork."""

    def __new__(cls) -> Mailbox: ...
    def fileno(self) -> int:
        """A descriptor that is readable while answers wait to be taken. Lives as long as the mailbox."""

    def submit(self, pending: Pending) -> int:
        """Queues an operation and returns its number, 1 and up. Raises QueueFull."""

    def take(self) -> list[tuple[int, bool, Any]]:
        """The answers that came since the last call: number, and True and the answer, or False and the exception."""

    def forget(self, number: int) -> None:
        """Takes an operation out of the queue, if it has not begun; its answer is thrown away."""

    def __len__(self) -> int:
        """Operations whose answers are not taken yet."""

def statistics() -> dict[str, Any]: ...
def devices() -> list[tuple[str, int, int, int]]: ...
def retire() -> None: ...
