/* SPDX-License-Identifier: Apache-2.0 */
#include "prime_search.h"

#include <string.h>

#include "seeded_random.h"
#include "sieve.h"

enum { BASES = 2, SOURCES, QUEUE = 4, SPARE = 8, APART = 100 };
#define LOWEST_TOP 0xB504F334U /* of the top word: 2^31.5, rounded up */

struct candidate {
	uint32_t x[PRIME_WORDS];
	unsigned prime; /* 0 or 1: which it may become */
};

static struct search {
	unsigned words, rounds;
	mbedtls_ctr_drbg_context random[SOURCES]; /* of each prime's candidates, and of bases */
	uint32_t seed[SOURCES];
	struct candidate queue[QUEUE]; /* a ring of what passed the sieve, from `first` on */
	unsigned first, held;
	struct round round;            /* of the first of the queue, if `running` */
	int running;
	unsigned passed;               /* rounds, of it */
	uint32_t *prime[2];
	int found[2], random_failed;
	unsigned drawn[2];             /* candidates */
} search;

/* As many as mbedTLS's: an error below 2^-100, and below 2^-80 for keys of 1,024 bits and less. */
static unsigned rounds_needed(unsigned bits)
{
	if (bits <= 512)
		return bits >= 350 ? 8 : 12;
	return bits >= 1000 ? 6 : bits >= 850 ? 7 : bits >= 750 ? 8 : 13;
}

static void random_words(unsigned source, uint32_t *x, unsigned count)
{
	if (mbedtls_ctr_drbg_random(&search.random[source], (unsigned char *)x, 4 * count))
		search.random_failed = 1;
}

static void next_candidate(void)
{
	search.first = (search.first + 1) % QUEUE;
	search.held--;
	search.passed = 0;
}

static void start_round(void)
{
	const uint32_t *x = search.queue[search.first].x;

	do /* that it is 0, 1 or x - 1 has a probability below 2^-250 */
		random_words(BASES, search.round.base, search.words);
	while (!search.random_failed && number_compare(search.round.base, x, search.words) >= 0);
	search.round.x = x;
	round_start(&search.round);
	search.running = 1;
}

/* The round is over: the candidate is composite, or has another round, or is the prime. */
static void end_round(void)
{
	const struct candidate *candidate = &search.queue[search.first];

	search.running = 0;
	if (!round_end(&search.round)) {
		next_candidate();
	} else if (++search.passed == search.rounds) {
		number_copy(search.prime[candidate->prime], candidate->x, search.words);
		search.found[candidate->prime] = 1;
		next_candidate();
	}
}

/* Keeps powers under way; called often. */
static void pump(void)
{
	if (search.running && !round_ended(&search.round))
		return;
	if (search.running)
		end_round();
	while (search.held && search.found[search.queue[search.first].prime])
		next_candidate();
	if (search.held)
		start_round();
}

/* x, uniform from the odd numbers that are long enough: words that are too small for the top one are thrown away. */
static void draw(unsigned prime, uint32_t *x)
{
	uint32_t random[PRIME_WORDS + SPARE];
	unsigned at;

	do {
		random_words(prime, random, search.words + SPARE);
		for (at = 0; at < SPARE && random[at] < LOWEST_TOP; at++)
			;
	} while (!search.random_failed && random[at] < LOWEST_TOP);
	x[search.words - 1] = random[at];
	memcpy(x, random + at + 1, 4 * (search.words - 1));
	x[0] |= 1;
}

/* Whether x - 1 is prime to e = 2^16 + 1, a prime: 2^16 is -1. */
static int fits_exponent(const uint32_t *x)
{
	int32_t rest = 0;

	for (unsigned i = 0; i < search.words; i++)
		rest += (int32_t)(x[i] & 0xFFFF) - (int32_t)(x[i] >> 16);
	rest %= PRIME_EXPONENT;
	return rest != 1 && rest != 1 - PRIME_EXPONENT;
}

/* Draws one for this prime, and queues it if the sieve lets it pass. The place stays free meanwhile, whatever pump does. */
static void prepare(unsigned prime)
{
	struct candidate *candidate = &search.queue[(search.first + search.held) % QUEUE];

	candidate->prime = prime;
	search.drawn[prime]++;
	draw(prime, candidate->x);
	if (fits_exponent(candidate->x) && sieve_passes(candidate->x, search.words, pump))
		search.held++;
}

/* FIPS 186-5, A.1.3, step 5.4. */
static int far_apart(void)
{
	const unsigned bit = 32 * search.words - APART;
	number difference;
	uint32_t above;

	if (number_subtract(difference, search.prime[0], search.prime[1], search.words))
		number_subtract(difference, search.prime[1], search.prime[0], search.words);
	above = difference[bit / 32] >> bit % 32;
	for (unsigned i = bit / 32 + 1; i < search.words; i++)
		above |= difference[i];
	return above != 0;
}

/* FIPS 186-5, A.1.3, steps 4.7 and 5.8: 5 nlen candidates for one prime, 10 nlen for the other. A core whose powers are
 * wrong finds no prime. */
static unsigned most_drawn(unsigned prime)
{
	return (prime ? 10 : 5) * 2 * 32 * search.words;
}

int prime_search(number prime[2], unsigned words, enum level level, uint32_t seed,
		 struct power_counts *counts)
{
	unsigned next = 0;

	memset(&search, 0, sizeof search);
	search.words = words;
	search.rounds = rounds_needed(32 * words);
	search.round.words = words;
	search.round.level = level;
	search.round.counts = counts;
	search.prime[0] = prime[0];
	search.prime[1] = prime[1];
	sieve_begin();
	for (unsigned i = 0; i < SOURCES; i++) {
		search.seed[i] = seed + i * 0x9E3779B9U;
		search.random_failed |= seeded_random(&search.random[i], &search.seed[i]);
	}
	while (!search.random_failed && !(search.found[0] && search.found[1])) {
		if (!search.found[next ^ 1])
			next ^= 1;
		if (search.drawn[next] == most_drawn(next))
			break;
		if (search.held < QUEUE)
			prepare(next);
		pump();
		if (search.found[0] && search.found[1] && !far_apart())
			search.found[1] = 0;
	}
	if (search.running) { /* after a failure: the core is left idle */
		while (!round_ended(&search.round))
			;
		end_round();
	}
	for (unsigned i = 0; i < SOURCES; i++)
		mbedtls_ctr_drbg_free(&search.random[i]);
	return !(search.found[0] && search.found[1]);
}
