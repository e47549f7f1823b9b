/* SPDX-License-Identifier: Apache-2.0 */
#include "private.h"

#include "garner_rsa.h"
#include "power.h"
#include "rsa_driver.h"

/* x mod n by its halves, 2^bits * high + low: a Montgomery product with R^2 brings R * high. */
static void reduce(struct modulus *modulus, uint32_t *r, const uint32_t *x)
{
	const unsigned words = modulus->words;
	number low;

	number_copy(low, x, words);
	while (number_compare(low, modulus->n, words) >= 0)
		number_subtract(low, low, modulus->n, words);
	number_montgomery(r, x + words, modulus->slot[SLOT_R2], modulus->n, modulus->inverse, words, modulus->scratch);
	number_add_modular(r, r, low, modulus->n, words);
}

static unsigned exponent_bits(const struct private_key *key)
{
	return 32 - (unsigned)__builtin_clz(key->e[0]);
}

static int is_right(const struct private_key *key, const uint32_t *s, const uint32_t *m)
{
	static struct modulus n;
	const unsigned words = key->bits / 32;
	number again;

	if (number_compare(s, key->n, words) >= 0)
		return 0;
	modulus_prepare(&n, key->n, key->bits, LEVEL_SOFTWARE);
	power(&n, again, s, key->e, exponent_bits(key), GARNER_RSA_SCHEME_LEFT_TO_RIGHT);
	return !number_compare(again, m, words);
}

int private_software(const struct private_key *key, uint32_t *s, const uint32_t *m)
{
	static struct modulus p, q;
	const unsigned half = key->bits / 2, words = half / 32;
	number mp, mq, sp, sq, h;

	modulus_prepare(&p, key->p, half, LEVEL_SOFTWARE);
	modulus_prepare(&q, key->q, half, LEVEL_SOFTWARE);
	reduce(&p, mp, m);
	reduce(&q, mq, m);
	power(&p, sp, mp, key->dp, half, GARNER_RSA_SCHEME_SLIDING_WINDOW);
	power(&q, sq, mq, key->dq, half, GARNER_RSA_SCHEME_SLIDING_WINDOW);
	/* Garner: s = sq + q * (qinv * (sp - sq) mod p) */
	number_copy(h, sq, words);
	while (number_compare(h, key->p, words) >= 0)
		number_subtract(h, h, key->p, words);
	number_subtract_modular(h, sp, h, key->p, words);
	number_montgomery(h, h, p.slot[SLOT_R2], p.n, p.inverse, words, p.scratch);
	number_montgomery(h, key->qinv, h, p.n, p.inverse, words, p.scratch);
	number_multiply_add(s, h, key->q, sq, words);
	return is_right(key, s, m);
}

int private_load(const struct private_key *key)
{
	const unsigned words = key->bits / 32, half = words / 2;

	rsa_operand(key->n, words, 0);
	rsa_operand(key->e, 1, 0);
	rsa_operand(key->p, half, 0);
	rsa_operand(key->q, half, 0);
	rsa_operand(key->dp, half, 0);
	rsa_operand(key->dq, half, 0);
	rsa_operand(key->qinv, half, 1);
	return rsa_run(GARNER_RSA_OP_LOAD_KEY, 0, key->bits, 0, 0, 0);
}

int private_core(const struct private_key *key, uint32_t *s, const uint32_t *m)
{
	const unsigned words = key->bits / 32;
	number again;
	int failed;

	rsa_operand(m, words, 1);
	failed = rsa_run(GARNER_RSA_OP_PRIVATE, 0, 0, 0, s, words);
	if (failed)
		return failed;
	/* The core has checked what it computed, not what came over the bus. */
	rsa_operand(s, words, 0);
	rsa_operand(key->e, 1, 1);
	failed = rsa_run(GARNER_RSA_OP_EXPONENTIATE, GARNER_RSA_SCHEME_LEFT_TO_RIGHT, 0, exponent_bits(key), again, words);
	if (failed)
		return failed;
	return number_compare(again, m, words) ? GARNER_STATUS_CHECK_FAILED : 0;
}
