/* SPDX-License-Identifier: Apache-2.0 */
/* A signing program that knows nothing of Garner: RSA, SHA-256, PKCS#1 v1.5, through EVP.
 *
 *   sign sync|async CALLERS SECONDS BITS
 *
 * sync: CALLERS threads that block. async: CALLERS asynchronous jobs on as many threads as there are processors. Each caller
 * verifies its last signature. Prints one line: signatures, seconds, processor seconds, and, if a provider called garner is
 * loaded, its four statistics.
 */
#define _GNU_SOURCE
#include <openssl/async.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                          \
    do {                                                          \
        if (!(condition)) {                                       \
            fprintf(stderr, "sign: not so: %s\n", #condition);    \
            ERR_print_errors_fp(stderr);                          \
            _exit(1);                                             \
        }                                                         \
    } while (0)

static EVP_PKEY *key;
static _Atomic long signatures;
static _Atomic int stop;

struct caller {
    EVP_MD_CTX *context;
    unsigned char signature[1024];
    size_t length;
    long count;
};

static void sign(struct caller *caller)
{
    caller->length = sizeof caller->signature;
    CHECK(EVP_DigestSignInit_ex(caller->context, NULL, "SHA256", NULL, NULL, key, NULL) == 1);
    CHECK(EVP_DigestSign(caller->context, caller->signature, &caller->length, (unsigned char *)&caller->count,
                         sizeof caller->count) == 1);
    caller->count++;
}

static void verify(struct caller *caller)
{
    long last = caller->count - 1;
    if (last < 0)
        return;
    CHECK(EVP_DigestVerifyInit_ex(caller->context, NULL, "SHA256", NULL, NULL, key, NULL) == 1);
    CHECK(EVP_DigestVerify(caller->context, caller->signature, caller->length, (unsigned char *)&last, sizeof last) == 1);
    atomic_fetch_add(&signatures, caller->count);
}

static void *block(void *argument)
{
    (void)argument;
    struct caller caller = {.context = EVP_MD_CTX_new()};
    while (!atomic_load(&stop))
        sign(&caller);
    verify(&caller);
    EVP_MD_CTX_free(caller.context);
    return NULL;
}

static int job_body(void *argument)
{
    sign(*(struct caller **)argument);
    return 1;
}

static void *drive(void *argument)
{
    unsigned jobs = (unsigned)(size_t)argument;
    struct caller *caller = calloc(jobs, sizeof *caller);
    ASYNC_JOB **job = calloc(jobs, sizeof *job);
    ASYNC_WAIT_CTX **wait = calloc(jobs, sizeof *wait);
    struct pollfd *fds = calloc(jobs, sizeof *fds);
    CHECK(ASYNC_init_thread(jobs, jobs) == 1);
    for (unsigned i = 0; i < jobs; i++) {
        caller[i].context = EVP_MD_CTX_new();
        wait[i] = ASYNC_WAIT_CTX_new();
    }
    for (;;) {
        unsigned paused = 0;
        for (unsigned i = 0; i < jobs; i++) {
            struct caller *mine = &caller[i];
            /* Poll says nothing to do for a job that waits. */
            if (job[i] && fds[i].fd >= 0 && fds[i].revents == 0) {
                paused++;
                continue;
            }
            int result = 0, state = ASYNC_FINISH;
            while (job[i] || !atomic_load(&stop)) {
                state = ASYNC_start_job(&job[i], wait[i], &result, job_body, &mine, sizeof mine);
                if (state != ASYNC_FINISH)
                    break;
                CHECK(result == 1);
                /* Without an accelerator a job never pauses: one signature a round, so that all have their turn. */
                if (!job[i])
                    break;
            }
            fds[i] = (struct pollfd){.fd = -1};
            if (state == ASYNC_PAUSE) {
                OSSL_ASYNC_FD fd;
                size_t one = 1;
                CHECK(ASYNC_WAIT_CTX_get_all_fds(wait[i], &fd, &one) == 1 && one == 1);
                fds[i] = (struct pollfd){.fd = fd, .events = POLLIN};
                paused++;
            } else {
                CHECK(state == ASYNC_FINISH);
            }
        }
        if (paused == 0 && atomic_load(&stop))
            break;
        if (paused == jobs || atomic_load(&stop))
            CHECK(poll(fds, jobs, 60000) > 0);
        else
            poll(fds, jobs, 0);
    }
    for (unsigned i = 0; i < jobs; i++) {
        verify(&caller[i]);
        EVP_MD_CTX_free(caller[i].context);
        ASYNC_WAIT_CTX_free(wait[i]);
    }
    ASYNC_cleanup_thread();
    free(caller), free(job), free(wait), free(fds);
    return NULL;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

int main(int count, char **argument)
{
    if (count != 5)
        return fprintf(stderr, "usage: sign sync|async CALLERS SECONDS BITS\n"), 2;
    int async = !strcmp(argument[1], "async");
    unsigned callers = atoi(argument[2]), processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = async && callers > processors ? processors : callers;
    pthread_t *thread = calloc(threads, sizeof *thread);
    key = EVP_RSA_gen(atoi(argument[4]));
    CHECK(key);
    double start = now();
    for (unsigned i = 0; i < threads; i++) {
        size_t jobs = callers / threads + (i < callers % threads);
        CHECK(pthread_create(&thread[i], NULL, async ? drive : block, (void *)jobs) == 0);
    }
    usleep(atof(argument[3]) * 1e6);
    atomic_store(&stop, 1);
    for (unsigned i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    double seconds = now() - start;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double processor = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
    printf("%ld %.6f %.6f", atomic_load(&signatures), seconds, processor);
    if (OSSL_PROVIDER_available(NULL, "garner")) {
        double figure[4] = {0};
        OSSL_PROVIDER *garner = OSSL_PROVIDER_load(NULL, "garner");
        OSSL_PARAM params[] = {OSSL_PARAM_double("operations", &figure[0]), OSSL_PARAM_double("total-time", &figure[1]),
                               OSSL_PARAM_double("average-time", &figure[2]), OSSL_PARAM_double("average-load", &figure[3]),
                               OSSL_PARAM_END};
        CHECK(garner && OSSL_PROVIDER_get_params(garner, params) == 1);
        printf(" %.0f %.6f %.3f %.4f", figure[0], figure[1], figure[2], figure[3]);
        OSSL_PROVIDER_unload(garner);
    }
    printf("\n");
    EVP_PKEY_free(key);
    free(thread);
    return 0;
}
