# SPDX-License-Identifier: Apache-2.0
"""AES-128-CBC by libcrypto, without padding: what the RTL is compared with."""

import ctypes
import ctypes.util


def library():
    crypto = ctypes.CDLL(ctypes.util.find_library("crypto"))
    for name in ("EVP_CIPHER_CTX_new", "EVP_aes_128_cbc"):
        getattr(crypto, name).restype = ctypes.c_void_p
    return crypto


CRYPTO = library()


def encrypted(key: bytes, iv: bytes, text: bytes) -> bytes:
    context = ctypes.c_void_p(CRYPTO.EVP_CIPHER_CTX_new())
    out, length = ctypes.create_string_buffer(len(text) + 16), ctypes.c_int()
    try:
        assert CRYPTO.EVP_EncryptInit_ex(context, ctypes.c_void_p(CRYPTO.EVP_aes_128_cbc()), None, key, iv) == 1
        assert CRYPTO.EVP_CIPHER_CTX_set_padding(context, 0) == 1
        assert CRYPTO.EVP_EncryptUpdate(context, out, ctypes.byref(length), text, len(text)) == 1
    finally:
        CRYPTO.EVP_CIPHER_CTX_free(context)
    assert length.value == len(text)
    return out.raw[:len(text)]
