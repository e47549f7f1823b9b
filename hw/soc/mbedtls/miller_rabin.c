/* SPDX-License-Identifier: Apache-2.0 */
#include "miller_rabin.h"

#include <string.h>

#include "console.h"
#include "garner_rsa.h"

enum { SCHEME = GARNER_RSA_SCHEME_SLIDING_WINDOW };

/* x - 1 = r * 2^zeros, r odd: the number of zeros. */
static unsigned odd_part(uint32_t *r, const uint32_t *x, unsigned words)
{
	unsigned zeros = 1, skip;

	while (!(x[zeros / 32] >> zeros % 32 & 1)) /* x is odd: bit 0 of x - 1 is 0, the others are those of x */
		zeros++;
	skip = zeros / 32;
	for (unsigned i = 0; i < words; i++) {
		const uint32_t low = i + skip < words ? x[i + skip] : 0, high = i + skip + 1 < words ? x[i + skip + 1] : 0;

		r[i] = (uint32_t)(((uint64_t)high << 32 | low) >> zeros % 32);
	}
	return zeros;
}

static int is_one(const uint32_t *x, unsigned words)
{
	uint32_t others = x[0] ^ 1;

	for (unsigned i = 1; i < words; i++)
		others |= x[i];
	return !others;
}

static int is_minus_one(const uint32_t *y, const uint32_t *x, unsigned words)
{
	return y[0] == x[0] - 1 && !memcmp(y + 1, x + 1, 4 * (words - 1));
}

/* By the processor, with or without the multiplier; 0 or what failed. */
static int power_at(uint32_t *r, const uint32_t *base, const uint32_t *exponent, const uint32_t *n, unsigned words,
		    enum level level)
{
	static struct modulus modulus;
	const int failed = modulus_prepare(&modulus, n, 32 * words, level);

	return failed ? failed : power(&modulus, r, base, exponent, 32 * words, SCHEME);
}

/* Software does what failed. */
static void instead(uint32_t *r, const uint32_t *base, const uint32_t *exponent, const uint32_t *n, unsigned words,
		    int failed, struct power_counts *counts)
{
	counts->fallback++;
	if (!counts->status)
		counts->status = failed;
	power_at(r, base, exponent, n, words, LEVEL_SOFTWARE);
}

static int core_start(struct rsa_job *job, const uint32_t *base, const uint32_t *exponent, const uint32_t *n, unsigned words)
{
	return rsa_fits(32 * words) ? power_core_start(job, n, 32 * words, base, exponent, 32 * words, SCHEME)
				    : GARNER_STATUS_BAD_LENGTH;
}

void counted_power(uint32_t *r, const uint32_t *base, const uint32_t *exponent, const uint32_t *n, unsigned words,
		   enum level level, struct power_counts *counts)
{
	const uint32_t start = processor_cycles();
	struct rsa_job job;
	int failed;

	counts->powers++;
	if (level != LEVEL_EXP)
		failed = power_at(r, base, exponent, n, words, level);
	else if (!(failed = core_start(&job, base, exponent, n, words)))
		failed = rsa_end(&job, r, words);
	if (failed)
		instead(r, base, exponent, n, words, failed, counts);
	counts->cycles += processor_cycles() - start;
}

void round_start(struct round *round)
{
	const uint32_t start = processor_cycles();

	round->counts->powers++;
	round->zeros = odd_part(round->exponent, round->x, round->words);
	round->failed = 0;
	if (round->level == LEVEL_EXP)
		round->failed = core_start(&round->job, round->base, round->exponent, round->x, round->words);
	round->counts->cycles += processor_cycles() - start;
}

int round_ended(struct round *round)
{
	return round->level != LEVEL_EXP || round->failed || rsa_ended(&round->job);
}

int round_end(struct round *round)
{
	static const uint32_t nothing[PRIME_WORDS];
	const uint32_t start = processor_cycles();
	const unsigned words = round->words;
	uint32_t y[PRIME_WORDS];
	number square;
	int failed = round->failed;

	if (round->level != LEVEL_EXP)
		failed = power_at(y, round->base, round->exponent, round->x, words, round->level);
	else if (!failed)
		failed = rsa_end(&round->job, y, words);
	if (failed)
		instead(y, round->base, round->exponent, round->x, words, failed, round->counts);
	round->counts->cycles += processor_cycles() - start;
	if (is_one(y, words) || is_minus_one(y, round->x, words))
		return 1;
	for (unsigned i = 1; i < round->zeros; i++) {
		number_multiply_add(square, y, y, nothing, words);
		number_modulo(y, square, 2 * words, round->x, words);
		if (is_minus_one(y, round->x, words))
			return 1;
	}
	return 0;
}
