/* SPDX-License-Identifier: Apache-2.0 */
#include "power.h"

#include <string.h>

#include "garner_rsa.h"
#include "rsa_driver.h"

enum { WINDOW = 5, TABLE = 1 << WINDOW };

void modulus_multiply(struct modulus *modulus, uint32_t *r, const uint32_t *a, const uint32_t *b)
{
	if (modulus->level == LEVEL_SOFTWARE) {
		number_montgomery(r, a, b, modulus->n, modulus->inverse, modulus->words);
		return;
	}
	if (modulus->failed) /* the caller looks at the end; no further job waits for a core that is gone */
		return;
	rsa_operand(a, modulus->words, 0);
	rsa_operand(b, modulus->words, 1);
	modulus->failed = rsa_run(GARNER_RSA_OP_MULTIPLY, 0, 0, 0, r, modulus->words);
}

int modulus_prepare(struct modulus *modulus, const uint32_t *n, unsigned bits, enum level level)
{
	const unsigned words = bits / 32;
	unsigned squarings = 0, doublings;
	number x;

	memset(modulus, 0, sizeof *modulus);
	number_copy(modulus->n, n, words);
	modulus->bits = bits;
	modulus->words = words;
	modulus->level = level;
	modulus->inverse = number_negative_inverse(n[0]);
	modulus->r_bits = bits;
	if (level == LEVEL_MUL) {
		modulus->r_bits = rsa_montgomery_bits(bits);
		rsa_operand(n, words, 1);
		modulus->failed = rsa_run(GARNER_RSA_OP_LOAD_MODULUS, 0, bits, 0, 0, 0);
	}
	/* R mod n by doubling 2^bits - n; then R * 2^k by doubling, and R * R by squaring that. */
	memset(x, 0, sizeof x);
	number_subtract(x, x, n, words);
	while (number_compare(x, n, words) >= 0)
		number_subtract(x, x, n, words);
	for (unsigned i = bits; i < modulus->r_bits; i++)
		number_add_modular(x, x, x, n, words);
	number_copy(modulus->one, x, words);
	for (doublings = modulus->r_bits; doublings % 2 == 0; doublings /= 2)
		squarings++;
	while (doublings--)
		number_add_modular(x, x, x, n, words);
	while (squarings--)
		modulus_multiply(modulus, x, x, x);
	number_copy(modulus->r2, x, words);
	return modulus->failed;
}

static unsigned bit(const uint32_t *exponent, unsigned i)
{
	return exponent[i / 32] >> i % 32 & 1;
}

static void right_to_left(struct modulus *modulus, uint32_t *r, uint32_t *x, const uint32_t *exponent)
{
	unsigned top = modulus->bits;

	while (top && !bit(exponent, top - 1))
		top--;
	for (unsigned i = 0; i < top; i++) {
		if (bit(exponent, i))
			modulus_multiply(modulus, r, r, x);
		if (i + 1 < top)
			modulus_multiply(modulus, x, x, x);
	}
}

/* Table of all powers; a multiplication for every digit. */
static void fixed_window(struct modulus *modulus, uint32_t *r, const uint32_t *x, const uint32_t *exponent)
{
	static number table[TABLE];
	unsigned left = modulus->bits;

	number_copy(table[0], modulus->one, modulus->words);
	for (unsigned i = 1; i < TABLE; i++)
		modulus_multiply(modulus, table[i], table[i - 1], x);
	while (left) {
		unsigned digit = 0, taken = left % WINDOW ? left % WINDOW : WINDOW;

		for (unsigned i = 0; i < taken; i++) {
			if (left != modulus->bits)
				modulus_multiply(modulus, r, r, r);
			digit = digit << 1 | bit(exponent, left - 1 - i);
		}
		left -= taken;
		modulus_multiply(modulus, r, r, table[digit]);
	}
}

/* Table of odd powers; with a window of one bit it is left-to-right. */
static void sliding_window(struct modulus *modulus, uint32_t *r, const uint32_t *x, const uint32_t *exponent,
			   unsigned window)
{
	static number table[TABLE / 2];
	number square;
	int started = 0;

	number_copy(table[0], x, modulus->words);
	if (window > 1)
		modulus_multiply(modulus, square, x, x);
	for (unsigned i = 1; i < 1U << (window - 1); i++)
		modulus_multiply(modulus, table[i], table[i - 1], square);
	for (unsigned left = modulus->bits; left;) {
		unsigned digit = 0, taken = left < window ? left : window;

		if (!bit(exponent, left - 1)) {
			if (started)
				modulus_multiply(modulus, r, r, r);
			left--;
			continue;
		}
		while (!bit(exponent, left - taken))
			taken--;
		for (unsigned i = 0; i < taken; i++) {
			if (started)
				modulus_multiply(modulus, r, r, r);
			digit = digit << 1 | bit(exponent, left - 1 - i);
		}
		if (started)
			modulus_multiply(modulus, r, r, table[digit / 2]);
		else
			number_copy(r, table[digit / 2], modulus->words);
		started = 1;
		left -= taken;
	}
}

void power(struct modulus *modulus, uint32_t *r, const uint32_t *base, const uint32_t *exponent, unsigned scheme)
{
	number x, result, plain_one = { 1 };

	modulus_multiply(modulus, x, base, modulus->r2);
	number_copy(result, modulus->one, modulus->words);
	switch (scheme) {
	case GARNER_RSA_SCHEME_FIXED_WINDOW:
		fixed_window(modulus, result, x, exponent);
		break;
	case GARNER_RSA_SCHEME_RIGHT_TO_LEFT:
		right_to_left(modulus, result, x, exponent);
		break;
	default:
		sliding_window(modulus, result, x, exponent, scheme == GARNER_RSA_SCHEME_LEFT_TO_RIGHT ? 1 : WINDOW);
	}
	modulus_multiply(modulus, r, result, plain_one);
}

int power_core(uint32_t *r, const uint32_t *n, const uint32_t *base, const uint32_t *exponent, unsigned bits,
	       unsigned scheme)
{
	const unsigned words = bits / 32;
	int failed;

	rsa_operand(n, words, 1);
	failed = rsa_run(GARNER_RSA_OP_LOAD_MODULUS, 0, bits, 0, 0, 0);
	if (failed)
		return failed;
	rsa_operand(base, words, 0);
	rsa_operand(exponent, words, 1);
	return rsa_run(GARNER_RSA_OP_EXPONENTIATE, scheme, 0, bits, r, words);
}
