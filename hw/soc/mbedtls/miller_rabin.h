/* SPDX-License-Identifier: Apache-2.0 */
/* A round of the Miller-Rabin test (FIPS 186-5, B.3.1), its power at a level: with the core it is under way while the
 * processor does something else. Called by prime_search.c. */
#ifndef MILLER_RABIN_H
#define MILLER_RABIN_H

#include <stdint.h>

#include "number.h"
#include "power.h"
#include "rsa_driver.h"

enum { PRIME_WORDS = MAX_WORDS / 2 };

/* Powers begun; those that the accelerator failed to do and software did; why it failed, the first time; what of the
 * processor's time went into them: computing, moving words, waiting. */
struct power_counts {
	uint32_t powers, fallback;
	int status;
	uint32_t cycles;
};

struct round {
	const uint32_t *x; /* the candidate, odd, its top bit set; stays the caller's */
	unsigned words;    /* of x: at most PRIME_WORDS */
	unsigned zeros;    /* x - 1 = exponent * 2^zeros */
	uint32_t base[PRIME_WORDS], exponent[PRIME_WORDS];
	enum level level;  /* software, mul or exp */
	int failed;        /* what the core said at the start */
	struct rsa_job job;
	struct power_counts *counts;
};

/* Begins a round; x, words, level, counts and base, 1 < base < x - 1, have been set. */
void round_start(struct round *round);
/* Whether round_end waits for nobody. */
int round_ended(struct round *round);
/* Whether x passes. */
int round_end(struct round *round);

/* r = base^exponent mod n, odd, its top bit set, at this level; in software if that fails, which is counted. */
void counted_power(uint32_t *r, const uint32_t *base, const uint32_t *exponent, const uint32_t *n, unsigned words,
		   enum level level, struct power_counts *counts);

#endif
