/* SPDX-License-Identifier: Apache-2.0 */
#include "mont_twin.h"

#include <string.h>

enum { SLOTS = 8, MAX_DIGITS = 128 };

/* x, of `count` 32-bit words, in digits of w bits. */
static void split(uint32_t *digits, const uint32_t *x, unsigned count, unsigned w)
{
	for (unsigned i = 0; i < MAX_DIGITS; i++) {
		const unsigned at = i * w / 32, shift = i * w % 32;
		const uint64_t low = at < count ? x[at] : 0, high = at + 1 < count ? x[at + 1] : 0;

		digits[i] = (uint32_t)((low | high << 32) >> shift) & ((1U << w) - 1);
	}
}

void twin_multiply(const struct mont *mont, uint32_t *d, const uint32_t *a, const uint32_t *b)
{
	static uint32_t t[MAX_DIGITS + 1], digits_a[MAX_DIGITS], digits_b[MAX_DIGITS], digits_nb[MAX_DIGITS];
	const unsigned w = mont->w, words = mont->words;
	const uint32_t mask = (1U << w) - 1;

	memset(t, 0, sizeof t);
	split(digits_a, a, TWIN_WORDS, w);
	split(digits_b, b, TWIN_WORDS, w);
	split(digits_nb, mont->nb, mont->nb_words, w);
	for (unsigned i = 0; i < mont->rows * mont->passes; i++) {
		const uint32_t a_i = i < words ? digits_a[i] : 0;
		uint64_t carry = 0;
		uint32_t m;

		for (unsigned j = 0; j < words; j++) { /* t += a_i * b */
			carry += t[j] + (uint64_t)a_i * digits_b[j];
			t[j] = (uint32_t)carry & mask;
			carry >>= w;
		}
		t[words] = (uint32_t)carry;
		m = t[0]; /* N~ = -1 mod 2^w */
		carry = 0;
		for (unsigned j = 0; j < words; j++) { /* t = floor(t / 2^w) + m * Nb */
			carry += t[j + 1] + (uint64_t)m * digits_nb[j];
			t[j] = (uint32_t)carry & mask;
			carry >>= w;
		}
	}
	memset(d, 0, 4 * TWIN_WORDS);
	for (unsigned i = 0; i < words; i++) {
		const unsigned at = i * w / 32, shift = i * w % 32;

		d[at] |= t[i] << shift;
		if (shift + w > 32 && at + 1 < TWIN_WORDS)
			d[at + 1] |= t[i] >> (32 - shift);
	}
}

/* Marsaglia's xorshift (2003): any sequence will do here, the seed repeats it. */
static uint32_t next(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	return *state ^= *state << 5;
}

int twin_compare(struct mont *mont, const uint32_t *n, unsigned bits, unsigned count, uint32_t seed)
{
	static uint32_t value[SLOTS][TWIN_WORDS], found[TWIN_WORDS];
	const unsigned words = bits / 32;
	uint32_t state = seed | 1;
	int different = 0;

	if (mont_load(mont, n, bits))
		return -1;
	memset(value, 0, sizeof value);
	for (unsigned slot = 0; slot < SLOTS; slot++) {
		if (slot > 2) /* below 2 * n, so below 2 * N~; the first three are 0, 1 and n - 1 */
			for (unsigned i = 0; i < words; i++)
				value[slot][i] = next(&state);
		else if (slot == 2)
			memcpy(value[slot], n, 4 * words);
		value[slot][0] += slot == 1 ? 1U : slot == 2 ? -1U : 0;
		mont_put(mont, slot, value[slot], words);
	}
	for (unsigned i = 0; i < count; i++) {
		const uint32_t choice = next(&state);
		const unsigned d = choice >> 8 & (SLOTS - 1), a = choice >> 16 & (SLOTS - 1), b = choice >> 24 & (SLOTS - 1);

		mont_multiply(mont, d, a, b);
		twin_multiply(mont, value[d], value[a], value[b]);
	}
	for (unsigned slot = 0; slot < SLOTS; slot++) {
		memset(found, 0, sizeof found);
		mont_get(mont, found, slot, words + 1);
		different += memcmp(found, value[slot], 4 * words + 4) != 0;
	}
	return mont_wait(mont) ? -1 : different;
}
