# SPDX-License-Identifier: Apache-2.0
"""AES-CBC by libcrypto, without padding: what the RTL is compared with."""

import ctypes
import ctypes.util


def library():
    crypto = ctypes.CDLL(ctypes.util.find_library("crypto"))
    for name in ("EVP_CIPHER_CTX_new", "EVP_aes_128_cbc", "EVP_aes_192_cbc", "EVP_aes_256_cbc"):
        getattr(crypto, name).restype = ctypes.c_void_p
    return crypto


CRYPTO = library()


def encrypted(key: bytes, iv: bytes, text: bytes) -> bytes:
    return converted("Encrypt", key, iv, text)


def decrypted(key: bytes, iv: bytes, cipher: bytes) -> bytes:
    return converted("Decrypt", key, iv, cipher)


def converted(way: str, key: bytes, iv: bytes, data: bytes) -> bytes:
    begin, update = (getattr(CRYPTO, f"EVP_{way}{step}") for step in ("Init_ex", "Update"))
    cipher = ctypes.c_void_p(getattr(CRYPTO, f"EVP_aes_{8 * len(key)}_cbc")())
    context = ctypes.c_void_p(CRYPTO.EVP_CIPHER_CTX_new())
    out, length = ctypes.create_string_buffer(len(data) + 16), ctypes.c_int()
    try:
        assert begin(context, cipher, None, key, iv) == 1
        assert CRYPTO.EVP_CIPHER_CTX_set_padding(context, 0) == 1
        assert update(context, out, ctypes.byref(length), data, len(data)) == 1
    finally:
        CRYPTO.EVP_CIPHER_CTX_free(context)
    assert length.value == len(data)
    return out.raw[:len(data)]
