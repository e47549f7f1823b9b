/* SPDX-License-Identifier: Apache-2.0 */
/* Library contexts that come and go with the module, and what they leave behind. */
#include "common.h"


void reload_once(void)
{
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    OSSL_PROVIDER *base = OSSL_PROVIDER_load(library, "default"), *ours = OSSL_PROVIDER_load(library, "garner");
    CHECK(base && ours);
    CHECK(EVP_set_default_properties(library, "?provider=garner") == 1);
    EVP_PKEY *mine = copy(library, judge);
    CHECK(strcmp(provider_of(mine), "garner") == 0);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(library, mine, NULL);
    unsigned char signature[256];
    size_t length = sizeof signature;
    CHECK(EVP_PKEY_sign_init(context) == 1);
    CHECK(EVP_PKEY_sign(context, signature, &length, prepared_digest, 32) == 1);
    EVP_PKEY_CTX_free(context);
    /* Unloaded before the key goes: the key keeps it. */
    OSSL_PROVIDER_unload(ours);
    EVP_PKEY_free(mine);
    OSSL_PROVIDER_unload(base);
    OSSL_LIB_CTX_free(library);
}

void reload(unsigned cycles)
{
    for (unsigned i = 0; i < 10; i++)
        reload_once();
    unsigned before = descriptors();
    size_t bytes = bytes_held();
    for (unsigned i = 0; i < cycles; i++)
        reload_once();
    printf("descriptors=%d bytes=%ld\n", (int)descriptors() - (int)before, (long)bytes_held() - (long)bytes);
}
