/* SPDX-License-Identifier: Apache-2.0 */
/* A program that has libcrypto inside it, and loads the module: that one's libcrypto would be the second. */
#include <openssl/err.h>
#include <openssl/provider.h>
#include <stdio.h>

int main(void)
{
    if (OSSL_PROVIDER_load(NULL, "garner"))
        return 0;
    ERR_print_errors_fp(stderr);
    return 1;
}
