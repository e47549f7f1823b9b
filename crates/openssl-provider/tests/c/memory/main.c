/* SPDX-License-Identifier: Apache-2.0 */
/* An EVP program that runs out of memory: at each of many points, in a child process each, and goes on when there is memory
 * again. Every child must end by itself, with no wrong answer; and when there is memory again all answers must be right.
 *
 *   memory FOLDER MODULE WHO WHAT POINTS [POINT COUNT]
 *
 * FOLDER  has key.pem, message, signature (of PKCS#1 v1.5, SHA-256) and ciphertext (OAEP)
 * MODULE  a part of the name of the file whose allocations count; "-" for none
 * WHO     module | everybody | limit | starved
 * WHAT    warm: after one round without failures; loaded: after the module was loaded; alone: the same, with one caller at a
 *         time; cold: before it was loaded
 * POINTS  how many children, at most
 * POINT   only this one, with so many failures, for a debugger
 */
#define _GNU_SOURCE
#include <allocator.h>
#include <fcntl.h>
#include <openssl/async.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>
#include <poll.h>
#include <pthread.h>
#include <run_out.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DIE(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), ERR_print_errors_fp(stderr), _exit(1))

static struct bytes { unsigned char data[8192]; size_t length; } pem, message, signature, ciphertext;

static void slurp(const char *folder, const char *name, struct bytes *into)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_RDONLY);
    ssize_t length = file < 0 ? -1 : read(file, into->data, sizeof into->data);
    if (length < 0)
        DIE("%s: cannot be read", path);
    into->length = length;
    close(file);
}

/* Steps of a round. Each gives 1 for the right answer, 0 for an error, and ends the process after a wrong answer. */

static EVP_PKEY *key;

static int load(void)
{
    EVP_PKEY_free(key);
    key = NULL;
    BIO *file = BIO_new_mem_buf(pem.data, pem.length);
    if (file)
        key = PEM_read_bio_PrivateKey(file, NULL, NULL, NULL);
    BIO_free(file);
    return !!key;
}

static int sign(void)
{
    unsigned char made[1024];
    size_t length = sizeof made;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int good = context && EVP_DigestSignInit_ex(context, NULL, "SHA256", NULL, NULL, key, NULL) == 1
        && EVP_DigestSign(context, made, &length, message.data, message.length) == 1;
    if (good && (length != signature.length || memcmp(made, signature.data, length)))
        DIE("a wrong signature");
    EVP_MD_CTX_free(context);
    return good;
}

static int verify_one(const unsigned char *of)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int good = context && EVP_DigestVerifyInit_ex(context, NULL, "SHA256", NULL, NULL, key, NULL) == 1
        && EVP_DigestVerify(context, of, signature.length, message.data, message.length) == 1;
    EVP_MD_CTX_free(context);
    return good;
}

static int verify(void)
{
    unsigned char wrong[1024];
    memcpy(wrong, signature.data, signature.length);
    wrong[100] ^= 1;
    if (verify_one(wrong))
        DIE("a wrong signature verified");
    return verify_one(signature.data);
}

static int decrypt_of(int padding, const unsigned char *input, size_t input_length)
{
    unsigned char plain[1024];
    size_t length = sizeof plain;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    int good = context && EVP_PKEY_decrypt_init(context) == 1 && EVP_PKEY_CTX_set_rsa_padding(context, padding) == 1
        && EVP_PKEY_decrypt(context, plain, &length, input, input_length) == 1;
    if (good && (length != message.length || memcmp(plain, message.data, length)))
        DIE("a wrong message");
    EVP_PKEY_CTX_free(context);
    return good;
}

static int decrypt(void)
{
    return decrypt_of(RSA_PKCS1_OAEP_PADDING, ciphertext.data, ciphertext.length);
}

static unsigned char made[1024];
static size_t made_length;

static int encrypt(void)
{
    made_length = sizeof made;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    int good = context && EVP_PKEY_encrypt_init(context) == 1
        && EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
        && EVP_PKEY_encrypt(context, made, &made_length, message.data, message.length) == 1;
    if (!good)
        made_length = 0;
    EVP_PKEY_CTX_free(context);
    return good;
}

/* What was encrypted, when there is memory again or still. */
static int read_back(void)
{
    return !made_length || decrypt_of(RSA_PKCS1_PADDING, made, made_length);
}

static int body(void *step)
{
    return (*(int (**)(void))step)();
}

/* A step in an asynchronous job. */
static int job(int (*step)(void))
{
    ASYNC_WAIT_CTX *wait = ASYNC_WAIT_CTX_new();
    ASYNC_JOB *job = NULL;
    int result = 0, status = ASYNC_ERR;
    while (wait && (status = ASYNC_start_job(&job, wait, &result, body, &step, sizeof step)) == ASYNC_PAUSE) {
        OSSL_ASYNC_FD fds[4];
        size_t count = 4;
        struct pollfd file = { .events = POLLIN };
        if (ASYNC_WAIT_CTX_get_all_fds(wait, fds, &count) && count == 1) {
            file.fd = fds[0];
            poll(&file, 1, 1000);
        }
    }
    ASYNC_WAIT_CTX_free(wait);
    return status == ASYNC_FINISH && result == 1;
}

static int sign_in_job(void) { return job(sign); }
static int decrypt_in_job(void) { return job(decrypt); }

#define MANY 24

static enum who who;

/* Set while memory fails. */
static int failing;

/* What the C library is told of by a thread ends the process where it has no memory for it: by the main thread nothing, by
 * others one thing, and that only where there is plenty. */
static void see_what_is_noted(unsigned most)
{
    if (notes() > most)
        DIE("%u notes of destructors in a thread, %u at most", notes(), most);
}

static void *sign_in_thread(void *result)
{
    *(int *)result = sign() && sign_in_job();
    see_what_is_noted(failing && (who == LIMIT || who == STARVED) ? 0 : 1);
    /* As threads that know their program do: libcrypto has no memory for it at the end of one that does not. */
    OPENSSL_thread_stop();
    return NULL;
}

/* Many callers at once: they share batches. */
static int sign_in_threads(void)
{
    pthread_t threads[MANY];
    int started = 0, right = 0, results[MANY] = { 0 };
    while (started < MANY && !pthread_create(&threads[started], NULL, sign_in_thread, &results[started]))
        started++;
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        right += results[i];
    }
    return right == MANY;
}

/* Many jobs at once. */
static int sign_in_jobs(void)
{
    ASYNC_WAIT_CTX *wait[MANY] = { NULL };
    ASYNC_JOB *jobs[MANY] = { NULL };
    int results[MANY] = { 0 }, status[MANY], paused = 1, right = 0;
    int (*step)(void) = sign;
    for (int i = 0; i < MANY; i++)
        status[i] = (wait[i] = ASYNC_WAIT_CTX_new()) ? ASYNC_PAUSE : ASYNC_ERR;
    while (paused) {
        paused = 0;
        for (int i = 0; i < MANY; i++)
            if (status[i] == ASYNC_PAUSE) {
                status[i] = ASYNC_start_job(&jobs[i], wait[i], &results[i], body, &step, sizeof step);
                paused |= status[i] == ASYNC_PAUSE;
            }
        sched_yield();
    }
    for (int i = 0; i < MANY; i++) {
        right += status[i] == ASYNC_FINISH && results[i] == 1;
        ASYNC_WAIT_CTX_free(wait[i]);
    }
    return right == MANY;
}

static int public_half(void)
{
    return EVP_PKEY_get_bits(key) == 8 * (int)signature.length;
}

static int generate(void)
{
    EVP_PKEY *made = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    int good = context && EVP_PKEY_keygen_init(context) == 1 && EVP_PKEY_CTX_set_rsa_keygen_bits(context, 1024) == 1
        && EVP_PKEY_generate(context, &made) == 1;
    EVP_PKEY_free(made);
    EVP_PKEY_CTX_free(context);
    return good;
}

static const struct { const char *name; int (*run)(void); } STEPS[] = {
    { "load", load }, { "bits", public_half }, { "sign", sign }, { "sign again", sign }, { "verify", verify },
    { "encrypt", encrypt }, { "read back", read_back }, { "decrypt", decrypt }, { "sign in a job", sign_in_job },
    { "decrypt in a job", decrypt_in_job }, { "generate", generate }, { "sign in threads", sign_in_threads },
    { "sign in jobs", sign_in_jobs },
};
#define COUNT (sizeof STEPS / sizeof *STEPS)

/* How many of them are run: the last two have many callers. */
static unsigned steps = COUNT;

/* Runs all steps; where `strict` none may fail. Returns how many gave the right answer. */
static unsigned round_of(int strict)
{
    unsigned right = 0;
    for (unsigned i = 0; i < steps; i++) {
        int good = (key || i == 0) && STEPS[i].run();
        right += good;
        if (strict && !good)
            DIE("%s: failed", STEPS[i].name);
        if (!strict)
            ERR_clear_error();
    }
    return right;
}

/* A figure of Garner's. */
static unsigned long figure(const char *name)
{
    uint64_t count = 0;
    OSSL_PARAM asked[] = { OSSL_PARAM_uint64(name, &count), OSSL_PARAM_END };
    if (OSSL_PROVIDER_available(NULL, "garner")) {
        OSSL_PROVIDER *garner = OSSL_PROVIDER_load(NULL, "garner");
        OSSL_PROVIDER_get_params(garner, asked);
        OSSL_PROVIDER_unload(garner);
    }
    return count;
}

static int garner;
static unsigned right;

static void gently(void)
{
    right = round_of(0);
    failing = 0;
}

/* One child's life. */
static unsigned long live(unsigned long point, unsigned long count)
{
    failing = point > 0;
    unsigned long counted = run_out(who, point, count, gently);
    /* There is memory again. */
    if (made_length && !key && !load())
        DIE("load: failed");
    if (!read_back())
        DIE("what was encrypted cannot be decrypted");
    unsigned long before = figure("private-operations");
    round_of(1);
    see_what_is_noted(0);
    unsigned long after = figure("private-operations");
    if (garner && after < before + 6 + (steps == COUNT ? 2 * MANY : 0))
        DIE("Garner is out of use: %lu operations before, %lu after", before, after);
    if (figure("out-of-service") > 0)
        DIE("the device is out of service");
    printf("%u/%lu ", right, figure("reserve-high-water"));
    return counted;
}

int main(int arguments, char **argument)
{
    if (arguments != 6 && arguments != 8)
        return fprintf(stderr, "memory FOLDER MODULE WHO WHAT POINTS [POINT COUNT]\n"), 2;
    who = who_of(argument[3]);
    if (who == UNKNOWN)
        return fprintf(stderr, "%s: unknown\n", argument[3]), 2;
    slurp(argument[1], "key.pem", &pem);
    slurp(argument[1], "message", &message);
    slurp(argument[1], "signature", &signature);
    slurp(argument[1], "ciphertext", &ciphertext);
    garner = strcmp(argument[2], "-");
    if (!strcmp(argument[4], "alone"))
        steps -= 2;
    if (!strcmp(argument[4], "warm"))
        round_of(1);
    else if (strcmp(argument[4], "cold"))
        OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL);
    if (!find_module(garner && strcmp(argument[4], "cold") ? argument[2] : NULL))
        DIE("%s is not loaded", argument[2]);
    if (arguments == 8) {
        if (fork() == 0)
            return live(strtoul(argument[6], NULL, 10), strtoul(argument[7], NULL, 10)), 0;
        int status;
        return wait(&status), status;
    }
    return at_points(who, strtoul(argument[5], NULL, 10), live) > 0;
}
