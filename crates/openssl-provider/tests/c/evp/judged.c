/* SPDX-License-Identifier: Apache-2.0 */
/* Beside the plain library: payloads of any length, and parameters of a running hash. */
#include "common.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

void judged(void)
{
    const unsigned char payload[64] = {7, 6, 5};
    const EVP_MD *hashes[] = {NULL, EVP_md5_sha1(), EVP_sha256()};
    unsigned char signature[256];
    for (size_t length = 0; length <= sizeof payload; length++) {
        sign_payload(plain, judge, NULL, payload, length, signature);
        for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++) {
            int right = verify_payload(plain, judge, hashes[i], payload, length, signature);
            CHECK(right == (i == 0 ? length > 0 : i == 1 ? length == 36 : 0));
            CHECK(verify_payload(NULL, key, hashes[i], payload, length, signature) == right);
        }
    }
}

enum when { WITH_INIT, BEFORE, AMID, NEVER };

/* TLS's predecessor mixed its master secret into a running hash: the one parameter of a hash that signatures have. */
static void master_secret(EVP_MD_CTX *context, enum when now, enum when when)
{
    unsigned char secret[48] = {9, 8, 7};
    OSSL_PARAM params[] = {OSSL_PARAM_octet_string(OSSL_DIGEST_PARAM_SSL3_MS, secret, sizeof secret), OSSL_PARAM_END};
    CHECK(now != when || EVP_MD_CTX_set_params(context, params) == 1);
}

static void sign_with_secret(OSSL_LIB_CTX *library, EVP_PKEY *pkey, enum when when, unsigned char *signature)
{
    unsigned char secret[48] = {9, 8, 7};
    OSSL_PARAM params[] = {OSSL_PARAM_octet_string(OSSL_DIGEST_PARAM_SSL3_MS, secret, sizeof secret), OSSL_PARAM_END};
    const OSSL_PARAM *first = when == WITH_INIT ? params : NULL;
    size_t length = 256;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    CHECK(EVP_DigestSignInit_ex(context, NULL, "MD5-SHA1", library, NULL, pkey, first) == 1);
    master_secret(context, BEFORE, when);
    CHECK(EVP_DigestSignUpdate(context, "a message", 9) == 1);
    master_secret(context, AMID, when);
    CHECK(EVP_DigestSignFinal(context, signature, &length) == 1 && length == 256);
    EVP_MD_CTX_free(context);

    context = EVP_MD_CTX_new();
    CHECK(EVP_DigestVerifyInit_ex(context, NULL, "MD5-SHA1", library, NULL, pkey, first) == 1);
    master_secret(context, BEFORE, when);
    CHECK(EVP_DigestVerifyUpdate(context, "a message", 9) == 1);
    master_secret(context, AMID, when);
    CHECK(EVP_DigestVerifyFinal(context, signature, length) == 1);
    EVP_MD_CTX_free(context);
}

void parameters(void)
{
    unsigned char ours[256], theirs[NEVER + 1][256];
    EVP_MD *hash = EVP_MD_fetch(plain, "MD5-SHA1", NULL);
    const OSSL_PARAM *settable = EVP_MD_settable_ctx_params(hash);
    int there = settable && OSSL_PARAM_locate_const(settable, OSSL_DIGEST_PARAM_SSL3_MS);
    EVP_MD_free(hash);
    if (!there) {
        puts("no parameters");
        return;
    }
    for (enum when when = WITH_INIT; when <= NEVER; when++) {
        sign_with_secret(plain, judge, when, theirs[when]);
        sign_with_secret(NULL, key, when, ours);
        CHECK(memcmp(ours, theirs[when], sizeof ours) == 0);
    }
    CHECK(memcmp(theirs[BEFORE], theirs[NEVER], sizeof ours) && memcmp(theirs[AMID], theirs[NEVER], sizeof ours));
}
