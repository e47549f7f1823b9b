/* SPDX-License-Identifier: Apache-2.0 */
#include "hooks.h"

#include <string.h>

#include "garner_rsa.h"
#include "private.h"
#include "rsa_driver.h"

struct hooks hooks;
static const mbedtls_rsa_context *loaded;
static struct private_key key_loaded;

void hooks_begin(enum level level)
{
	memset(&hooks, 0, sizeof hooks);
	hooks.level = level;
}

/* Counts an operation; whether it was done here. */
static int counted(int status)
{
	if (!status) {
		hooks.done++;
		return 1;
	}
	hooks.fallback++;
	if (!hooks.status)
		hooks.status = status;
	return 0;
}

int hooks_words(uint32_t *r, const mbedtls_mpi *X, unsigned words)
{
	if (X->s < 0 || mbedtls_mpi_bitlen(X) > 32 * words)
		return 0;
	memset(r, 0, 4 * words);
	memcpy(r, X->p, 4 * (X->n < words ? X->n : words));
	return 1;
}

int hooks_set(mbedtls_mpi *X, const uint32_t *r, unsigned words)
{
	int ret = mbedtls_mpi_lset(X, 0);

	if (!ret && !(ret = mbedtls_mpi_grow(X, words)))
		memcpy(X->p, r, 4 * words);
	return ret;
}

static int exp_mod(uint32_t *r, const mbedtls_mpi *A, const mbedtls_mpi *E, const mbedtls_mpi *N, unsigned bits)
{
	static struct modulus modulus;
	const unsigned exponent_bits = (unsigned)mbedtls_mpi_bitlen(E);
	number n, base, exponent;
	int failed;

	if (bits < 64 || bits > 32 * MAX_WORDS || bits % 32 || A->s < 0 || exponent_bits == 0
	    || !hooks_words(exponent, E, MAX_WORDS) || (hooks.level == LEVEL_EXP && !rsa_fits(bits)))
		return GARNER_STATUS_BAD_LENGTH;
	hooks_words(n, N, bits / 32);
	number_modulo(base, A->p, (unsigned)A->n, n, bits / 32);
	if (hooks.level == LEVEL_EXP)
		return power_core(r, n, bits, base, exponent, exponent_bits, GARNER_RSA_SCHEME_SLIDING_WINDOW);
	failed = modulus_prepare(&modulus, n, bits, LEVEL_MUL);
	return failed ? failed : power(&modulus, r, base, exponent, exponent_bits, GARNER_RSA_SCHEME_SLIDING_WINDOW);
}

int hook_exp_mod(mbedtls_mpi *X, const mbedtls_mpi *A, const mbedtls_mpi *E, const mbedtls_mpi *N, int *ret)
{
	const unsigned bits = (unsigned)mbedtls_mpi_bitlen(N);
	number r;

	hooks.powers++;
	if (hooks.level != LEVEL_MUL && hooks.level != LEVEL_EXP)
		return 0;
	if (!counted(exp_mod(r, A, E, N, bits)))
		return 0;
	*ret = hooks_set(X, r, bits / 32);
	return 1;
}

int hooks_load(const mbedtls_rsa_context *key)
{
	const unsigned words = (unsigned)key->len / 4, half = words / 2;
	int failed;

	loaded = 0;
	key_loaded.bits = 8 * (unsigned)key->len;
	if (!rsa_fits(key_loaded.bits) || !hooks_words(key_loaded.n, &key->N, words) || !hooks_words(key_loaded.e, &key->E, 1)
	    || !hooks_words(key_loaded.p, &key->P, half) || !hooks_words(key_loaded.q, &key->Q, half)
	    || !hooks_words(key_loaded.dp, &key->DP, half) || !hooks_words(key_loaded.dq, &key->DQ, half)
	    || !hooks_words(key_loaded.qinv, &key->QP, half))
		return GARNER_STATUS_BAD_LENGTH;
	failed = private_load(&key_loaded);
	if (!failed)
		loaded = key;
	return failed;
}

int hook_private(const mbedtls_rsa_context *key, const unsigned char *input, unsigned char *output, int *ret)
{
	const unsigned words = (unsigned)key->len / 4;
	number m, s;

	if (hooks.level != LEVEL_OP)
		return 0;
	if (loaded != key)
		return counted(GARNER_STATUS_EMPTY_SLOT);
	for (unsigned i = 0; i < words; i++) {
		const unsigned char *at = input + key->len - 4 * (i + 1);

		m[i] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
	}
	if (number_compare(m, key_loaded.n, words) >= 0) {
		*ret = MBEDTLS_ERR_RSA_PRIVATE_FAILED + MBEDTLS_ERR_MPI_BAD_INPUT_DATA;
		return 1;
	}
	if (!counted(private_core(&key_loaded, s, m)))
		return 0;
	for (unsigned i = 0; i < words; i++) {
		unsigned char *at = output + key->len - 4 * (i + 1);

		for (unsigned j = 0; j < 4; j++)
			at[j] = (unsigned char)(s[i] >> (24 - 8 * j));
	}
	*ret = 0;
	return 1;
}
