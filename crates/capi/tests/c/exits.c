/* SPDX-License-Identifier: Apache-2.0 */
/* A process that ends while its threads sign and decrypt, by the gatherer of the process or by one of their own, and with a
 * ticket out.
 * Usage: exits KEY MICROSECONDS */
#include <garner.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 8, SIZE = 256 };

/* libcrypto's. A program that calls it first has it clean up in the end; with no options at all it does nothing. */
int OPENSSL_init_crypto(uint64_t options, const void *settings);

enum { OPENSSL_INIT_LOAD_CRYPTO_STRINGS = 2 };

static garner_private_key *key;
static garner_public_key *public_key;
static garner *own;
static unsigned char ciphertext[SIZE];
static atomic_int ready;

static void failed(void)
{
    fprintf(stderr, "%s\n", garner_last_error());
    _exit(3);
}

static void *decrypt(void *gatherer)
{
    for (int i = 0;; i++) {
        unsigned char message[SIZE];
        size_t length = SIZE;

        if (garner_decrypt_pkcs1(gatherer, key, ciphertext, SIZE, message, &length) != GARNER_OK || length != 7)
            failed();
        if (i == 0)
            ready++;
    }
    return NULL;
}

static void *sign(void *gatherer)
{
    for (int i = 0;; i++) {
        unsigned char signature[SIZE];
        size_t length = SIZE;

        if (garner_sign_pss(gatherer, key, GARNER_SHA256, 0, 0, "message", 7, signature, &length) != GARNER_OK ||
            garner_verify_pss(gatherer, public_key, GARNER_SHA256, 0, 0, "message", 7, signature, length) != GARNER_OK)
            failed();
        if (i == 0)
            ready++;
    }
    return NULL;
}

/* Registered before libcrypto's handler, so called after it, as the destructors of a C++ program's globals are. */
static void linger(void)
{
    usleep(20000);
}

int main(int argc, char **argv)
{
    static unsigned char pem[8192];
    garner_operation operation = GARNER_OPERATION_INIT;
    garner_ticket *ticket;
    pthread_t thread;
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    size_t length, size = SIZE;

    if (file == NULL || atexit(linger) != 0) {
        fprintf(stderr, "usage: exits KEY MICROSECONDS\n");
        return 2;
    }
    length = fread(pem, 1, sizeof pem, file);
    fclose(file);
    alarm(120);
    OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CRYPTO_STRINGS, NULL);
    if (garner_private_key_read(pem, length, NULL, 0, &key) != GARNER_OK ||
        garner_private_key_public(key, &public_key) != GARNER_OK || garner_new(NULL, &own) != GARNER_OK ||
        garner_encrypt_pkcs1(NULL, public_key, "message", 7, ciphertext, &size) != GARNER_OK)
        return 1;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread, NULL, i % 2 == 0 ? sign : decrypt, i % 4 < 2 ? own : NULL) != 0)
            return 1;
    while (ready < THREADS)
        usleep(100);
    operation.kind = GARNER_SIGN_PSS;
    operation.hash = GARNER_SHA256;
    operation.private_key = key;
    operation.input = "message";
    operation.input_length = 7;
    if (garner_submit(NULL, &operation, &ticket) != GARNER_OK)
        return 1;
    usleep(atoi(argv[2]));
    return 0;
}
