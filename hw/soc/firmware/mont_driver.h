/* SPDX-License-Identifier: Apache-2.0 */
/* The Montgomery multiplier's driver: products of operands in its slots. Every wait has an end; the first failure ends
 * all, mont_wait says it. */
#ifndef MONT_DRIVER_H
#define MONT_DRIVER_H

#include <stdint.h>

#include "number.h"

/* A modulus and what follows from it and from what was built. */
struct mont {
	unsigned w, words;     /* bits of a word, words of an operand */
	unsigned rows, passes;
	unsigned r_bits;       /* log2 R = w * rows * passes */
	uint32_t limit;        /* cycles in which every queue is done, twice */
	number nb;             /* (N~ + 1) / 2^w, N~ = n * (-n^-1 mod 2^w) */
	unsigned nb_words;     /* of 32 bits, as n has */
	int failed;
};

/* Computes these for n, odd, its top bit set, and puts the modulus into the multiplier. 0, or what failed:
 * SOC_FAILURE_MONT_TOO_LONG or SOC_FAILURE_TIMEOUT. */
int mont_load(struct mont *mont, const uint32_t *n, unsigned bits);
/* slot = x, of `count` 32-bit words, below 2 * N~. */
void mont_put(struct mont *mont, unsigned slot, const uint32_t *x, unsigned count);
/* x = slot, of `count` 32-bit words: what is longer is cut off. */
void mont_get(struct mont *mont, uint32_t *x, unsigned slot, unsigned count);
/* d = a * b / R mod n, slots; below 2 * N~. Returns when the product is in the queue. */
void mont_multiply(struct mont *mont, unsigned d, unsigned a, unsigned b);
/* Waits until all is done. 0, or what failed since mont_load. */
int mont_wait(struct mont *mont);

#endif
