# SPDX-License-Identifier: Apache-2.0
"""The exceptions of this package.

    Error
     +- InvalidKey         (ValueError)   no key could be read, or the key was refused; the text names the field
     +- InvalidArgument    (ValueError)   an argument is outside its documented range; the text names it
     +- InvalidSignature                  the signature does not match message, key and scheme
     +- DecryptionFailed   (ValueError)   the ciphertext does not decrypt; always with the same text
     +- QueueFull                         asynchronous calls only: too many operations wait; try again later
     +- NotDone                           no device could do it, the random source failed, the process is ending, or
                                          the operation belongs to the process that forked this one

An argument of a wrong type is Python's own TypeError, want of memory its MemoryError.
"""


class Error(Exception):
    """All exceptions of this package."""


class InvalidKey(Error, ValueError):
    """No key could be read (a wrong or missing password, too), or the key was refused."""


class InvalidArgument(Error, ValueError):
    """An argument is outside its documented range."""


class InvalidSignature(Error):
    """The signature does not match. What is wrong with it is not told."""


class DecryptionFailed(Error, ValueError):
    """The ciphertext does not decrypt. What is wrong with it is not told."""


class QueueFull(Error):
    """Too many operations wait: 65,536. Only asynchronous calls raise it; others wait."""


class NotDone(Error):
    """The operation was not done; nothing is wrong with what was asked."""
