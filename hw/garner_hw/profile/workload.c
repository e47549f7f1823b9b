/* SPDX-License-Identifier: Apache-2.0 */
/* The program that is profiled: RSA of mbedTLS 2.28, nothing else.
 *
 *   workload OPERATION BITS COUNT SEED     OPERATION: keygen, encrypt, decrypt
 *
 * Prints the milliseconds of each of COUNT operations, one a line. e = 65537, PKCS#1 v1.5, blinding on. Encryption and
 * decryption use one key, made before the clock runs and before callgrind counts, and every message is compared with what was encrypted. The random
 * source is mbedTLS's CTR_DRBG, seeded with SEED, so that a run can be repeated; for a profile only.
 */
#include "mbedtls/ctr_drbg.h"
#include "mbedtls/rsa.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <valgrind/callgrind.h>

static int fixed_entropy(void *seed, unsigned char *output, size_t length) {
    for (size_t i = 0; i < length; i++) output[i] = (unsigned char)(*(unsigned long *)seed >> (8 * (i % sizeof(long))));
    return 0;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static void check(int error, const char *what) {
    if (error) {
        fprintf(stderr, "workload: %s failed (-0x%04x)\n", what, (unsigned)-error);
        exit(1);
    }
}

static mbedtls_ctr_drbg_context drbg;

/* One function for each operation, under its own name, so that a profile can be cut to it. */
#define APART __attribute__((noipa))

APART static void keygen(mbedtls_rsa_context *key, unsigned bits) {
    check(mbedtls_rsa_gen_key(key, mbedtls_ctr_drbg_random, &drbg, bits, 65537), "mbedtls_rsa_gen_key");
}

APART static void encrypt(mbedtls_rsa_context *key, const unsigned char *message, size_t length, unsigned char *block) {
    check(mbedtls_rsa_pkcs1_encrypt(key, mbedtls_ctr_drbg_random, &drbg, MBEDTLS_RSA_PUBLIC, length, message, block),
          "mbedtls_rsa_pkcs1_encrypt");
}

APART static size_t decrypt(mbedtls_rsa_context *key, const unsigned char *block, unsigned char *message, size_t room) {
    size_t length = 0;
    check(mbedtls_rsa_pkcs1_decrypt(key, mbedtls_ctr_drbg_random, &drbg, MBEDTLS_RSA_PRIVATE, &length, block, message, room),
          "mbedtls_rsa_pkcs1_decrypt");
    return length;
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: workload keygen|encrypt|decrypt BITS COUNT SEED\n");
        return 2;
    }
    unsigned bits = (unsigned)strtoul(argv[2], NULL, 10);
    unsigned long count = strtoul(argv[3], NULL, 10), seed = strtoul(argv[4], NULL, 10);
    const unsigned char message[] = "sixteen bytes...";
    unsigned char block[1024], back[1024];
    mbedtls_rsa_context key;

    mbedtls_ctr_drbg_init(&drbg);
    check(mbedtls_ctr_drbg_seed(&drbg, fixed_entropy, &seed, NULL, 0), "mbedtls_ctr_drbg_seed");
    mbedtls_rsa_init(&key, MBEDTLS_RSA_PKCS_V15, 0);
    int makes_keys = !strcmp(argv[1], "keygen"), encrypts = !strcmp(argv[1], "encrypt");
    if (!makes_keys) check(mbedtls_rsa_gen_key(&key, mbedtls_ctr_drbg_random, &drbg, bits, 65537), "mbedtls_rsa_gen_key");
    CALLGRIND_START_INSTRUMENTATION; /* with --instr-atstart=no; nothing elsewhere */
    for (unsigned long i = 0; i < count; i++) {
        if (makes_keys) {
            mbedtls_rsa_free(&key);
            mbedtls_rsa_init(&key, MBEDTLS_RSA_PKCS_V15, 0);
        }
        double start = now();
        if (makes_keys) keygen(&key, bits);
        else if (encrypts) encrypt(&key, message, sizeof message, block);
        if (makes_keys || encrypts) printf("%.6f\n", now() - start);
        if (makes_keys) check(mbedtls_rsa_check_privkey(&key), "mbedtls_rsa_check_privkey");
        else if (!encrypts) encrypt(&key, message, sizeof message, block);
        memset(back, 0, sizeof back);
        if (makes_keys) continue;
        start = now();
        size_t length = decrypt(&key, block, back, sizeof back);
        if (!encrypts) printf("%.6f\n", now() - start);
        if (length != sizeof message || memcmp(back, message, length)) check(-1, "the comparison of a decrypted message");
    }
    mbedtls_rsa_free(&key);
    mbedtls_ctr_drbg_free(&drbg);
    return 0;
}
