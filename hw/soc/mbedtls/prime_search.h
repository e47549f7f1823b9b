/* SPDX-License-Identifier: Apache-2.0 */
/* Both primes of an RSA key, searched at once: random candidates (FIPS 186-5, A.1.3), a sieve, and Miller-Rabin, whose
 * powers are done at a level. With the core the processor draws and sieves the next candidates while a power is under way.
 *
 *   processor   draw, sieve p0, q0  | start p0 | draw, sieve q1, p1, ...      | judge p0, start q0 | ...
 *   core                            | load     | power of p0                  | load               | ...
 *
 * Each prime has a random source of its own and is the first of its candidates that passes. So which key is found does
 * not depend on the level, nor on when a power ends. */
#ifndef PRIME_SEARCH_H
#define PRIME_SEARCH_H

#include "miller_rabin.h"

enum { PRIME_EXPONENT = 65537 }; /* e */

/* prime[0], prime[1] = two primes of `words` words each, at most PRIME_WORDS, at least 2^(32 * words - 1/2), more than
 * 2^(32 * words - 100) apart, one less than each prime to e. 0, or the random source
 * failed, or there was none among as many candidates as FIPS 186-5 allows. */
int prime_search(number prime[2], unsigned words, enum level level, uint32_t seed,
		 struct power_counts *counts);

#endif
