/* SPDX-License-Identifier: Apache-2.0 */
/* What the multiplier's array computes, to the bit, in C: for comparing the two on the system itself. */
#ifndef MONT_TWIN_H
#define MONT_TWIN_H

#include "mont_driver.h"

enum { TWIN_WORDS = MAX_WORDS + 1 }; /* 2 * N~ may be a word longer than n */

/* d = (a * b + q * N~) / R, below 2 * N~: Orup's algorithm, digit by digit. a, b, d: TWIN_WORDS words; d may be a, b. */
void twin_multiply(const struct mont *mont, uint32_t *d, const uint32_t *a, const uint32_t *b);
/* Random products in slots, `count` of them, by both; how many of the slots differ at the end, or -1: it failed. */
int twin_compare(struct mont *mont, const uint32_t *n, unsigned bits, unsigned count, uint32_t seed);

#endif
