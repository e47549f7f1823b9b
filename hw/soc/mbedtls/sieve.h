/* SPDX-License-Identifier: Apache-2.0 */
/* Trial division by all odd primes below SIEVE_LIMIT, several at a time and without a division for each word. */
#ifndef SIEVE_H
#define SIEVE_H

#include <stdint.h>

/* A candidate of 1,024 bits that passes costs some 0.25 million cycles here, and the core 0.65 million: it is the core
 * that is waited for. Below 1,000, as mbedTLS has it, 16 of 100 odd numbers pass; below 8,192 12 do. */
enum { SIEVE_LIMIT = 8192 };

/* Finds the primes: before the first use. */
void sieve_begin(void);
/* Whether no odd prime below SIEVE_LIMIT divides x, of `words` words, odd and above SIEVE_LIMIT. `between` is called every
 * few thousand cycles. */
int sieve_passes(const uint32_t *x, unsigned words, void (*between)(void));

#endif
