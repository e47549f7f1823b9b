/* SPDX-License-Identifier: Apache-2.0 */
/* Where mbedTLS leaves for the accelerators: called from bignum.c and rsa.c, by hooks-RELEASE.patch. */
#ifndef HOOKS_H
#define HOOKS_H

#include "mbedtls/bignum.h"
#include "mbedtls/rsa.h"
#include "mbedtls/version.h"
#include "power.h"

/* What the hooks do and have done since hooks_begin. */
struct hooks {
	enum level level;  /* LEVEL_SOFTWARE: nothing; mul and exp: hook_exp_mod; op: hook_private */
	unsigned powers;   /* mbedtls_mpi_exp_mod, by whomever */
	unsigned done;     /* operations by an accelerator */
	unsigned fallback; /* operations that were left to software */
	int status;        /* why, of the first: as of the drivers */
};
extern struct hooks hooks;

void hooks_begin(enum level level);
/* Puts a key into the core's slot, for hook_private. 0, or what the core said. */
int hooks_load(const mbedtls_rsa_context *key);

/* The words of X, which is not negative; words above are 0. 0: it has more than `words`. */
int hooks_words(uint32_t *r, const mbedtls_mpi *X, unsigned words);

/* What mbedtls_rsa_init has other arguments for in every release. */
static inline void hooks_key_init(mbedtls_rsa_context *key)
{
#if MBEDTLS_VERSION_MAJOR < 3
	mbedtls_rsa_init(key, MBEDTLS_RSA_PKCS_V15, 0);
#else
	mbedtls_rsa_init(key);
#endif
}

/* X = r, of `words` words. 0, or what mbedTLS says. */
int hooks_set(mbedtls_mpi *X, const uint32_t *r, unsigned words);

/* X = A^E mod N. Whether it was done here, and then *ret is what mbedTLS returns. */
int hook_exp_mod(mbedtls_mpi *X, const mbedtls_mpi *A, const mbedtls_mpi *E, const mbedtls_mpi *N, int *ret);
/* output = input^d mod N; the same. */
int hook_private(const mbedtls_rsa_context *key, const unsigned char *input, unsigned char *output, int *ret);

#endif
