/* SPDX-License-Identifier: Apache-2.0 */
/* What every file of the program includes, and what each offers the others. */
#ifndef COMMON_H
#define COMMON_H

#define _GNU_SOURCE
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            ERR_print_errors_fp(stderr);                                          \
            _exit(1);                                                             \
        }                                                                         \
    } while (0)

/* common.c */
extern OSSL_LIB_CTX *plain; /* only the default provider */
extern OSSL_PROVIDER *plain_provider;
extern EVP_PKEY *key;   /* in the program's library context */
extern EVP_PKEY *judge; /* the same key in the plain one */
extern unsigned char prepared_digest[32];
void set_up(void);
void tear_down(void);
EVP_PKEY *copy(OSSL_LIB_CTX *library, EVP_PKEY *original);
const char *provider_of(EVP_PKEY *pkey);
void sign(EVP_PKEY *pkey, int pss, const void *message, size_t length, unsigned char *signature, size_t *written);
int verify(OSSL_LIB_CTX *library, EVP_PKEY *pkey, int pss, const void *message, size_t length,
           const unsigned char *signature, size_t signature_length);
void sign_payload(OSSL_LIB_CTX *library, EVP_PKEY *pkey, const EVP_MD *hash, const unsigned char *payload,
                  size_t length, unsigned char *signature);
int verify_payload(OSSL_LIB_CTX *library, EVP_PKEY *pkey, const EVP_MD *hash, const unsigned char *payload,
                   size_t length, const unsigned char *signature);
void cipher(EVP_PKEY *pkey, OSSL_LIB_CTX *library, int encrypt, int padding, const unsigned char *input, size_t length,
            unsigned char *output, size_t *written);
void one_round(unsigned number);
unsigned descriptors(void);
/* Exact only without the allocator's caches of freed memory (GLIBC_TUNABLES=glibc.malloc.tcache_count=0). */
size_t bytes_held(void);

/* threads.c */
void threads(unsigned count, unsigned each);

/* jobs.c */
struct work { unsigned number; };
int job_body(void *argument);
void jobs(unsigned count, unsigned each, unsigned rounds, int shared);
int in_a_job(int (*body)(void *), void *argument, size_t size);
int other_body(void *argument);
void callbacks(unsigned count);

/* freed.c, in_place.c, full.c, abandon.c */
void freed(unsigned rounds, int kept);
void in_place(void);
void full(unsigned count);
void abandon(unsigned count);

/* forks.c */
extern _Atomic int stop;
void *until_stopped(void *argument);
int await_status(pid_t child);
void await(pid_t child);
void forks(unsigned children, const char *self);

/* exits.c */
void prepare_exits(void);
void exits(unsigned count, unsigned threads, int padding);

/* reload.c */
void reload_once(void);
void reload(unsigned cycles);

/* keys.c, judged.c, beside.c, contexts.c, bare.c, soak.c */
void keys(void);
void judged(void);
void beside(void);
void exponents(void);
void contexts(void);
void parameters(void);
void bare(const char *configuration);
void soak(unsigned seconds, const char *self);

#endif
