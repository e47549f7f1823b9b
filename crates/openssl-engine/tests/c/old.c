/* SPDX-License-Identifier: Apache-2.0 */
/* A program of the old kind: loads an engine by its path and calls RSA_*, from threads and from asynchronous jobs.
 *
 *   old ENGINE.SO THREADS JOBS ROUNDS     JOBS of 0: blocking calls
 *   old ENGINE.SO wrong                   an ID and settings that are refused; prints the errors
 *   old ENGINE.SO fork                    children that sign
 *   old ENGINE.SO beside                  inputs of any size, with each padding, beside OpenSSL's own method
 *
 * The environment may say: ENGINE_DEVICE, the engine's setting; ENGINE_STUB, the file of a stub in place of a new key.
 *
 * Prints the engine's four statistics.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/async.h>
#include <openssl/bn.h>
#include <openssl/engine.h>
#include <openssl/err.h>
#include <openssl/pem.h>
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
    for (int padding = RSA_PKCS1_PADDING; padding <= RSA_PKCS1_OAEP_PADDING; padding += RSA_PKCS1_OAEP_PADDING - RSA_PKCS1_PADDING) {
        int size = RSA_public_encrypt(sizeof digest, digest, sealed, judge, padding);
        CHECK(size == 256 && RSA_private_decrypt(size, sealed, opened, key, padding) == 32);
        CHECK(memcmp(digest, opened, 32) == 0);
    }
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

enum { FILL = 0xA5, MOST = 512, ERRORS = 8 };

typedef int operation(int, const unsigned char *, unsigned char *, RSA *, int);

/* What came of one call. */
struct outcome {
    int result;
    unsigned errors;
    int error[ERRORS][2];
    unsigned char output[MOST];
};

static struct outcome outcome_of(operation *function, int length, const unsigned char *from, RSA *rsa, int padding)
{
    struct outcome outcome = {0};
    memset(outcome.output, FILL, MOST);
    ERR_clear_error();
    outcome.result = function(length, from, outcome.output, rsa, padding);
    for (unsigned long error; (error = ERR_get_error()); outcome.errors++) {
        CHECK(outcome.errors < ERRORS);
        outcome.error[outcome.errors][0] = ERR_GET_LIB(error);
        outcome.error[outcome.errors][1] = ERR_GET_REASON(error);
    }
    return outcome;
}

/* Private operations on inputs of up to one byte more than the modulus has; public ones are OpenSSL's own code. What is
 * not so here is a bad ciphertext of PKCS#1 v1.5: before OpenSSL 3.2 it is an error, then a stand-in. */
static void beside(RSA *ours, RSA *theirs)
{
    static const int paddings[] = {RSA_PKCS1_PADDING, RSA_NO_PADDING, RSA_PKCS1_OAEP_PADDING, RSA_X931_PADDING, 99};
    int size = RSA_size(theirs);
    for (unsigned i = 0; i < 2 * sizeof paddings / sizeof *paddings; i++) {
        int decrypts = i & 1, padding = paddings[i / 2];
        operation *function = decrypts ? RSA_private_decrypt : RSA_private_encrypt;
        unsigned char input[MOST] = {0, 9, 1};
        if (decrypts && (padding == RSA_PKCS1_PADDING || padding == RSA_PKCS1_OAEP_PADDING))
            CHECK(RSA_public_encrypt(20, (unsigned char *)"twenty bytes of text", input, theirs, padding) == size);
        for (int length = 0; length <= size + 1; length += length < 16 || length > size - 16 ? 1 : 7) {
            struct outcome one = outcome_of(function, length, input, ours, padding);
            struct outcome other = outcome_of(function, length, input, theirs, padding);
            if (memcmp(&one, &other, sizeof one) != 0) {
                printf("padding %d, %s %d bytes: %d and %d, %u and %u errors\n", padding, decrypts ? "decrypts" : "encrypts",
                       length, one.result, other.result, one.errors, other.errors);
                fflush(stdout);
                CHECK(!"the same");
            }
        }
    }
    for (int length = 0; length <= 64; length++) {
        unsigned char digest[64] = {1}, one[MOST], other[MOST];
        unsigned written = 0, theirs_wrote = 0;
        int result = RSA_sign(NID_sha256, digest, length, one, &written, ours);
        unsigned long error = ERR_get_error();
        CHECK(RSA_sign(NID_sha256, digest, length, other, &theirs_wrote, theirs) == result && ERR_get_error() == error);
        CHECK(written == theirs_wrote && (result != 1 || memcmp(one, other, written) == 0));
        ERR_clear_error();
    }
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
    const char *stub = getenv("ENGINE_STUB");
    if (stub) {
        FILE *file = fopen(stub, "r");
        CHECK(file && PEM_read_RSAPrivateKey(file, &first, NULL, NULL));
        fclose(file);
    } else {
        CHECK(RSA_generate_key_ex(first, 2048, e, NULL) == 1);
    }
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
    if (!stub)
        one_round(0);
    key = RSAPrivateKey_dup(first);
    if (stub)
        one_round(0);
    CHECK(RSA_get_method(key) == ENGINE_get_RSA(engine));
    if (!strcmp(argument[2], "beside")) {
        CHECK(RSA_get_method(judge) == RSA_PKCS1_OpenSSL());
        beside(key, judge);
    }
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
