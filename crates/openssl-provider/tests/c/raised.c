/* SPDX-License-Identifier: Apache-2.0 */
/* Loads Garner by a path of its own, as a program does that trusts no environment, and signs with a new key.
 *
 *   raised MODULES
 *
 * MODULES  the folder of garner.so
 *
 * Says whether Garner was there before, by a configuration, and whose signature it was. */
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdio.h>

int main(int count, char **arguments)
{
    unsigned char signature[256];
    size_t length = sizeof signature;
    const unsigned char message[] = "a message";

    if (count != 2)
        return 2;
    printf("configured: %d\n", OSSL_PROVIDER_available(NULL, "garner"));
    if (!OSSL_PROVIDER_set_default_search_path(NULL, arguments[1]) || !OSSL_PROVIDER_load(NULL, "garner")
        || !OSSL_PROVIDER_load(NULL, "default")) {
        ERR_print_errors_fp(stderr);
        return 1;
    }
    EVP_PKEY_CTX *generation = EVP_PKEY_CTX_new_from_name(NULL, "RSA", "?provider=garner");
    EVP_PKEY *key = NULL;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (!generation || EVP_PKEY_keygen_init(generation) != 1 || EVP_PKEY_generate(generation, &key) != 1
        || EVP_DigestSignInit_ex(context, NULL, "SHA256", NULL, "?provider=garner", key, NULL) != 1
        || EVP_DigestSign(context, signature, &length, message, sizeof message) != 1) {
        ERR_print_errors_fp(stderr);
        return 1;
    }
    printf("signed by: %s\n", OSSL_PROVIDER_get0_name(EVP_PKEY_get0_provider(key)));
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    EVP_PKEY_CTX_free(generation);
    return 0;
}
