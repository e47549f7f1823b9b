/* SPDX-License-Identifier: Apache-2.0 */
/* An engine that needs its libcrypto to the end of the process, as OpenSSL's own `dasync`: what frees its texts takes a lock
 * that is there until libcrypto cleans up. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/engine.h>
#include <openssl/err.h>

static ERR_STRING_DATA texts[] = {{1, "a reason"}, {0, NULL}};
static int library;

static int destroy(ENGINE *engine)
{
    (void)engine;
    ERR_unload_strings(library, texts);
    return 1;
}

static int bind(ENGINE *engine, const char *id)
{
    (void)id;
    library = ERR_get_next_error_library();
    ERR_load_strings(library, texts);
    return ENGINE_set_id(engine, "small") && ENGINE_set_name(engine, "small") && ENGINE_set_destroy_function(engine, destroy);
}

IMPLEMENT_DYNAMIC_CHECK_FN()
IMPLEMENT_DYNAMIC_BIND_FN(bind)
