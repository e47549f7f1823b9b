/* SPDX-License-Identifier: Apache-2.0 */
#include "number.h"

#include <string.h>

void number_copy(uint32_t *r, const uint32_t *a, unsigned words)
{
	memcpy(r, a, 4 * words);
}

int number_compare(const uint32_t *a, const uint32_t *b, unsigned words)
{
	while (words--)
		if (a[words] != b[words])
			return a[words] < b[words] ? -1 : 1;
	return 0;
}

uint32_t number_subtract(uint32_t *r, const uint32_t *a, const uint32_t *b, unsigned words)
{
	uint32_t borrow = 0;

	for (unsigned i = 0; i < words; i++) {
		uint64_t difference = (uint64_t)a[i] - b[i] - borrow;

		r[i] = (uint32_t)difference;
		borrow = (uint32_t)(difference >> 32) & 1;
	}
	return borrow;
}

static uint32_t add(uint32_t *r, const uint32_t *a, const uint32_t *b, unsigned words)
{
	uint32_t carry = 0;

	for (unsigned i = 0; i < words; i++) {
		uint64_t sum = (uint64_t)a[i] + b[i] + carry;

		r[i] = (uint32_t)sum;
		carry = (uint32_t)(sum >> 32);
	}
	return carry;
}

void number_add_modular(uint32_t *r, const uint32_t *a, const uint32_t *b, const uint32_t *n, unsigned words)
{
	if (add(r, a, b, words) || number_compare(r, n, words) >= 0)
		number_subtract(r, r, n, words);
}

void number_subtract_modular(uint32_t *r, const uint32_t *a, const uint32_t *b, const uint32_t *n, unsigned words)
{
	if (number_subtract(r, a, b, words))
		add(r, r, n, words);
}

void number_multiply_add(uint32_t *r, const uint32_t *a, const uint32_t *b, const uint32_t *c, unsigned words)
{
	memcpy(r, c, 4 * words);
	memset(r + words, 0, 4 * words);
	for (unsigned i = 0; i < words; i++) {
		uint64_t carry = 0;

		for (unsigned j = 0; j < words; j++) {
			carry += (uint64_t)a[j] * b[i] + r[i + j];
			r[i + j] = (uint32_t)carry;
			carry >>= 32;
		}
		for (unsigned j = i + words; carry; j++) {
			carry += r[j];
			r[j] = (uint32_t)carry;
			carry >>= 32;
		}
	}
}

void number_subtract_once(uint32_t *r, const uint32_t *x, const uint32_t *n, unsigned words)
{
	if (x[words] || number_compare(x, n, words) >= 0)
		number_subtract(r, x, n, words);
	else
		number_copy(r, x, words);
}

void number_reduce(uint32_t *x, const uint32_t *n, unsigned words)
{
	/* Knuth 4.3.1, algorithm D, for one digit: the quotient of the top words is at most 2 too large. */
	const uint64_t top = (uint64_t)x[words] << 32 | x[words - 1];
	const uint64_t quotient = top / n[words - 1];
	const uint32_t digit = quotient >> 32 ? UINT32_MAX : (uint32_t)quotient;
	uint64_t carry = 0;

	for (unsigned i = 0; i < words; i++) {
		carry += (uint64_t)digit * n[i];
		const uint32_t less = (uint32_t)carry;

		carry = (carry >> 32) + (x[i] < less);
		x[i] -= less;
	}
	x[words] -= (uint32_t)carry;
	while (x[words] >> 31)
		x[words] += add(x, x, n, words);
}

void number_modulo(uint32_t *r, const uint32_t *a, unsigned count, const uint32_t *n, unsigned words)
{
	uint32_t x[MAX_WORDS + 1];
	unsigned left = count < words ? 0 : count - (words - 1); /* the words above are below n */

	memset(x, 0, sizeof x);
	memcpy(x, a + left, 4 * (count - left));
	while (left--) {
		memmove(x + 1, x, 4 * words);
		x[0] = a[left];
		number_reduce(x, n, words);
	}
	number_copy(r, x, words);
}

uint32_t number_negative_inverse(uint32_t n)
{
	uint32_t inverse = n; /* right in 3 bits, then in twice as many each time */

	for (int i = 0; i < 4; i++)
		inverse *= 2 - n * inverse;
	return -inverse;
}

void number_montgomery(uint32_t *r, const uint32_t *a, const uint32_t *b, const uint32_t *n, uint32_t inverse,
		       unsigned words, uint32_t *t)
{
	memset(t, 0, 4 * (words + 2));
	for (unsigned i = 0; i < words; i++) {
		const uint32_t digit = a[i];
		uint64_t carry = 0;

		for (unsigned j = 0; j < words; j++) {
			carry += (uint64_t)b[j] * digit + t[j];
			t[j] = (uint32_t)carry;
			carry >>= 32;
		}
		carry += t[words];
		t[words] = (uint32_t)carry;
		t[words + 1] = (uint32_t)(carry >> 32);

		const uint32_t m = t[0] * inverse;

		carry = ((uint64_t)m * n[0] + t[0]) >> 32;
		for (unsigned j = 1; j < words; j++) {
			carry += (uint64_t)m * n[j] + t[j];
			t[j - 1] = (uint32_t)carry;
			carry >>= 32;
		}
		carry += t[words];
		t[words - 1] = (uint32_t)carry;
		t[words] = t[words + 1] + (uint32_t)(carry >> 32);
	}
	number_subtract_once(r, t, n, words);
}
