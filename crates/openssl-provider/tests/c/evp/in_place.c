/* SPDX-License-Identifier: Apache-2.0 */
/* Output over its own input, whole and in part, blocking and in a job. */
#include "common.h"

/* A buffer in which input and output begin where the test says; 512 bytes are enough for both. */
static struct { unsigned char bytes[768]; size_t in, out; } over;

static void lay(const void *input, size_t length)
{
    memset(over.bytes, 0xee, sizeof over.bytes);
    memcpy(over.bytes + over.in, input, length);
}

static EVP_PKEY_CTX *prepare(int (*init)(EVP_PKEY_CTX *), int padding)
{
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    CHECK(context && init(context) == 1 && EVP_PKEY_CTX_set_rsa_padding(context, padding) == 1);
    return context;
}

static void signs_in_place(int padding)
{
    const EVP_MD *hash = padding == RSA_NO_PADDING ? NULL : EVP_sha256();
    const size_t size = hash ? 32 : 256;
    unsigned char digest[256] = "not a digest, but as long as one";
    EVP_PKEY_CTX *context = prepare(EVP_PKEY_sign_init, padding);
    CHECK(!hash || EVP_PKEY_CTX_set_signature_md(context, hash) == 1);
    size_t length = 256, recovered = 256;
    lay(digest, size);
    CHECK(EVP_PKEY_sign(context, over.bytes + over.out, &length, over.bytes + over.in, size) == 1 && length == 256);
    EVP_PKEY_CTX_free(context);
    context = EVP_PKEY_CTX_new_from_pkey(plain, judge, NULL);
    CHECK(EVP_PKEY_verify_init(context) == 1 && EVP_PKEY_CTX_set_rsa_padding(context, padding) == 1);
    CHECK(!hash || EVP_PKEY_CTX_set_signature_md(context, hash) == 1);
    CHECK(EVP_PKEY_verify(context, over.bytes + over.out, 256, digest, size) == 1);
    EVP_PKEY_CTX_free(context);
    if (padding != RSA_PKCS1_PADDING)
        return;

    unsigned char signature[256];
    memcpy(signature, over.bytes + over.out, sizeof signature);
    lay(signature, sizeof signature);
    context = prepare(EVP_PKEY_verify_recover_init, padding);
    CHECK(EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1);
    CHECK(EVP_PKEY_verify_recover(context, over.bytes + over.out, &recovered, over.bytes + over.in, 256) == 1);
    CHECK(recovered == 32 && memcmp(over.bytes + over.out, digest, 32) == 0);
    EVP_PKEY_CTX_free(context);
}

static void digest_signs_in_place(int pss)
{
    size_t length = 256;
    lay("a message", 9);
    sign(key, pss, over.bytes + over.in, 9, over.bytes + over.out, &length);
    CHECK(verify(plain, judge, pss, "a message", 9, over.bytes + over.out, length));
}

static void ciphers_in_place(int padding)
{
    unsigned char message[256] = {0, 2, 7}, sealed[256], opened[256];
    size_t size = padding == RSA_NO_PADDING ? 256 : 77, length = 256, back = 256;
    lay(message, size);
    EVP_PKEY_CTX *context = prepare(EVP_PKEY_encrypt_init, padding);
    CHECK(EVP_PKEY_encrypt(context, over.bytes + over.out, &length, over.bytes + over.in, size) == 1 && length == 256);
    EVP_PKEY_CTX_free(context);
    memcpy(sealed, over.bytes + over.out, sizeof sealed);
    cipher(judge, plain, 0, padding, sealed, length, opened, &back);
    CHECK(back == size && memcmp(opened, message, size) == 0);

    lay(sealed, sizeof sealed);
    context = prepare(EVP_PKEY_decrypt_init, padding);
    back = 256;
    CHECK(EVP_PKEY_decrypt(context, over.bytes + over.out, &back, over.bytes + over.in, sizeof sealed) == 1);
    CHECK(back == size && memcmp(over.bytes + over.out, message, size) == 0);
    EVP_PKEY_CTX_free(context);
}

static int in_place_body(void *argument)
{
    (void)argument;
    signs_in_place(RSA_PKCS1_PADDING), signs_in_place(RSA_PKCS1_PSS_PADDING), signs_in_place(RSA_NO_PADDING);
    digest_signs_in_place(0), digest_signs_in_place(1);
    ciphers_in_place(RSA_PKCS1_PADDING), ciphers_in_place(RSA_PKCS1_OAEP_PADDING), ciphers_in_place(RSA_NO_PADDING);
    return 1;
}

void in_place(void)
{
    const size_t starts[][2] = {{0, 0}, {0, 5}, {5, 0}, {0, 128}, {128, 0}};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        over.in = starts[i][0], over.out = starts[i][1];
        in_place_body(NULL);
        CHECK(in_a_job(in_place_body, NULL, 0) > 0);
    }
}
