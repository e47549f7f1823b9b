/* SPDX-License-Identifier: Apache-2.0 */
/* The two-row unit's driver: the outer loops of a Montgomery multiplication. Every wait has an end; the first failure ends
 * all. */
#ifndef ROW_DRIVER_H
#define ROW_DRIVER_H

#include <stdint.h>

struct row {
	uint32_t n0, n1, inverse;  /* the lowest words of n, -n^-1 mod 2^32 */
	unsigned words, base;      /* of n; words of the unit's longest modulus: where n is */
	int failed;                /* SOC_FAILURE_TIMEOUT or SOC_FAILURE_ROW_TOO_LONG */
};

/* Puts n, odd, into the unit and clears t. 0, or what failed. */
int row_load(struct row *row, const uint32_t *n, unsigned words);
/* t = a * b / 2^(32 * words) mod n, below 2n, of words + 1 words: what number_montgomery has before it subtracts. */
void row_multiply(struct row *row, uint32_t *t, const uint32_t *a, const uint32_t *b);

#endif
