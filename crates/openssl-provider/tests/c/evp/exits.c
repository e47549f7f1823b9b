/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that end while their threads sign. */
#include "common.h"

#include <pthread.h>
#include <sys/wait.h>

static _Atomic unsigned ready;

/* With a context made once, so that nothing of the program's is looked up while libcrypto cleans up. */
static void *signer(void *argument)
{
    unsigned char digest[32] = {1}, signature[512];
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    (void)argument;
    CHECK(context && EVP_PKEY_sign_init(context) == 1);
    CHECK(EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1);
    for (unsigned i = 0;; i++) {
        size_t length = sizeof signature;
        if (EVP_PKEY_sign(context, signature, &length, digest, sizeof digest) != 1)
            _exit(3);
        ready += i == 0;
    }
    return NULL;
}

/* With a context made anew for each message, as most programs do. */
static void *newcomer(void *argument)
{
    const int padding = *(const int *)argument;
    unsigned char signature[512];
    for (unsigned i = 0;; i++) {
        size_t length = sizeof signature;
        EVP_PKEY_CTX *inner;
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        if (context && EVP_DigestSignInit(context, &inner, EVP_sha256(), NULL, key) == 1 &&
            EVP_PKEY_CTX_set_rsa_padding(inner, padding) == 1)
            ready += EVP_DigestSign(context, signature, &length, (const unsigned char *)"a", 1) == 1 && i == 0;
        EVP_MD_CTX_free(context);
    }
    return NULL;
}

static int lingers;

static void linger(void)
{
    if (lingers)
        usleep(20000);
}

/* Before libcrypto is there: so it runs after libcrypto has cleaned up, as the destructors of a C++ program's globals do. */
void prepare_exits(void)
{
    CHECK(atexit(linger) == 0);
}

/* `padding`: of threads that make a context for each message; 0 for threads that keep theirs. */
void exits(unsigned count, unsigned threads, int padding)
{
    unsigned crashed = 0, refused = 0;
    for (unsigned i = 0; i < count; i++) {
        pid_t child = fork();
        if (child == 0) {
            pthread_t thread;
            for (unsigned j = 0; j < threads; j++)
                CHECK(pthread_create(&thread, NULL, padding ? newcomer : signer, &padding) == 0);
            lingers = 1;
            while (ready < threads)
                usleep(100);
            usleep(500 + i * 7919 % 10000);
            exit(0);
        }
        CHECK(child > 0);
        int status = await_status(child);
        crashed += WIFSIGNALED(status);
        refused += WIFEXITED(status) && WEXITSTATUS(status) != 0;
    }
    printf("crashed=%u refused=%u\n", crashed, refused);
}
