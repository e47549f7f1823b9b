/* SPDX-License-Identifier: Apache-2.0 */
/* A program of the old kind: loads an engine by its path and calls RSA_*, from threads and from asynchronous jobs.
 *
 *   old ENGINE.SO THREADS JOBS ROUNDS     JOBS of 0: blocking calls
 *   old ENGINE.SO wrong                   an ID and settings that are refused; prints the errors
 *   old ENGINE.SO fork                    children that sign
 *
 * Prints the engine's four statistics.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/async.h>
#include <openssl/bn.h>
#include <openssl/engine.h>
#include <openssl/err.h>
#include <openssl/rsa.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            ERR_print_errors_fp(stderr);                                          \
            _exit(1);                                                             \
        }                                                                         \
    } while (0)

enum { OPERATIONS = ENGINE_CMD_BASE, TOTAL_TIME, AVERAGE_TIME, AVERAGE_LOAD };

static RSA *key, *judge;
static unsigned jobs, rounds;

static void one_round(unsigned number)
{
    unsigned char digest[32] = {0}, signature[256], sealed[256], opened[256];
    unsigned length = 0;
    memcpy(digest, &number, sizeof number);
    CHECK(RSA_sign(NID_sha256, digest, sizeof digest, signature, &length, key) == 1);
    CHECK(RSA_verify(NID_sha256, digest, sizeof digest, signature, length, judge) == 1);
    int size = RSA_public_encrypt(sizeof digest, digest, sealed, judge, RSA_PKCS1_OAEP_PADDING);
    CHECK(size == 256 && RSA_private_decrypt(size, sealed, opened, key, RSA_PKCS1_OAEP_PADDING) == 32);
    CHECK(memcmp(digest, opened, 32) == 0);
}

static int body(void *argument)
{
    one_round(*(unsigned *)argument);
    return 1;
}

static void *caller(void *argument)
{
    unsigned first = (unsigned)(size_t)argument * 1000;
    if (jobs == 0) {
        for (unsigned i = 0; i < rounds; i++)
            one_round(first + i);
        return NULL;
    }
    ASYNC_JOB *job[256] = {0};
    ASYNC_WAIT_CTX *wait[256];
    unsigned done[256] = {0}, finished = 0;
    for (unsigned i = 0; i < jobs; i++)
        wait[i] = ASYNC_WAIT_CTX_new();
    while (finished < jobs) {
        struct pollfd fds[256];
        unsigned count = 0;
        finished = 0;
        for (unsigned i = 0; i < jobs; i++) {
            int result = 0;
            unsigned number = first + i * rounds + done[i];
            if (done[i] == rounds) {
                finished++;
                continue;
            }
            int state = ASYNC_start_job(&job[i], wait[i], &result, body, &number, sizeof number);
            CHECK(state == ASYNC_PAUSE || (state == ASYNC_FINISH && result == 1));
            if (state == ASYNC_FINISH) {
                done[i]++;
                continue;
            }
            OSSL_ASYNC_FD fd;
            size_t one = 1;
            CHECK(ASYNC_WAIT_CTX_get_all_fds(wait[i], &fd, &one) == 1 && one == 1);
            fds[count++] = (struct pollfd){.fd = fd, .events = POLLIN};
        }
        /* Only if every job waits. */
        unsigned open = 0;
        for (unsigned i = 0; i < jobs; i++)
            open += done[i] < rounds;
        if (count > 0 && count == open)
            CHECK(poll(fds, count, 60000) > 0);
    }
    for (unsigned i = 0; i < jobs; i++)
        ASYNC_WAIT_CTX_free(wait[i]);
    ASYNC_cleanup_thread();
    return NULL;
}

static double figure(ENGINE *engine, int command)
{
    double value = -1;
    CHECK(ENGINE_ctrl(engine, command, sizeof(double), &value, NULL) == 1);
    return value;
}

int main(int count, char **argument)
{
    CHECK(count > 2);
    ENGINE_load_dynamic();
    /* Before the engine is there: OpenSSL's own method. */
    RSA *first = RSA_new();
    BIGNUM *e = BN_new();
    BN_set_word(e, 65537);
    CHECK(RSA_generate_key_ex(first, 2048, e, NULL) == 1);
    judge = RSAPrivateKey_dup(first);

    ENGINE *engine = ENGINE_by_id("dynamic");
    CHECK(engine && ENGINE_ctrl_cmd_string(engine, "SO_PATH", argument[1], 0) == 1);
    if (!strcmp(argument[2], "wrong")) {
        CHECK(ENGINE_ctrl_cmd_string(engine, "ID", "other", 0) == 1);
        CHECK(ENGINE_ctrl_cmd_string(engine, "LOAD", NULL, 0) != 1);
        ERR_print_errors_fp(stdout);
        ENGINE_free(engine);
        engine = ENGINE_by_id("dynamic");
        CHECK(ENGINE_ctrl_cmd_string(engine, "SO_PATH", argument[1], 0) == 1);
    }
    CHECK(ENGINE_ctrl_cmd_string(engine, "ID", "garner", 0) == 1);
    CHECK(ENGINE_ctrl_cmd_string(engine, "LOAD", NULL, 0) == 1);
    if (!strcmp(argument[2], "wrong")) {
        CHECK(ENGINE_ctrl_cmd_string(engine, "SLOTS", "many", 0) != 1);
        ERR_print_errors_fp(stdout);
    }
    CHECK(ENGINE_ctrl_cmd_string(engine, "SLOTS", "2", 0) == 1);
    if (getenv("ENGINE_DEVICE"))
        CHECK(ENGINE_ctrl_cmd_string(engine, "DEVICE", getenv("ENGINE_DEVICE"), 0) == 1);
    CHECK(ENGINE_init(engine) == 1 && ENGINE_set_default_RSA(engine) == 1);
    if (!strcmp(argument[2], "wrong"))
        return 0;

    /* libcrypto's first fetch of a digest takes a lock that a child forked meanwhile would wait for, Garner or not. */
    key = judge;
    one_round(0);
    key = RSAPrivateKey_dup(first);
    CHECK(RSA_get_method(key) == ENGINE_get_RSA(engine));
    pthread_t thread[64];
    unsigned threads = !strcmp(argument[2], "fork") ? 2 : (unsigned)atoi(argument[2]);
    jobs = count > 3 ? (unsigned)atoi(argument[3]) : 0;
    rounds = count > 4 ? (unsigned)atoi(argument[4]) : 40;
    for (size_t i = 0; i < threads; i++)
        CHECK(pthread_create(&thread[i], NULL, caller, (void *)i) == 0);
    if (!strcmp(argument[2], "fork"))
        for (unsigned i = 0; i < 8; i++) {
            pid_t child = fork();
            int status = 0;
            if (child == 0) {
                one_round(i);
                exit(0);
            }
            CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
        }
    for (unsigned i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    printf("operations=%.0f total-time=%.6f average-time=%.2f average-load=%.4f\n", figure(engine, OPERATIONS),
           figure(engine, TOTAL_TIME), figure(engine, AVERAGE_TIME), figure(engine, AVERAGE_LOAD));
    RSA_free(key);
    RSA_free(judge);
    RSA_free(first);
    BN_free(e);
    ENGINE_finish(engine);
    ENGINE_free(engine);
    return 0;
}
