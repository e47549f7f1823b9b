/* SPDX-License-Identifier: Apache-2.0 */
/* A default library context without algorithms. */
#include "common.h"

#include <openssl/rand.h>

static OSSL_LIB_CTX *own; /* with the default provider and Garner */
static unsigned char good_sealed[256], bad_sealed[256], bad_opened[256];
static size_t bad_length = sizeof bad_opened;

static int bare_body(void *argument)
{
    (void)argument;
    unsigned char signature[256], text[256];
    size_t length = sizeof text;
    sign_payload(own, key, EVP_sha256(), prepared_digest, 32, signature);
    CHECK(verify_payload(plain, judge, EVP_sha256(), prepared_digest, 32, signature));
    CHECK(verify_payload(own, key, EVP_sha256(), prepared_digest, 32, signature));
    ERR_clear_error();
    cipher(key, own, 0, RSA_PKCS1_PADDING, good_sealed, 256, text, &length);
    CHECK(length == 4 && memcmp(text, "text", 4) == 0);
    length = sizeof text;
    cipher(key, own, 0, RSA_PKCS1_PADDING, bad_sealed, 256, text, &length);
    CHECK(length == bad_length && memcmp(text, bad_opened, length) == 0 && ERR_peek_error() == 0);
    return 1;
}

void bare(const char *configuration)
{
    const unsigned char block[256] = {0, 1};
    size_t sealed = 256;
    OSSL_PROVIDER *nothing = OSSL_PROVIDER_load(NULL, "null"), *everything;
    CHECK(nothing && RAND_bytes(bad_opened, 1) != 1);
    ERR_clear_error();
    own = OSSL_LIB_CTX_new();
    CHECK(own && OSSL_LIB_CTX_load_config(own, configuration) == 1);
    key = EVP_PKEY_Q_keygen(own, NULL, "RSA", (size_t)2048);
    CHECK(key && strcmp(provider_of(key), "garner") == 0);
    plain = OSSL_LIB_CTX_new();
    CHECK(plain && (plain_provider = OSSL_PROVIDER_load(plain, "default")));
    judge = copy(plain, key);
    cipher(judge, plain, 1, RSA_PKCS1_PADDING, (const unsigned char *)"text", 4, good_sealed, &sealed);
    cipher(judge, plain, 1, RSA_NO_PADDING, block, sizeof block, bad_sealed, &sealed);
    cipher(key, own, 0, RSA_PKCS1_PADDING, bad_sealed, sealed, bad_opened, &bad_length);
    bare_body(NULL), in_a_job(bare_body, NULL, 0);
    /* From now on Garner can do it, and gives the same. */
    everything = OSSL_PROVIDER_load(NULL, "default");
    CHECK(everything && RAND_bytes(prepared_digest, sizeof prepared_digest) == 1);
    bare_body(NULL), in_a_job(bare_body, NULL, 0);
    tear_down();
    OSSL_LIB_CTX_free(own);
    OSSL_PROVIDER_unload(everything);
    OSSL_PROVIDER_unload(nothing);
}
