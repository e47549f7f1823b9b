/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that are paused and given up, and what they leave behind. */
#include "common.h"

#include <malloc.h>
#include <openssl/async.h>

static EVP_PKEY_CTX *prepared[4096];
static unsigned char prepared_signature[4096][256];

/* Owns no memory while it is paused, so that everything lost is the provider's. */
static int lean_body(void *argument)
{
    unsigned i = *(unsigned *)argument;
    size_t length = sizeof prepared_signature[i];
    return EVP_PKEY_sign(prepared[i], prepared_signature[i], &length, prepared_digest, sizeof prepared_digest);
}

/* Each wave gives up `count` jobs. libcrypto itself never frees the job of a wait context that is freed: so what a
 * paused job costs is measured against jobs that were paused by nobody of ours. */
static int idle_body(void *argument)
{
    (void)argument;
    ASYNC_pause_job();
    return 1;
}

static size_t wave(unsigned count, int (*body)(void *))
{
    malloc_trim(0);
    size_t before = bytes_held();
    for (unsigned i = 0; i < count; i++) {
        ASYNC_JOB *job = NULL;
        ASYNC_WAIT_CTX *wait = ASYNC_WAIT_CTX_new();
        int result = 0, state;
        /* A job whose answer is there before it would pause does not pause: then another. */
        do
            state = ASYNC_start_job(&job, wait, &result, body, &i, sizeof i);
        while (state == ASYNC_FINISH);
        CHECK(state == ASYNC_PAUSE);
        ASYNC_WAIT_CTX_free(wait);
    }
    /* Until the abandoned operations are answered, they are not lost but under way. */
    for (unsigned i = 0; i < 8; i++)
        one_round(i);
    usleep(200000);
    return bytes_held() - before;
}

void abandon(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        prepared[i] = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
        CHECK(EVP_PKEY_sign_init(prepared[i]) == 1);
        CHECK(EVP_PKEY_CTX_set_signature_md(prepared[i], EVP_sha256()) == 1);
    }
    wave(count, lean_body), wave(count, idle_body);
    unsigned before = descriptors();
    size_t idle = wave(count, idle_body), ours = wave(count, lean_body);
    printf("descriptors=%d bytes=%ld\n", (int)descriptors() - (int)before, (long)ours - (long)idle);
    for (unsigned i = 0; i < count; i++)
        EVP_PKEY_CTX_free(prepared[i]);
}
