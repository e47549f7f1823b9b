/* SPDX-License-Identifier: Apache-2.0 */
#include "sieve.h"

#include <string.h>

#include "number.h"

enum { PRIMES = 1027, PRODUCTS = 512, BETWEEN = 8 };

/* Primes whose product is below 2^32, from `first` on in the list. */
static struct product {
	uint32_t value, inverse; /* value * inverse = 1 mod 2^32 */
	uint16_t first, end;
} products[PRODUCTS];
static uint16_t primes[PRIMES];
static unsigned count;

void sieve_begin(void)
{
	static uint8_t composite[SIEVE_LIMIT / 2]; /* of 2 i + 1 */
	unsigned found = 0;

	if (count)
		return;
	for (unsigned i = 1; i < SIEVE_LIMIT / 2; i++) {
		const uint32_t prime = 2 * i + 1;

		if (composite[i])
			continue;
		for (unsigned j = i + prime; j < SIEVE_LIMIT / 2; j += prime)
			composite[j] = 1;
		primes[found] = (uint16_t)prime;
		if (!count || (uint64_t)products[count - 1].value * prime >> 32)
			products[count++] = (struct product){1, 0, (uint16_t)found, 0};
		products[count - 1].value *= prime;
		products[count - 1].end = (uint16_t)++found;
	}
	for (unsigned i = 0; i < count; i++)
		products[i].inverse = -number_negative_inverse(products[i].value);
}

/* What remains of -x / 2^(32 * words) modulo m: a multiple of a divisor of m if and only if x is. Division from the low end
 * (Jebelean, "An algorithm for exact division", 1993), which takes two multiplications a word. */
static uint32_t remainder_exact(const uint32_t *x, unsigned words, uint32_t m, uint32_t inverse)
{
	uint32_t carry = 0; /* at most m */

	for (unsigned i = 0; i < words; i++) {
		const uint32_t quotient = (x[i] - carry) * inverse;

		carry = (uint32_t)((uint64_t)quotient * m >> 32) + (x[i] < carry);
	}
	return carry;
}

int sieve_passes(const uint32_t *x, unsigned words, void (*between)(void))
{
	for (unsigned i = 0; i < count; i++) {
		const uint32_t rest = remainder_exact(x, words, products[i].value, products[i].inverse);

		for (unsigned j = products[i].first; j < products[i].end; j++)
			if (rest % primes[j] == 0)
				return 0;
		if (i % BETWEEN == BETWEEN - 1)
			between();
	}
	return 1;
}
