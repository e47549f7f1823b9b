/* SPDX-License-Identifier: Apache-2.0 */
/* A program that has libcrypto inside it, and loads the module: that one's libcrypto would be the second.
 *
 *   second                                 only that
 *   second ENGINE.SO REFUSED.SO            then two engines that are linked to the second, one of which refuses
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/engine.h>
#include <openssl/err.h>
#include <openssl/provider.h>
#include <stdio.h>

#ifndef OPENSSL_NO_ENGINE
static int load(const char *file)
{
    ENGINE *engine = ENGINE_by_id("dynamic");
    int loaded = engine && ENGINE_ctrl_cmd_string(engine, "SO_PATH", file, 0) == 1
        && ENGINE_ctrl_cmd_string(engine, "LIST_ADD", "1", 0) == 1 && ENGINE_ctrl_cmd_string(engine, "LOAD", NULL, 0) == 1;
    ENGINE_free(engine);
    return loaded;
}
#endif

int main(int count, char **argument)
{
    if (OSSL_PROVIDER_load(NULL, "garner"))
        return 0;
    ERR_print_errors_fp(stderr);
    (void)count, (void)argument;
#ifndef OPENSSL_NO_ENGINE
    if (count > 2) {
        ENGINE_load_dynamic();
        if (!load(argument[1]) || load(argument[2]))
            return 2;
    }
#endif
    return 1;
}
