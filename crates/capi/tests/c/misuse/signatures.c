/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures of PKCS#1 v1.5 and PSS. */
#include "misuse.h"

void signatures(void)
{
    unsigned char digest[32] = { 1 }, other[SIZE];
    size_t size = SIZE;
    int hashes[] = { 0, -1, 12, 99, 0x7fffffff, -0x7fffffff - 1 };

    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++) {
        EXPECT(GARNER_ERR_ARGUMENT, garner_sign(NULL, key, hashes[i], message, 3, signature, &size));
        EXPECT(GARNER_ERR_ARGUMENT, garner_verify(NULL, public_key, hashes[i], message, 3, signature, SIZE));
    }
    EXPECT(GARNER_ERR_ARGUMENT, garner_sign(NULL, key, GARNER_SHA1, message, 3, signature, &size));
    EXPECT(GARNER_ERR_NULL, garner_sign(NULL, NULL, GARNER_SHA256, message, 3, signature, &size));
    EXPECT(GARNER_ERR_NULL, garner_sign(NULL, key, GARNER_SHA256, NULL, 3, signature, &size));
    EXPECT(GARNER_ERR_NULL, garner_sign(NULL, key, GARNER_SHA256, message, 3, NULL, &size));
    EXPECT(GARNER_ERR_NULL, garner_sign(NULL, key, GARNER_SHA256, message, 3, signature, NULL));
    EXPECT(GARNER_ERR_ARGUMENT, garner_sign(NULL, key, GARNER_SHA256, message, SIZE_MAX, signature, &size));
    EXPECT(GARNER_ERR_ARGUMENT, garner_sign_digest(NULL, key, GARNER_SHA256, digest, 31, signature, &size));
    EXPECT(GARNER_ERR_ARGUMENT, garner_sign_digest(NULL, key, GARNER_SHA256, NULL, 0, signature, &size));
    EXPECT(GARNER_ERR_HANDLE, garner_sign_digest(NULL, wild(), GARNER_SHA256, digest, 32, signature, &size));

    EXPECT(GARNER_OK, garner_sign(NULL, key, GARNER_SHA256, NULL, 0, signature, &size));
    EXPECT(GARNER_OK, garner_verify(NULL, public_key, GARNER_SHA256, NULL, 0, signature, size));
    EXPECT(GARNER_OK, garner_sign_digest(NULL, key, GARNER_SHA256, digest, 32, signature, &size));
    EXPECT(GARNER_OK, garner_verify_digest(NULL, public_key, GARNER_SHA256, digest, 32, signature, size));

    /* whatever is wrong with a signature, the answer is the same */
    memset(other, 0xff, sizeof other);
    EXPECT(GARNER_ERR_VERIFICATION, garner_verify_digest(NULL, public_key, GARNER_SHA256, digest, 32, other, SIZE));
    memset(other, 0, sizeof other);
    EXPECT(GARNER_ERR_VERIFICATION, garner_verify_digest(NULL, public_key, GARNER_SHA256, digest, 32, other, SIZE));
    EXPECT(GARNER_ERR_VERIFICATION, garner_verify_digest(NULL, public_key, GARNER_SHA256, digest, 32, signature, 0));
    EXPECT(GARNER_ERR_VERIFICATION, garner_verify_digest(NULL, public_key, GARNER_SHA256, digest, 32, NULL, 0));
    EXPECT(GARNER_ERR_VERIFICATION, garner_verify_digest(NULL, public_key, GARNER_SHA256, digest, 32, signature, 255));
    memcpy(other, signature, SIZE);
    other[SIZE - 1] ^= 1;
    EXPECT(GARNER_ERR_VERIFICATION, garner_verify_digest(NULL, public_key, GARNER_SHA256, digest, 32, other, SIZE));
    digest[0] ^= 1;
    EXPECT(GARNER_ERR_VERIFICATION, garner_verify_digest(NULL, public_key, GARNER_SHA256, digest, 32, signature, SIZE));
    EXPECT(GARNER_ERR_NULL, garner_verify_digest(NULL, public_key, GARNER_SHA256, digest, 32, NULL, SIZE));
    EXPECT(GARNER_ERR_NULL, garner_verify_digest(NULL, NULL, GARNER_SHA256, digest, 32, signature, SIZE));
    EXPECT(GARNER_ERR_HANDLE,
           garner_verify(NULL, (garner_public_key *)key, GARNER_SHA256, message, 1, signature, SIZE));
}

void pss(void)
{
    unsigned char digest[32] = { 1 };
    size_t size = SIZE;

    EXPECT(GARNER_ERR_ARGUMENT,
           garner_sign_digest_pss(NULL, key, GARNER_SHA256, 0, -4, digest, 32, signature, &size));
    EXPECT(GARNER_ERR_ARGUMENT,
           garner_sign_digest_pss(NULL, key, GARNER_SHA256, 0, 223, digest, 32, signature, &size));
    EXPECT(GARNER_ERR_ARGUMENT,
           garner_sign_digest_pss(NULL, key, GARNER_SHA256, 12, 0, digest, 32, signature, &size));
    EXPECT(GARNER_ERR_ARGUMENT,
           garner_sign_digest_pss(NULL, key, GARNER_SHA256, 0, 0, digest, 31, signature, &size));
    EXPECT(GARNER_OK, garner_sign_digest_pss(NULL, key, GARNER_SHA256, GARNER_SHA512, GARNER_SALT_NONE, digest, 32,
                                             signature, &size));
    EXPECT(GARNER_OK, garner_verify_digest_pss(NULL, public_key, GARNER_SHA256, GARNER_SHA512, GARNER_SALT_NONE,
                                               digest, 32, signature, size));
    EXPECT(GARNER_OK, garner_verify_digest_pss(NULL, public_key, GARNER_SHA256, GARNER_SHA512, GARNER_SALT_ANY, digest,
                                               32, signature, size));
    EXPECT(GARNER_ERR_VERIFICATION, garner_verify_digest_pss(NULL, public_key, GARNER_SHA256, GARNER_SHA512,
                                                             GARNER_SALT_DIGEST, digest, 32, signature, size));
    EXPECT(GARNER_ERR_VERIFICATION, garner_verify_digest_pss(NULL, public_key, GARNER_SHA256, 0, GARNER_SALT_ANY,
                                                             digest, 32, signature, size));
    EXPECT(GARNER_OK, garner_sign_pss(NULL, key, GARNER_SHA3_256, 0, GARNER_SALT_LONGEST, message, 3, signature,
                                      &size));
    EXPECT(GARNER_OK, garner_verify_pss(NULL, public_key, GARNER_SHA3_256, 0, 222, message, 3, signature, size));
    EXPECT(GARNER_ERR_VERIFICATION,
           garner_verify_pss(NULL, public_key, GARNER_SHA3_256, 0, 222, message, 4, signature, size));
}
