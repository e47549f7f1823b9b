/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous jobs: many at once, one alone, and those that wake their owner by a callback. */
#include "common.h"

#include <openssl/async.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

int job_body(void *argument)
{
    one_round(((struct work *)argument)->number);
    return 1;
}

struct loop { unsigned jobs, rounds, first; int shared; };

static void *loop(void *argument)
{
    struct loop *my = argument;
    ASYNC_JOB **job = calloc(my->jobs, sizeof *job);
    ASYNC_WAIT_CTX **wait = calloc(my->jobs, sizeof *wait);
    unsigned *done = calloc(my->jobs, sizeof *done);
    struct pollfd *fds = calloc(my->jobs * 64, sizeof *fds);
    int pauses = 0;
    CHECK(ASYNC_init_thread(my->jobs, 0) == 1);
    for (unsigned i = 0; i < my->jobs; i++)
        wait[i] = i == 0 || !my->shared ? ASYNC_WAIT_CTX_new() : wait[0];
    for (;;) {
        unsigned finished = 0;
        for (unsigned i = 0; i < my->jobs; i++) {
            int result = 0;
            if (done[i] == my->rounds) {
                finished++;
                continue;
            }
            struct work work = {my->first + i * my->rounds + done[i]};
            switch (ASYNC_start_job(&job[i], wait[i], &result, job_body, &work, sizeof work)) {
            case ASYNC_FINISH:
                CHECK(result == 1);
                done[i]++;
                break;
            case ASYNC_PAUSE:
                pauses++;
                break;
            default:
                CHECK(!"a job that runs");
            }
        }
        if (finished == my->jobs)
            break;
        size_t count = 0;
        for (unsigned i = 0; i < (my->shared ? 1 : my->jobs); i++) {
            OSSL_ASYNC_FD some[64];
            size_t number = 64;
            CHECK(ASYNC_WAIT_CTX_get_all_fds(wait[i], some, &number) == 1);
            for (size_t j = 0; j < number && job[i]; j++)
                fds[count++] = (struct pollfd){.fd = some[j], .events = POLLIN};
        }
        /* An answer that never signals would hang here; the limit turns that into a failure. */
        if (count)
            CHECK(poll(fds, count, 60000) > 0);
    }
    CHECK(pauses > 0);
    for (unsigned i = 0; i < (my->shared ? 1 : my->jobs); i++)
        ASYNC_WAIT_CTX_free(wait[i]);
    free(job), free(wait), free(done), free(fds);
    ASYNC_cleanup_thread();
    return NULL;
}

void jobs(unsigned count, unsigned each, unsigned rounds, int shared)
{
    pthread_t thread[64];
    struct loop loops[64];
    for (unsigned i = 0; i < count; i++) {
        loops[i] = (struct loop){each, rounds, i * each * rounds, shared};
        CHECK(pthread_create(&thread[i], NULL, loop, &loops[i]) == 0);
    }
    for (unsigned i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
}

/* Runs one job to its end; whether it paused. */
int in_a_job(int (*body)(void *), void *argument, size_t size)
{
    ASYNC_JOB *job = NULL;
    ASYNC_WAIT_CTX *wait = ASYNC_WAIT_CTX_new();
    int result = 0, state, pauses = 0;
    for (; (state = ASYNC_start_job(&job, wait, &result, body, argument, size)) == ASYNC_PAUSE; pauses++) {
        CHECK(pauses < 60000);
        usleep(1000);
    }
    CHECK(state == ASYNC_FINISH && result == 1);
    ASYNC_WAIT_CTX_free(wait);
    return pauses;
}

/* On 32 KiB of stack, nothing of which Garner may run out of. */
int other_body(void *argument)
{
    (void)argument;
    unsigned char ciphertext[512], text[512], signature[512];
    size_t sealed = sizeof ciphertext, opened = sizeof text, length = sizeof signature;
    EVP_PKEY *made = EVP_RSA_gen(3072);
    CHECK(made && strcmp(provider_of(made), "garner") == 0);
    cipher(made, NULL, 1, RSA_PKCS1_OAEP_PADDING, (unsigned char *)"text", 4, ciphertext, &sealed);
    cipher(made, NULL, 0, RSA_PKCS1_OAEP_PADDING, ciphertext, sealed, text, &opened);
    CHECK(opened == 4 && memcmp(text, "text", 4) == 0);
    sign(made, 1, "text", 4, signature, &length);
    CHECK(verify(NULL, made, 1, "text", 4, signature, length));
    EVP_PKEY_free(made);
    return 1;
}

static _Atomic int called;

static int callback(void *argument)
{
    CHECK(argument == &called);
    atomic_fetch_add(&called, 1);
    return 1;
}

void callbacks(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        ASYNC_JOB *job = NULL;
        ASYNC_WAIT_CTX *wait = ASYNC_WAIT_CTX_new();
        struct work work = {i};
        int result = 0, state;
        CHECK(ASYNC_WAIT_CTX_set_callback(wait, callback, &called) == 1);
        int before = atomic_load(&called);
        while ((state = ASYNC_start_job(&job, wait, &result, job_body, &work, sizeof work)) == ASYNC_PAUSE) {
            for (int ms = 0; atomic_load(&called) == before; ms++) {
                CHECK(ms < 60000);
                usleep(1000);
            }
            before = atomic_load(&called);
        }
        CHECK(state == ASYNC_FINISH && result == 1);
        ASYNC_WAIT_CTX_free(wait);
    }
}
