/* SPDX-License-Identifier: Apache-2.0 */
/* What all modes of the program need: a key here and in the plain library, operations with them, and a round of both. */
#include "common.h"

#include <dirent.h>
#include <malloc.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

OSSL_LIB_CTX *plain;
OSSL_PROVIDER *plain_provider;
EVP_PKEY *key;
EVP_PKEY *judge;
unsigned char prepared_digest[32];

EVP_PKEY *copy(OSSL_LIB_CTX *library, EVP_PKEY *original)
{
    OSSL_PARAM *params = NULL;
    EVP_PKEY *made = NULL;
    CHECK(EVP_PKEY_todata(original, EVP_PKEY_KEYPAIR, &params) == 1);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(library, "RSA", NULL);
    CHECK(context && EVP_PKEY_fromdata_init(context) == 1);
    CHECK(EVP_PKEY_fromdata(context, &made, EVP_PKEY_KEYPAIR, params) == 1);
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(params);
    return made;
}

const char *provider_of(EVP_PKEY *pkey)
{
    const OSSL_PROVIDER *provider = EVP_PKEY_get0_provider(pkey);
    return provider ? OSSL_PROVIDER_get0_name(provider) : "none";
}

void set_up(void)
{
    key = EVP_RSA_gen(2048);
    /* Without a configuration the program runs without Garner, for comparison. */
    CHECK(key && strcmp(provider_of(key), getenv("OPENSSL_CONF") ? "garner" : "default") == 0);
    plain = OSSL_LIB_CTX_new();
    CHECK(plain && (plain_provider = OSSL_PROVIDER_load(plain, "default")));
    judge = copy(plain, key);
    CHECK(strcmp(provider_of(judge), "default") == 0);
}

void tear_down(void)
{
    EVP_PKEY_free(judge);
    EVP_PKEY_free(key);
    OSSL_PROVIDER_unload(plain_provider);
    OSSL_LIB_CTX_free(plain);
}

/* One signature, PSS or PKCS#1 v1.5, by the program's provider. */
void sign(EVP_PKEY *pkey, int pss, const void *message, size_t length, unsigned char *signature, size_t *written)
{
    EVP_PKEY_CTX *settings = NULL;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    CHECK(EVP_DigestSignInit_ex(context, &settings, "SHA256", NULL, NULL, pkey, NULL) == 1);
    if (pss)
        CHECK(EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) == 1);
    CHECK(EVP_DigestSign(context, signature, written, message, length) == 1);
    EVP_MD_CTX_free(context);
}

int verify(OSSL_LIB_CTX *library, EVP_PKEY *pkey, int pss, const void *message, size_t length,
           const unsigned char *signature, size_t signature_length)
{
    EVP_PKEY_CTX *settings = NULL;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    CHECK(EVP_DigestVerifyInit_ex(context, &settings, "SHA256", library, NULL, pkey, NULL) == 1);
    if (pss)
        CHECK(EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) == 1);
    int result = EVP_DigestVerify(context, signature, signature_length, message, length);
    EVP_MD_CTX_free(context);
    return result == 1;
}

void cipher(EVP_PKEY *pkey, OSSL_LIB_CTX *library, int encrypt, int padding, const unsigned char *input, size_t length,
           unsigned char *output, size_t *written)
{
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(library, pkey, NULL);
    CHECK(context && (encrypt ? EVP_PKEY_encrypt_init(context) : EVP_PKEY_decrypt_init(context)) == 1);
    CHECK(EVP_PKEY_CTX_set_rsa_padding(context, padding) == 1);
    CHECK((encrypt ? EVP_PKEY_encrypt(context, output, written, input, length)
                   : EVP_PKEY_decrypt(context, output, written, input, length)) == 1);
    EVP_PKEY_CTX_free(context);
}

/* A signature and a decryption that the plain library confirms. */
void one_round(unsigned number)
{
    char message[32];
    unsigned char signature[1024], ciphertext[1024], text[1024];
    size_t length = sizeof signature, sealed = sizeof ciphertext, opened = sizeof text;
    int size = snprintf(message, sizeof message, "message %u", number);
    sign(key, number & 1, message, size, signature, &length);
    CHECK(verify(plain, judge, number & 1, message, size, signature, length));
    CHECK(verify(NULL, key, number & 1, message, size, signature, length));
    signature[7] ^= 1;
    CHECK(!verify(NULL, key, number & 1, message, size, signature, length));
    ERR_clear_error();
    int padding = number & 1 ? RSA_PKCS1_OAEP_PADDING : RSA_PKCS1_PADDING;
    cipher(judge, plain, 1, padding, (unsigned char *)message, size, ciphertext, &sealed);
    cipher(key, NULL, 0, padding, ciphertext, sealed, text, &opened);
    CHECK(opened == (size_t)size && memcmp(text, message, size) == 0);
}

/* PKCS#1 v1.5, around the digest or, without a hash, around whatever there is. */
int verify_payload(OSSL_LIB_CTX *library, EVP_PKEY *pkey, const EVP_MD *hash, const unsigned char *payload,
                   size_t length, const unsigned char *signature)
{
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(library, pkey, NULL);
    CHECK(context && EVP_PKEY_verify_init(context) == 1);
    CHECK(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1);
    CHECK(!hash || EVP_PKEY_CTX_set_signature_md(context, hash) == 1);
    int result = EVP_PKEY_verify(context, signature, 256, payload, length);
    EVP_PKEY_CTX_free(context);
    ERR_clear_error();
    return result == 1;
}

void sign_payload(OSSL_LIB_CTX *library, EVP_PKEY *pkey, const EVP_MD *hash, const unsigned char *payload,
                  size_t length, unsigned char *signature)
{
    size_t written = 256;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(library, pkey, NULL);
    CHECK(context && EVP_PKEY_sign_init(context) == 1);
    CHECK(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1);
    CHECK(!hash || EVP_PKEY_CTX_set_signature_md(context, hash) == 1);
    CHECK(EVP_PKEY_sign(context, signature, &written, payload, length) == 1 && written == 256);
    EVP_PKEY_CTX_free(context);
}

unsigned descriptors(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

size_t bytes_held(void)
{
    struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
}
