/* SPDX-License-Identifier: Apache-2.0 */
/* Encryption and decryption, OAEP and PKCS#1 v1.5. */
#include "misuse.h"

void encryption(void)
{
    unsigned char ciphertext[SIZE], opened[SIZE], again[SIZE], block[SIZE] = { 0, 1, 7 };
    size_t size = SIZE, length, second;

    /* lengths */
    EXPECT(GARNER_ERR_ARGUMENT,
           garner_encrypt_oaep(NULL, public_key, GARNER_SHA256, 0, NULL, 0, signature, 191, ciphertext, &size));
    EXPECT(GARNER_ERR_ARGUMENT, garner_encrypt_pkcs1(NULL, public_key, signature, 246, ciphertext, &size));
    EXPECT(GARNER_ERR_ARGUMENT,
           garner_encrypt_oaep(NULL, public_key, 99, 0, NULL, 0, message, 5, ciphertext, &size));
    EXPECT(GARNER_ERR_ARGUMENT,
           garner_encrypt_oaep(NULL, public_key, GARNER_SHA256, -1, NULL, 0, message, 5, ciphertext, &size));
    EXPECT(GARNER_ERR_NULL,
           garner_encrypt_oaep(NULL, public_key, GARNER_SHA256, 0, NULL, 1, message, 5, ciphertext, &size));
    EXPECT(GARNER_ERR_NULL,
           garner_encrypt_oaep(NULL, NULL, GARNER_SHA256, 0, NULL, 0, message, 5, ciphertext, &size));
    EXPECT(GARNER_OK,
           garner_encrypt_oaep(NULL, public_key, GARNER_SHA256, GARNER_SHA1, "l", 1, message, 5, ciphertext, &size));
    EXPECT_TRUE(size == SIZE);

    /* the room is that of the longest message, whatever this one is */
    length = 189;
    EXPECT(GARNER_ERR_BUFFER, garner_decrypt_oaep(NULL, key, GARNER_SHA256, GARNER_SHA1, "l", 1, ciphertext, SIZE,
                                                  opened, &length));
    EXPECT_TRUE(length == 190);
    EXPECT(GARNER_OK, garner_decrypt_oaep(NULL, key, GARNER_SHA256, GARNER_SHA1, "l", 1, ciphertext, SIZE, opened,
                                          &length));
    EXPECT_TRUE(length == 5 && memcmp(opened, message, 5) == 0);

    /* whatever is wrong with a ciphertext, the answer is the same */
    length = SIZE;
    EXPECT(GARNER_ERR_VERIFICATION, garner_decrypt_oaep(NULL, key, GARNER_SHA256, GARNER_SHA1, "m", 1, ciphertext,
                                                        SIZE, opened, &length));
    EXPECT(GARNER_ERR_VERIFICATION, garner_decrypt_oaep(NULL, key, GARNER_SHA256, 0, "l", 1, ciphertext, SIZE, opened,
                                                        &length));
    EXPECT(GARNER_ERR_VERIFICATION, garner_decrypt_oaep(NULL, key, GARNER_SHA256, GARNER_SHA1, "l", 1, ciphertext,
                                                        255, opened, &length));
    EXPECT_TRUE(length == SIZE);

    /* bad padding of PKCS#1 v1.5: a stand-in, the same twice; or the error for who asks for it */
    size = SIZE;
    EXPECT(GARNER_OK, garner_rsa_public(NULL, public_key, block, SIZE, ciphertext, &size));
    length = second = SIZE;
    EXPECT(GARNER_OK, garner_decrypt_pkcs1(NULL, key, ciphertext, SIZE, opened, &length));
    EXPECT(GARNER_OK, garner_decrypt_pkcs1(NULL, key, ciphertext, SIZE, again, &second));
    EXPECT_TRUE(length == second && memcmp(opened, again, length) == 0);
    length = SIZE;
    EXPECT(GARNER_ERR_VERIFICATION, garner_decrypt_pkcs1_explicit(NULL, key, ciphertext, SIZE, opened, &length));
    EXPECT(GARNER_OK, garner_encrypt_pkcs1(NULL, public_key, message, 5, ciphertext, &size));
    EXPECT(GARNER_OK, garner_decrypt_pkcs1_explicit(NULL, key, ciphertext, SIZE, opened, &length));
    EXPECT_TRUE(length == 5 && memcmp(opened, message, 5) == 0);
    length = 244;
    EXPECT(GARNER_ERR_BUFFER, garner_decrypt_pkcs1(NULL, key, ciphertext, SIZE, opened, &length));
    EXPECT_TRUE(length == 245);
}
