/* SPDX-License-Identifier: Apache-2.0 */
/* The library in a program that runs out of memory, at each of many points in a child process: no child may be ended by a
 * signal, hang or see a wrong answer, and all must work again when there is memory.
 *
 *   memory KEY WHO POINTS        see run_out.h
 */
#define _GNU_SOURCE
#include <allocator.h>
#include <garner.h>
#include <pthread.h>
#include <run_out.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIE(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), _exit(1))

enum { SIZE = 1024, MANY = 100, THREADS = 12 };

static unsigned char pem[16384], expected[SIZE];
static size_t pem_length, size;
static garner_private_key *key;
static garner_public_key *public_key;

/* Whether a call did what it should. What it may fail for is memory, or what needs it. */
static int good(int status, const char *what)
{
    /* Of its hash functions libcrypto does not always say what they lack. */
    if (status == GARNER_ERR_ARGUMENT && strstr(garner_last_error(), "libcrypto refuses to compute"))
        return 0;
    if (status == GARNER_ERR_VERIFICATION || status == GARNER_ERR_FAULT || status == GARNER_ERR_ARGUMENT
        || status == GARNER_ERR_HANDLE || status == GARNER_ERR_BUFFER || status == GARNER_ERR_FULL)
        DIE("%s: %d: %s", what, status, garner_last_error());
    if (status != GARNER_OK && !garner_last_error()[0])
        DIE("%s: %d without a text", what, status);
    return status == GARNER_OK;
}

static int load(void)
{
    garner_private_key_free(key);
    garner_public_key_free(public_key);
    key = NULL, public_key = NULL;
    return good(garner_private_key_read(pem, pem_length, NULL, 0, &key), "read")
        && good(garner_private_key_public(key, &public_key), "public");
}

static void check(const unsigned char *made, size_t length)
{
    if (size && (length != size || memcmp(made, expected, length)))
        DIE("a wrong signature");
}

static int sign(void)
{
    unsigned char made[SIZE];
    size_t length = sizeof made;
    if (!good(garner_sign(NULL, key, GARNER_SHA256, "message", 7, made, &length), "sign"))
        return 0;
    check(made, length);
    return 1;
}

static int verify(void)
{
    unsigned char wrong[SIZE];
    memcpy(wrong, expected, size);
    wrong[size / 2] ^= 1;
    if (garner_verify(NULL, public_key, GARNER_SHA256, "message", 7, wrong, size) == GARNER_OK)
        DIE("a wrong signature verified");
    return good(garner_verify(NULL, public_key, GARNER_SHA256, "message", 7, expected, size), "verify");
}

static int encrypt_and_decrypt(void)
{
    unsigned char sealed[SIZE], plain[SIZE];
    size_t sealed_length = sizeof sealed, length = sizeof plain;
    if (!good(garner_encrypt_oaep(NULL, public_key, GARNER_SHA256, 0, "label", 5, "message", 7, sealed,
                                  &sealed_length), "encrypt")
        || !good(garner_decrypt_oaep(NULL, key, GARNER_SHA256, 0, "label", 5, sealed, sealed_length, plain, &length),
                 "decrypt"))
        return 0;
    if (length != 7 || memcmp(plain, "message", 7))
        DIE("a wrong message");
    return 1;
}

static garner_operation signing(unsigned char *output)
{
    garner_operation operation = GARNER_OPERATION_INIT;
    operation.kind = GARNER_SIGN;
    operation.hash = GARNER_SHA256;
    operation.private_key = key;
    operation.input = "message";
    operation.input_length = 7;
    operation.output = output;
    operation.output_length = SIZE;
    return operation;
}

static int batch(void)
{
    static unsigned char outputs[MANY][SIZE];
    garner_operation operations[MANY];
    int right = 0;
    for (int i = 0; i < MANY; i++)
        operations[i] = signing(outputs[i]);
    good(garner_run(NULL, operations, MANY), "run");
    for (int i = 0; i < MANY; i++) {
        /* What `good` says of hash functions; the text is that of the first operation that failed, perhaps another. */
        if (operations[i].status == GARNER_ERR_ARGUMENT)
            continue;
        if (good(operations[i].status, "in the batch")) {
            check(outputs[i], operations[i].output_length);
            right++;
        }
    }
    return right == MANY;
}

static int tickets(void)
{
    garner_ticket *tickets[MANY];
    int right = 0;
    for (int i = 0; i < MANY; i++) {
        garner_operation operation = signing(NULL);
        tickets[i] = NULL;
        good(garner_submit(NULL, &operation, &tickets[i]), "submit");
    }
    for (int i = 0; i < MANY; i++) {
        unsigned char made[SIZE];
        size_t length = sizeof made;
        if (tickets[i] && good(garner_ticket_wait(tickets[i], made, &length), "wait")) {
            check(made, length);
            right++;
        }
        good(garner_ticket_free(tickets[i]), "free");
    }
    return right == MANY;
}

static void *in_thread(void *result)
{
    *(int *)result = sign();
    return NULL;
}

static int threads(void)
{
    pthread_t all[THREADS];
    int started = 0, right = 0, results[THREADS] = { 0 };
    while (started < THREADS && !pthread_create(&all[started], NULL, in_thread, &results[started]))
        started++;
    for (int i = 0; i < started; i++) {
        pthread_join(all[i], NULL);
        right += results[i];
    }
    return right == THREADS;
}

static int generate(void)
{
    garner_private_key *keys[4] = { NULL };
    garner_keygen_options options = GARNER_KEYGEN_OPTIONS_INIT;
    options.below_fips = 1;
    int made = good(garner_private_key_generate_many(1024, &options, keys, 4), "generate");
    for (int i = 0; i < 4; i++)
        garner_private_key_free(keys[i]);
    return made;
}

/* A file of a length that has to be asked for, which is no key. */
static int long_file(void)
{
    static char text[1 << 20];
    static const char first[] = "-----BEGIN PRIVATE KEY-----\n", last[] = "\n-----END PRIVATE KEY-----\n";
    garner_private_key *none = NULL;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i % 65 ? 'A' : '\n';
    memcpy(text, first, sizeof first - 1);
    memcpy(text + sizeof text - sizeof last, last, sizeof last);
    int status = garner_private_key_read(text, sizeof text - 1, NULL, 0, &none);
    if (status != GARNER_ERR_ENCODING)
        good(status, "long file");
    if (status == GARNER_OK)
        DIE("no key was read");
    return status == GARNER_ERR_ENCODING;
}

static const struct { const char *name; int (*run)(void); } STEPS[] = {
    { "load", load }, { "sign", sign }, { "verify", verify }, { "encrypt and decrypt", encrypt_and_decrypt },
    { "batch", batch }, { "tickets", tickets }, { "threads", threads }, { "generate", generate },
    { "long file", long_file },
};
#define COUNT (sizeof STEPS / sizeof *STEPS)

static unsigned right;

static void gently(void)
{
    for (unsigned i = 0; i < COUNT; i++)
        right += (public_key || !i) && STEPS[i].run();
}

static enum who who;

static unsigned long live(unsigned long point, unsigned long count)
{
    unsigned long counted = run_out(who, point, count, gently);
    garner_statistics statistics = GARNER_STATISTICS_INIT;
    for (unsigned i = 0; i < COUNT; i++)
        if (!STEPS[i].run())
            DIE("%s: failed: %s", STEPS[i].name, garner_last_error());
    if (garner_statistics_get(NULL, &statistics) != GARNER_OK || statistics.out_of_service)
        DIE("the device is out of service");
    printf("%u ", right);
    return counted;
}

int main(int arguments, char **argument)
{
    if (arguments != 4 || (who = who_of(argument[2])) == UNKNOWN)
        return fprintf(stderr, "memory KEY WHO POINTS\n"), 2;
    FILE *file = fopen(argument[1], "r");
    if (!file || !(pem_length = fread(pem, 1, sizeof pem, file)))
        DIE("%s: cannot be read", argument[1]);
    fclose(file);
    size_t length = sizeof expected;
    if (!find_module("libgarner.so") || !load()
        || garner_sign(NULL, key, GARNER_SHA256, "message", 7, expected, &length) != GARNER_OK)
        DIE("%s", garner_last_error());
    size = length;
    return at_points(who, strtoul(argument[3], NULL, 10), live) > 0;
}
