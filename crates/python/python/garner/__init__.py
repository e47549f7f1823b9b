# SPDX-License-Identifier: Apache-2.0
"""RSA gathered into batches: what many threads or tasks ask for runs together, on the fastest device present.

    >>> import garner
    >>> key = garner.PrivateKey.generate(2048)
    >>> signature = key.sign(b"message", garner.PSS("SHA-256"))
    >>> key.public_key.verify(b"message", signature, garner.PSS("SHA-256"))

Calls release the interpreter's lock and wait; `sign_async` and its like are awaited; `sign_many` takes a list.
`HeldKey` is a key that the daemon garnerd holds. `garner.cryptography` has keys with the interface of the package cryptography. Exceptions: see `garner.errors`.
"""

import atexit

from ._native import OAEP, PSS, HeldKey, PKCS1v15, PKCS1v15Encryption, PrivateKey, PublicKey, __version__, retire
from .errors import (
    DecryptionFailed,
    Error,
    InvalidArgument,
    InvalidKey,
    InvalidSignature,
    NotDone,
    QueueFull,
)
from .figures import Device, Statistics, devices, stats

__all__ = [
    "OAEP",
    "PSS",
    "DecryptionFailed",
    "Device",
    "Error",
    "HeldKey",
    "InvalidArgument",
    "InvalidKey",
    "InvalidSignature",
    "NotDone",
    "PKCS1v15",
    "PKCS1v15Encryption",
    "PrivateKey",
    "PublicKey",
    "QueueFull",
    "Statistics",
    "__version__",
    "devices",
    "stats",
]

# The gatherer's threads use libraries that clean up when the process ends.
atexit.register(retire)
del atexit, retire
