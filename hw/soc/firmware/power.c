/* SPDX-License-Identifier: Apache-2.0 */
#include "power.h"

#include <string.h>

#include "garner_rsa.h"
#include "rsa_driver.h"

void modulus_put(struct modulus *modulus, unsigned slot, const uint32_t *x)
{
	if (modulus->level == LEVEL_MUL)
		mont_put(&modulus->mont, slot, x, modulus->words);
	else
		number_copy(modulus->slot[slot], x, modulus->words);
}

void modulus_multiply(struct modulus *modulus, unsigned d, unsigned a, unsigned b)
{
	if (modulus->level == LEVEL_MUL) {
		mont_multiply(&modulus->mont, d, a, b);
	} else if (modulus->level == LEVEL_ROW) {
		row_multiply(&modulus->row, modulus->scratch, modulus->slot[a], modulus->slot[b]);
		number_subtract_once(modulus->slot[d], modulus->scratch, modulus->n, modulus->words);
	} else {
		number_montgomery(modulus->slot[d], modulus->slot[a], modulus->slot[b], modulus->n, modulus->inverse,
				  modulus->words, modulus->scratch);
	}
}

int modulus_get(struct modulus *modulus, uint32_t *r, unsigned slot)
{
	uint32_t x[MAX_WORDS + 1];

	if (modulus->level != LEVEL_MUL) {
		number_copy(r, modulus->slot[slot], modulus->words);
		return modulus->row.failed;
	}
	/* A product with 1, so at most N~, which is below 2^w * n: a quotient of one word. */
	mont_get(&modulus->mont, x, slot, modulus->words + 1);
	if (modulus->mont.failed)
		return modulus->mont.failed;
	number_reduce(x, modulus->n, modulus->words);
	number_copy(r, x, modulus->words);
	return 0;
}

int modulus_prepare(struct modulus *modulus, const uint32_t *n, unsigned bits, enum level level)
{
	const unsigned words = bits / 32;
	unsigned squarings = 0, doublings, have;
	uint32_t x[MAX_WORDS + 1];

	number_copy(modulus->n, n, words);
	modulus->bits = bits;
	modulus->words = words;
	modulus->level = level;
	modulus->inverse = number_negative_inverse(n[0]);
	modulus->r_bits = bits;
	modulus->mont.failed = modulus->row.failed = 0;
	if (level == LEVEL_ROW && row_load(&modulus->row, n, words))
		return modulus->row.failed;
	if (level == LEVEL_MUL) {
		if (mont_load(&modulus->mont, n, bits))
			return modulus->mont.failed;
		modulus->r_bits = modulus->mont.r_bits;
	}
	/* R mod n: 2^bits - n, times 2^32 and then 2 as often as it takes. */
	memset(x, 0, sizeof x);
	number_subtract(x, x, n, words);
	while (number_compare(x, n, words) >= 0)
		number_subtract(x, x, n, words);
	for (have = bits; have + 32 <= modulus->r_bits; have += 32) {
		memmove(x + 1, x, 4 * words);
		x[0] = 0;
		number_reduce(x, n, words);
	}
	for (; have < modulus->r_bits; have++)
		number_add_modular(x, x, x, n, words);
	modulus_put(modulus, SLOT_ONE, x);
	/* R^2 mod n: R * 2^k by doubling, and R * 2^2k by squaring that. */
	for (doublings = modulus->r_bits; doublings % 2 == 0; doublings /= 2)
		squarings++;
	while (doublings--)
		number_add_modular(x, x, x, n, words);
	modulus_put(modulus, SLOT_R2, x);
	memset(x, 0, sizeof x);
	x[0] = 1;
	modulus_put(modulus, SLOT_UNIT, x);
	while (squarings--)
		modulus_multiply(modulus, SLOT_R2, SLOT_R2, SLOT_R2);
	return level == LEVEL_ROW ? modulus->row.failed : modulus->mont.failed;
}

static unsigned bit(const uint32_t *exponent, unsigned i)
{
	return exponent[i / 32] >> i % 32 & 1;
}

/* The schemes: the power of SLOT_BASE, in the slot they return. */
static unsigned right_to_left(struct modulus *modulus, const uint32_t *exponent, unsigned bits)
{
	unsigned at = SLOT_ONE;

	while (bits && !bit(exponent, bits - 1))
		bits--;
	for (unsigned i = 0; i < bits; i++) {
		if (bit(exponent, i)) {
			modulus_multiply(modulus, SLOT_RESULT, at, SLOT_BASE);
			at = SLOT_RESULT;
		}
		if (i + 1 < bits)
			modulus_multiply(modulus, SLOT_BASE, SLOT_BASE, SLOT_BASE);
	}
	return at;
}

/* Table of all powers; a multiplication for every digit. */
static unsigned fixed_window(struct modulus *modulus, const uint32_t *exponent, unsigned bits)
{
	unsigned at = SLOT_ONE;

	for (unsigned i = 2; i < 1U << WINDOW; i++)
		modulus_multiply(modulus, SLOT_TABLE + i, SLOT_TABLE + i - 1, SLOT_BASE);
	for (unsigned left = bits; left;) {
		unsigned digit = 0, taken = left % WINDOW ? left % WINDOW : WINDOW;

		for (unsigned i = 0; i < taken; i++) {
			if (left != bits)
				modulus_multiply(modulus, SLOT_RESULT, SLOT_RESULT, SLOT_RESULT);
			digit = digit << 1 | bit(exponent, left - 1 - i);
		}
		left -= taken;
		modulus_multiply(modulus, SLOT_RESULT, at, SLOT_TABLE + digit);
		at = SLOT_RESULT;
	}
	return at;
}

/* Table of odd powers; with a window of one bit it is left-to-right. */
static unsigned sliding_window(struct modulus *modulus, const uint32_t *exponent, unsigned bits, unsigned window)
{
	unsigned at = SLOT_ONE;
	int started = 0;

	if (window > 1)
		modulus_multiply(modulus, SLOT_SQUARE, SLOT_BASE, SLOT_BASE);
	for (unsigned i = 3; i < 1U << window; i += 2)
		modulus_multiply(modulus, SLOT_TABLE + i, SLOT_TABLE + i - 2, SLOT_SQUARE);
	for (unsigned left = bits; left;) {
		unsigned digit = 0, taken = left < window ? left : window;

		if (!bit(exponent, left - 1)) {
			taken = 1;
		} else {
			while (!bit(exponent, left - taken))
				taken--;
		}
		for (unsigned i = 0; i < taken; i++) {
			if (started) {
				modulus_multiply(modulus, SLOT_RESULT, at, at);
				at = SLOT_RESULT;
			}
			digit = digit << 1 | bit(exponent, left - 1 - i);
		}
		left -= taken;
		if (digit && started)
			modulus_multiply(modulus, SLOT_RESULT, at, SLOT_TABLE + digit);
		else if (digit)
			at = SLOT_TABLE + digit; /* the first: nothing to multiply yet */
		started |= digit != 0;
	}
	return at;
}

int power(struct modulus *modulus, uint32_t *r, const uint32_t *base, const uint32_t *exponent, unsigned exponent_bits,
	  unsigned scheme)
{
	unsigned at;

	modulus_put(modulus, SLOT_BASE, base);
	modulus_multiply(modulus, SLOT_BASE, SLOT_BASE, SLOT_R2);
	switch (scheme) {
	case GARNER_RSA_SCHEME_FIXED_WINDOW:
		at = fixed_window(modulus, exponent, exponent_bits);
		break;
	case GARNER_RSA_SCHEME_RIGHT_TO_LEFT:
		at = right_to_left(modulus, exponent, exponent_bits);
		break;
	case GARNER_RSA_SCHEME_LEFT_TO_RIGHT:
		at = sliding_window(modulus, exponent, exponent_bits, 1);
		break;
	default:
		at = sliding_window(modulus, exponent, exponent_bits, WINDOW);
	}
	modulus_multiply(modulus, SLOT_RESULT, at, SLOT_UNIT);
	return modulus_get(modulus, r, SLOT_RESULT);
}

int power_core_start(struct rsa_job *job, const uint32_t *n, unsigned bits, const uint32_t *base,
		     const uint32_t *exponent, unsigned exponent_bits, unsigned scheme)
{
	const unsigned words = bits / 32;
	int failed;

	rsa_operand(n, words, 1);
	failed = rsa_run(GARNER_RSA_OP_LOAD_MODULUS, 0, bits, 0, 0, 0);
	if (failed)
		return failed;
	rsa_operand(base, words, 0);
	rsa_operand(exponent, (exponent_bits + 31) / 32, 1);
	rsa_start(job, GARNER_RSA_OP_EXPONENTIATE, scheme, 0, exponent_bits);
	return 0;
}

int power_core(uint32_t *r, const uint32_t *n, unsigned bits, const uint32_t *base, const uint32_t *exponent,
	       unsigned exponent_bits, unsigned scheme)
{
	struct rsa_job job;
	const int failed = power_core_start(&job, n, bits, base, exponent, exponent_bits, scheme);

	return failed ? failed : rsa_end(&job, r, bits / 32);
}
